import { createHash } from 'node:crypto';
import type { Entry } from '../../functions/ailog/entry.ts';
import type { parseArrival } from '../../functions/tlog/arrival.ts';
import { bodyOf } from '../entries/bodyOf.ts';
import { visible } from '../text/visible.ts';
import { leafOfRow } from './locateEntry.ts';

/** Returns the digest and the length that the stored body has; nothing if it is damaged. */
function digestOf(entry: Entry): Partial<Entry> {
  try {
    const body = bodyOf(entry);
    return { bodySha256: createHash('sha256').update(body).digest('hex'), bodyBytes: body.length };
  } catch {
    return {};
  }
}

const show = (value: unknown) => (value === undefined ? 'nothing' : visible(String(value)));

/**
 * Returns the attributes of a row that were changed since it was stored, with both values. The old values follow from
 * the arrival keys, the entry id and the body. Each is proven: with it, the row has the leaf that was stored.
 * @returns undefined if no combination of these gives that leaf: another attribute was changed
 */
export function changedAttributes(
  entry: Entry,
  arrival: NonNullable<ReturnType<typeof parseArrival>>,
): string[] | undefined {
  const repairs: Partial<Entry>[] = [
    { receivedAt: arrival.receivedAt },
    digestOf(entry),
    { timestamp: entry.entryId.slice(0, 13) },
  ];
  for (let chosen = 1; chosen < 2 ** repairs.length; chosen += 1) {
    const repair: Partial<Entry> = Object.assign({}, ...repairs.filter((_repair, index) => chosen & (2 ** index)));
    if (!leafOfRow({ ...entry, ...repair })?.equals(arrival.entryHash)) continue;
    return (Object.keys(repair) as (keyof Entry)[])
      .filter((name) => repair[name] !== entry[name])
      .map((name) => `${name} from ${show(repair[name])} to ${show(entry[name])}`);
  }
  return undefined;
}
