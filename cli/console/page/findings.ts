/** The findings in the logs and orders of a team, in words. */
import { counted } from '../../shell/text/numbers.ts';
import { formatDuration } from '../../shell/text/time.ts';
import type { Answer } from '../server/routes.ts';

type Finding = Answer<'timeline'>['findings'][number];

/** Equal findings in a row. `id`: the id of the first one */
export type Run = Readonly<{ id: string; kind: string; all: readonly Finding[] }>;

/** The name of several findings of a kind, and their description from a span and another figure. */
const KINDS: Readonly<Record<string, readonly [several: string, say?: (span: string, other: string) => string]>> = {
  late: ['late orders', (span) => span],
  early: ['early orders', (span) => span],
  'no log': ['orders without a log'],
  'not named': ['orders not named'],
  'other trade': ['orders of another trade', (_, other) => `the log says ${other}`],
  silence: ['silences', (span, orders) => (orders === '0' ? span : `${span}, ${counted(Number(orders), 'order')}`)],
  copy: ['copies', (span, other) => `${span} after ${other}`],
  follows: ['logs that follow', (span, other) => `${span} after ${other}`],
  'same time': ['logs at the same time', (_, other) => `as ${other}`],
  repeat: ['repeats', (span) => `${span} after its own`],
  template: ['filled templates'],
  "others' order": ["others' orders", (_, other) => `of ${other}`],
  'hidden characters': ['logs with hidden characters'],
  incomplete: ['incomplete logs', (_, other) => `without ${other}`],
};

/** Puts findings that say the same and follow each other together. @param isEach each finding stays alone */
export function runsOf(findings: readonly Finding[], isEach: boolean): Run[] {
  const runs: { id: string; kind: string; all: Finding[] }[] = [];
  for (const one of findings) {
    const last = runs.at(-1);
    if (!isEach && last?.kind === one.kind && last.all[0]?.other === one.other) last.all.push(one);
    else runs.push({ id: one.id, kind: one.kind, all: [one] });
  }
  return runs;
}

/** Names what a run has: its kind, or how many of it. */
export const nameRun = ({ kind, all }: Run) => (all.length > 1 ? `${all.length} ${KINDS[kind]?.[0] ?? kind}` : kind);

/** Says what is in a run, in a few words. */
export function sayRun({ kind, all }: Run): string {
  const lengths = all.map(({ ms }) => Math.abs(ms ?? 0));
  const span = new Set([Math.min(...lengths), Math.max(...lengths)].map(formatDuration));
  return KINDS[kind]?.[1]?.([...span].join(' to '), all[0]?.other ?? '') ?? '';
}
