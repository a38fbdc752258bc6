import { readContent } from '../../../functions/features/logContent.ts';
import { figuresOfLogs, isoTime, NAMED } from '../../review/figures/figures.ts';
import { entryOf } from '../../store/entries/verifyContent.ts';
import type { StatementEntry } from './statement.ts';

/** Counts what a log of a statement says. Times are in milliseconds since 1970. */
export function countedLogOf(line: StatementEntry) {
  const { timestamp, ...entry } = entryOf({ ...line });
  const { hasData, hasHiddenCharacters, isCut, copies } = readContent(line.body ?? undefined);
  const { orderId, stage, model } = copies ?? entry;
  const [signedAt, namesOrder] = [Number(timestamp), orderId !== undefined];
  return { signedAt, namesOrder, stage, model, hasData, hasHiddenCharacters, isCut };
}

export type CountedLog = ReturnType<typeof countedLogOf>;

const PAUSES = 20;

/**
 * Counts names as `names.sql` does: all days, the most frequent models and stages, and all others of these together.
 * Teams may run `ailog verify` on Node.js 20, without `groupBy`.
 */
function countNames(what: 'day' | 'model' | 'stage', names: readonly string[]) {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
  const limit = what === 'day' ? sorted.length : NAMED;
  const rest = sorted.slice(limit).reduce((sum, [, count]) => sum + count, 0);
  const rows = sorted.slice(0, limit).map(([name, entries]) => ({ what, name, entries }));
  return rest > 0 ? [...rows, { what, name: null, entries: rest }] : rows;
}

/** Returns the longest times without a log, from the start to the end of the period. */
function pausesOf(times: readonly number[], { from, until }: { from: number; until: number }) {
  const marks = [...new Set([from, ...times.filter((at) => at > from && at < until), until])].sort((a, b) => a - b);
  return marks
    .slice(1)
    .map((ends, index) => ({ starts: marks[index] as number, ends, orders: 0 }))
    .sort((a, b) => b.ends - b.starts - (a.ends - a.starts))
    .slice(0, PAUSES);
}

/** Counts the figures of one team again, for `ailog verify`, which has no SQL engine. */
export function recount(logs: readonly CountedLog[], since: number | undefined, until: number | undefined) {
  const times = logs.map(({ signedAt }) => signedAt).sort((a, b) => a - b);
  const period = { from: since ?? times[0] ?? until ?? 0, until: until ?? (times.at(-1) ?? since ?? 0) + 1 };
  const count = (condition: (log: CountedLog) => boolean) => logs.filter(condition).length;
  const hasVersion = ({ model }: CountedLog) => /\d/.test(model);
  const days = times.map((at) => String(Math.floor(at / 86_400_000)));
  const [models, stages] = [logs.map(({ model }) => model), logs.map(({ stage }) => stage)];
  const figures = figuresOfLogs({
    logs: {
      entries: logs.length,
      ...(times[0] !== undefined && { first_at: times[0], last_at: times.at(-1) as number }),
      with_order: count(({ namesOrder }) => namesOrder),
      complete: count((log) => hasVersion(log) && log.hasData && log.namesOrder),
      without_version: count((log) => !hasVersion(log)),
      without_data: count(({ hasData }) => !hasData),
      without_version_or_data: count((log) => !hasVersion(log) || !log.hasData),
      hidden_characters: count(({ hasHiddenCharacters }) => hasHiddenCharacters),
      cut_texts: count(({ isCut }) => isCut),
    },
    names: [...countNames('day', days), ...countNames('model', models), ...countNames('stage', stages)],
    silences: pausesOf(times, period),
  });
  return { period: { from: isoTime(period.from), until: isoTime(period.until) }, figures };
}
