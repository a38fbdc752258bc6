/** The words of a sponsor for the findings: no command, no option and no name of a field. */
import { counted } from '../../shell/text/numbers.ts';
import { logIn } from '../evidence/countEntries.ts';
import { WORDS, type Word } from '../evidence/judge.ts';
import type { LineVerdict } from '../evidence/verify.ts';
import type { FileResult } from './checkFiles.ts';

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Says a time in UTC: `15:01 on 23 November 2026`. @param time milliseconds since 1970 */
const sayTime = (time: number): string =>
  `${new Date(time).toISOString().split('T')[1]?.slice(0, 5)} on ${DAY.format(time)}`;

type Counts = ReadonlyMap<Word, number>;

const sum = (counts: Counts, ...words: Word[]): number =>
  words.reduce((total, word) => total + (counts.get(word) ?? 0), 0);
/** Returns sentences about a file: what is wrong first, then what it shows, then what it does not show. */
export function plainWords({ entries, verdicts, isChanged }: FileResult): string[] {
  const all = sum(entries, ...WORDS);
  const [failed, late] = [sum(entries, 'WRONG', 'MISSING'), sum(entries, 'LATE')];
  const [unproven, holds] = [sum(entries, 'NO PROOF'), sum(entries, 'ok')];
  const shown = verdicts.filter(({ about, word }) => about === 'entry' && word === 'ok');
  const isOfLog = shown.length > 0 && shown.every(({ facts }) => facts.place);
  const these =
    holds < all
      ? `${counted(holds, 'log')} of ${all}`
      : all === 1
        ? 'The log in this file'
        : `All ${all} logs in this file`;
  const received = `The organisers confirmed that they received ${these[0]?.toLowerCase()}${these.slice(1)}.`;
  const logged =
    all === 1
      ? `${these} is in the competition's log, and was not changed since.`
      : `${these} ${holds === 1 ? 'is' : 'are'} in the competition's log. Nothing in them was changed since.`;
  const times = shown.flatMap(({ facts }) => facts.place?.seenBy ?? []);
  const since =
    isOfLog && times.length === shown.length
      ? `Independent witnesses confirm that they were there by ${sayTime(Math.max(...times))} UTC.`
      : 'Since when, only the organisers say: no independent witness confirms a time.';
  return [
    ...(isChanged ? ['This file was changed, or a part of it is missing. Do not rely on it.'] : []),
    ...(failed > 0 ? [`${counted(failed, 'log')} of ${all} cannot be relied on: see below.`] : []),
    ...(late > 0 ? [`${counted(late, 'log')} came into the competition's log later than promised.`] : []),
    ...(unproven > 0 ? [`For ${counted(unproven, 'log')}, this file has no proof yet.`] : []),
    ...(holds > 0 && !isChanged ? [isOfLog ? logged : received] : []),
    ...(holds > 0 && isOfLog ? [since] : []),
    ...(holds > 0 && !isOfLog ? ["It does not show that the log is in the competition's log: a proof does."] : []),
    ...(holds > 0 ? ['This does not show that the team sent no others.'] : []),
  ];
}

/** Says how many logs are in all files, and what is wrong with them. @param isMore true if other files say nothing */
export function sumUp(results: readonly FileResult[], isMore: boolean): string {
  const of = (...words: Word[]) => results.reduce((count, { entries }) => count + sum(entries, ...words), 0);
  const logs = of(...WORDS);
  const [failed, late, unproven] = [of('WRONG', 'MISSING'), of('LATE'), of('NO PROOF')];
  const files = results.filter(({ isChanged }) => isChanged).length;
  const wrong = [
    ...(failed > 0 ? [`${failed} cannot be relied on.`] : []),
    ...(late > 0 ? [`${late} came later than promised.`] : []),
    ...(unproven > 0 ? [`${unproven} ${unproven === 1 ? 'has' : 'have'} no proof yet.`] : []),
    ...(files > 0 ? [`${counted(files, 'file')} cannot be relied on as a whole.`] : []),
  ];
  if (wrong.length === 0 && logs > 0) wrong.push('Nothing is wrong with what was checked.');
  return [
    `${counted(logs, 'log')} ${logs === 1 ? 'was' : 'were'} checked.`,
    ...wrong,
    ...(isMore ? ['Something else could not be used: see below.'] : []),
  ].join(' ');
}

/** Order ids keep every digit. */
export type PlainLog = Readonly<Record<'team' | 'time' | 'order' | 'model' | 'text', string>> & { readonly word: Word };

export const plainLogs = (verdicts: readonly LineVerdict[]): PlainLog[] =>
  verdicts.flatMap(({ word, facts, members }) => {
    if (facts.receivedAt === undefined || typeof members?.body !== 'string') return [];
    const { order, model } = logIn(members.body);
    const team = facts.uid ?? '–';
    return [{ team, time: sayTime(facts.receivedAt), order: order || '–', model, text: members.body, word }];
  });
