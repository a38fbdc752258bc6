import { copyOf } from '../../../functions/ailog/entry.ts';
import type { StatementEntry } from './statement.ts';

/** The models that are named, and the code points of a name that are shown: a team chooses both. */
const NAMED_MODELS = 10;
const SHOWN_CODE_POINTS = 60;

/** What entries themselves say, counted and compared with nothing. */
export type Counted = ReturnType<ReturnType<typeof entryCounter>['counted']>;

/** Creates a count of entries, which are added one by one. */
export function entryCounter() {
  const models = new Map<string, number>();
  let entries = 0;
  let withOrder = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  return {
    add({ timestamp, orderId, model: named }: StatementEntry): void {
      const signedAt = Number(timestamp);
      first = Math.min(first, signedAt);
      last = Math.max(last, signedAt);
      entries += 1;
      if (orderId !== null) withOrder += 1;
      // No entry of the service has more of it, however long the line of a forger is.
      const model = copyOf(named ?? '');
      models.set(model, (models.get(model) ?? 0) + 1);
    },
    counted() {
      // Of equally frequent models, the first in the order of UTF-16, in every language.
      const byCount = [...models].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
      const timeOf = (ms: number) => (entries === 0 ? null : new Date(ms).toISOString());
      return {
        entries,
        /** The first and the last time at which the team signed, as ISO 8601; null if there is no entry. */
        first: timeOf(first),
        last: timeOf(last),
        /** The entries that name an order. */
        withOrder,
        models: byCount.slice(0, NAMED_MODELS).map(([model, count]) => ({ model, entries: count })),
        /** The number of models that `models` leaves out. */
        otherModels: Math.max(0, byCount.length - NAMED_MODELS),
      };
    },
  };
}

/** Returns what was counted as rows of a name and a text. A model is quoted, so that no name looks like several. */
export function rowsOfCount({ entries, first, last, withOrder, models, otherModels }: Counted) {
  const named = models.map(({ model, entries: count }) => {
    const points = [...model];
    const shown = points.slice(0, SHOWN_CODE_POINTS).join('');
    return `${JSON.stringify(shown)}${points.length > SHOWN_CODE_POINTS ? '…' : ''} ${count}`;
  });
  const rows: [name: string, text: string][] = [
    ['counted', `from these entries, and compared with nothing: ${entries}`],
  ];
  if (first !== null && last !== null) rows.push(['signed', `from ${first} to ${last}`]);
  rows.push(['with order', String(withOrder)]);
  if (otherModels > 0) named.push(`and ${otherModels} others`);
  if (named.length > 0) rows.push(['models', named.join(', ')]);
  return rows;
}
