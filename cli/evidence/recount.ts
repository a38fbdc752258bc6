import { readContent } from '../../functions/features/logContent.ts';
import { byFrequency, isoTime, NAMED, OTHERS, percent, type TeamFigures } from '../analysis/figures.ts';
import { entryOfLine } from './parseStatement.ts';
import type { StatementEntry } from './statement.ts';

/** Counts what a log of a statement says. Times are in milliseconds since 1970. */
export function countedLogOf(line: StatementEntry) {
  const { timestamp, ...entry } = entryOfLine(line);
  const { hasData, hasHiddenCharacters, isCut, copies } = readContent(line.body ?? undefined);
  const { orderId, stage, model } = copies ?? entry;
  const [signedAt, namesOrder] = [Number(timestamp), orderId !== undefined];
  return { signedAt, namesOrder, stage, model, hasData, hasHiddenCharacters, isCut };
}

export type CountedLog = ReturnType<typeof countedLogOf>;

/** The longest pauses that a statement names. */
const PAUSES = 20;

/** Counts names, in the order of their first use. Teams may run `ailog verify` on Node.js 20, without `groupBy`. */
function countNames(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Counts the most frequent names, and all others together. */
function mostFrequent(names: readonly string[]) {
  const sorted = [...countNames(names)].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
  const rest = sorted.slice(NAMED).reduce((sum, [, count]) => sum + count, 0);
  return byFrequency([...sorted.slice(0, NAMED), ...(rest > 0 ? [[OTHERS, rest] as const] : [])]);
}

/** Returns the longest times without a log, from the start to the end of the period. */
function pausesOf(times: readonly number[], { from, until }: { from: number; until: number }) {
  const marks = [...new Set([from, ...times.filter((at) => at > from && at < until), until])].sort((a, b) => a - b);
  return marks
    .slice(1)
    .map((end, index) => ({ start: marks[index] as number, end }))
    .sort((a, b) => b.end - b.start - (a.end - a.start))
    .slice(0, PAUSES)
    .map(({ start, end }) => ({
      seconds: Math.round((end - start) / 1000),
      from: isoTime(start),
      until: isoTime(end),
      orders: 0,
    }));
}

/** Counts the figures of one team again, for `ailog verify`, which has no SQL engine. */
export function recount(logs: readonly CountedLog[], since: number | undefined, until: number | undefined) {
  const times = logs.map(({ signedAt }) => signedAt).sort((a, b) => a - b);
  const period = { from: since ?? times[0] ?? until ?? 0, until: until ?? (times.at(-1) ?? since ?? 0) + 1 };
  const count = (condition: (log: CountedLog) => boolean) => logs.filter(condition).length;
  const hasVersion = ({ model }: CountedLog) => /\d/.test(model);
  const withOrder = count(({ namesOrder }) => namesOrder);
  const figures = {
    entries: logs.length,
    first: isoTime(times[0]),
    last: isoTime(times.at(-1)),
    perDay: Object.fromEntries(countNames(times.map((at) => new Date(at).toISOString().slice(0, 10)))),
    models: mostFrequent(logs.map(({ model }) => model)),
    stages: mostFrequent(logs.map(({ stage }) => stage)),
    withOrder,
    withOrderPercent: percent(withOrder, logs.length),
    complete: count((log) => hasVersion(log) && log.hasData && log.namesOrder),
    missing: {
      modelVersion: count((log) => !hasVersion(log)),
      data: count(({ hasData }) => !hasData),
      order: logs.length - withOrder,
      versionOrData: count((log) => !hasVersion(log) || !log.hasData),
    },
    silences: pausesOf(times, period),
    hiddenCharacters: count(({ hasHiddenCharacters }) => hasHiddenCharacters),
    cutTexts: count(({ isCut }) => isCut),
  } satisfies Partial<TeamFigures>;
  return { period: { from: isoTime(period.from), until: isoTime(period.until) }, figures };
}
