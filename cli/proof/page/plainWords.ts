/** What was found, in the words of a sponsor: no command, no option and no name of a field. */
import { counted } from '../../shell/text/numbers.ts';
import { type countFindings, type Findings, statusOf } from '../evidence/evidence.ts';

type Counts = ReturnType<typeof countFindings>['counts'];

const TIME = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Says a time in UTC: `15:01 on 23 November 2026`. @param time ISO 8601 */
function sayTime(time: string): string {
  const parts = new Map(TIME.formatToParts(new Date(time)).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type);
  return `${of('hour')}:${of('minute')} on ${of('day')} ${of('month')} ${of('year')}`;
}

/** What each kind of file shows if all of it holds, of `these`, such as `All 3 logs in this file`. */
const SHOWS: Readonly<Record<string, (these: string, are: string) => string>> = {
  statement: (these, are) => `${these} ${are} in the competition's log. Nothing in them was changed since.`,
  proof: (these, are) => `${these} ${are} in the competition's log, and was not changed since.`,
  receipt: (these) => `The organisers confirmed that they received ${these[0]?.toLowerCase()}${these.slice(1)}.`,
};

/** Returns sentences about a file: what is wrong first, then what it shows, then what it does not show. */
export function plainWords(kind: string, findings: readonly Findings[]): readonly string[] {
  const entries = findings.filter(({ isAboutFile }) => !isAboutFile);
  const whole = findings.filter(({ isAboutFile }) => isAboutFile);
  const those = (...words: string[]) => entries.filter((one) => words.includes(statusOf(one)));
  const failed = those('FAILED', 'BROKEN');
  const late = those('LATE');
  const unproven = those('NO PROOF', 'NOT YET');
  const holds = those('ok');
  const isChanged = whole.some(({ wrong }) => wrong.length > 0);
  const all = entries.length === 1 ? 'The log in this file' : `All ${entries.length} logs in this file`;
  const some = `${counted(holds.length, 'log')} of ${entries.length}`;
  const are = holds.length === 1 ? 'is' : 'are';
  const show = SHOWS[kind] ?? SHOWS.receipt;
  const times = holds.map(({ facts }) => facts.inLogBy).filter((time) => time !== undefined);
  const last = times.length === holds.length ? times.map(String).sort().at(-1) : undefined;
  const isOfLog = kind === 'statement' || kind === 'proof';
  return [
    ...(isChanged ? ['This file was changed, or a part of it is missing. Do not rely on it.'] : []),
    ...(failed.length > 0
      ? [`${counted(failed.length, 'log')} of ${entries.length} cannot be relied on: see below.`]
      : []),
    ...(late.length > 0 ? [`${counted(late.length, 'log')} came into the competition's log later than promised.`] : []),
    ...(unproven.length > 0 ? [`For ${counted(unproven.length, 'log')}, this file has no proof yet.`] : []),
    ...(holds.length > 0 && !isChanged && show ? [show(holds.length === entries.length ? all : some, are)] : []),
    ...(isOfLog && last ? [`Independent witnesses confirm that they were there by ${sayTime(last)} UTC.`] : []),
    ...(isOfLog && !last && holds.length > 0
      ? ['Since when, only the organisers say: no independent witness confirms a time.']
      : []),
    ...(kind === 'receipt' && holds.length > 0
      ? ["It does not show that the log is in the competition's log: a proof does."]
      : []),
    ...(holds.length > 0 ? ['This does not show that the team sent no others.'] : []),
  ];
}

/** Says how many logs are in all files, and what is wrong with them. @param isMore true if other files say nothing */
export function sumUp(counts: Counts, isMore: boolean): string {
  const { FAILED, BROKEN, LATE, FILES } = counts;
  const unproven = counts['NOT YET'] + counts['NO PROOF'];
  const logs = counts.ok + FAILED + BROKEN + LATE + unproven;
  const wrong = [
    ...(FAILED + BROKEN > 0 ? [`${FAILED + BROKEN} cannot be relied on.`] : []),
    ...(LATE > 0 ? [`${LATE} came later than promised.`] : []),
    ...(unproven > 0 ? [`${unproven} ${unproven === 1 ? 'has' : 'have'} no proof yet.`] : []),
    ...(FILES > 0 ? [`${counted(FILES, 'file')} cannot be relied on as a whole.`] : []),
  ];
  const none = logs === 0 ? [] : ['Nothing is wrong with what was checked.'];
  return [
    logs === 1 ? '1 log was checked.' : `${logs} logs were checked.`,
    ...(wrong.length > 0 ? wrong : none),
    ...(isMore ? ['Something else could not be used: see below.'] : []),
  ].join(' ');
}

/** What a sponsor reads of a log of a statement. */
export type PlainLog = Readonly<Record<'time' | 'order' | 'model' | 'text', string>> & {
  readonly status: ReturnType<typeof statusOf>;
};

/** The largest statement whose logs are shown as a table, in bytes. */
const TABLE_BYTES = 32 * 1024 * 1024;

/** Reads the logs of a statement, failed ones first; none of another or a large file. Order ids keep every digit. */
export function plainLogs(kind: string, bytes: Uint8Array, findings: readonly Findings[]): PlainLog[] {
  if (kind !== 'statement' || bytes.length > TABLE_BYTES) return [];
  const statuses = new Map(findings.map((one) => [one.facts.entryId, statusOf(one)] as const));
  const lines = new TextDecoder().decode(bytes).split('\n').slice(1);
  const logs = lines.flatMap((line): PlainLog[] => {
    try {
      const { entryId, receivedAt, orderId, model, body } = JSON.parse(line);
      if (typeof receivedAt !== 'string') return [];
      const [order, text] = [orderId, body].map((value) => String(value ?? '–')) as [string, string];
      const status = statuses.get(entryId) ?? 'FAILED';
      return [{ time: sayTime(receivedAt), order, model: String(model), text, status }];
    } catch {
      return [];
    }
  });
  return logs.sort((one, other) => Number(one.status === 'ok') - Number(other.status === 'ok'));
}
