import { expect, test } from 'vitest';
import { requireLogged } from '../../../cli/inclusion/explainLocation.ts';
import type { Location } from '../../../cli/inclusion/locateEntry.ts';
import type { Failure } from '../../../cli/terminal/failure.ts';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { parseArrival } from '../../../functions/tlog/arrival.ts';
import { MINUTE_MS } from '../../setup/time.ts';

const RECEIVED = Date.parse('2026-01-01T12:00:00Z');

/** An entry without arrival attributes, and one with those of another leaf. */
const bare = { uid: '7\u202e', entryId: 'e\u202e', receivedAt: RECEIVED } as Entry;
const arrival = Buffer.alloc(38, 1);
const entry = { ...bare, arrival };
const stored = parseArrival(arrival);
if (!stored) throw new Error('These are not arrival keys.');

/** A log that has come to a time, in minutes after the entry, and looked for entries at others. */
const logAt = (cursor: number, { hourly = cursor, daily = cursor, published = true } = {}) => {
  const at = (minutes: number) => ({ begunAt: 0, doneAt: minutes === 0 ? 0 : RECEIVED + minutes * MINUTE_MS });
  const head = { size: 5, cursor: RECEIVED + cursor * MINUTE_MS, hourly: at(hourly), daily: at(daily) };
  return { head, checkpoint: { size: published ? 5 : 4 }, usualDelay: 100_000 } as Parameters<typeof requireLogged>[2];
};

const pending: Location = { status: 'pending' };
const missing: Location = { status: 'missing' };
const LATER = RECEIVED + 10 * MINUTE_MS;

// biome-ignore format: one case a line
test.each<[string, Location, Entry, ReturnType<typeof logAt>, number, string]>([
  ['received just now', pending, entry, logAt(-1), RECEIVED + 1, 'unchecked: The entry e\\u202e is not in the transparency log yet. Try again in about 100 s.'],
  ['received as long ago as it usually takes', pending, entry, logAt(-1), RECEIVED + 100_000, 'unchecked: The entry e\\u202e is not in the transparency log yet. The sequencer is behind: it has come to 2026-01-01T11:59:00Z, 2 min 40 s ago. ailog tlog status says more.'],
  ['late in the index', pending, entry, logAt(5), LATER, 'unchecked: The entry e\\u202e is not in the transparency log yet. The index showed it late. The hourly reconciliation adds it.'],
  ['late in the index, without arrival keys', pending, bare, logAt(5), LATER, 'unchecked: The entry e\\u202e is not in the transparency log yet. The index showed it late. The daily reconciliation adds it.'],
  ['in a head that is not published', pending, entry, logAt(5, { published: false }), LATER, 'unchecked: The entry e\\u202e is not in the transparency log yet. The sequencer is behind: it has come to 2026-01-01T12:05:00Z, 5 min ago. ailog tlog status says more.'],
  ['before the backfill has ended', pending, bare, logAt(5, { daily: 0 }), LATER, 'unchecked: The entry e\\u202e is not in the transparency log yet. The sequencer is behind: it has come to 2026-01-01T12:05:00Z, 5 min ago. ailog tlog status says more.'],
  ['missing', missing, entry, logAt(90, { hourly: 80 }), LATER, 'negative: The entry e\\u202e of UID 7\\u202e is missing in the transparency log: it was received at 2026-01-01T12:00:00Z, and the log has come to 2026-01-01T13:30:00Z. The hourly reconciliation, last done at 2026-01-01T13:20:00Z, did not find it. If the next one, in an hour, does not add it either, somebody wrote the row past the service, or changed it together with its arrival keys.'],
  ['missing, without arrival keys', missing, bare, logAt(90, { daily: 0 }), LATER, 'negative: The entry e\\u202e of UID 7\\u202e is missing in the transparency log: it was received at 2026-01-01T12:00:00Z, and the log has come to 2026-01-01T13:30:00Z. The daily reconciliation, not done yet, did not find it. If the next one, in a day, does not add it either, somebody wrote the row past the service, or changed it together with its arrival keys.'],
  ['changed before it was logged', { status: 'differs', arrival: stored, index: undefined }, entry, logAt(5), LATER, `negative: The row of entry e\\u202e of UID 7\\u202e was changed after it was stored. The hash of the stored entry is ${'01'.repeat(32)}, which is not in the log. ailog logs verify shows which of its attributes contradict each other.`],
  ['changed after it was logged', { status: 'differs', arrival: stored, index: 3 }, entry, logAt(5), LATER, `negative: The row of entry e\\u202e of UID 7\\u202e was changed after it was logged. The log has the entry hash ${'01'.repeat(32)} of the stored entry, at index 3. ailog logs verify shows which of its attributes contradict each other.`],
])('an entry that is %s: the reason why there is no proof', (_name, location, row, log, now, expected) => {
  let failure: Failure | undefined;
  try {
    requireLogged(location, row, log, now);
  } catch (error) {
    failure = error as Failure;
  }
  expect(`${failure?.outcome}: ${failure?.message} ${failure?.advice}`).toBe(expected);
});

test('an entry in the log has its place', () => {
  const location: Location = { status: 'logged', leaf: Buffer.alloc(32), index: 3 };
  expect(requireLogged(location, entry, logAt(5), LATER)).toBe(location);
});
