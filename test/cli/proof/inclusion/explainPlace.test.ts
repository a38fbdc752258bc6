import { expect, test } from 'vitest';
import { requireLogged } from '../../../../cli/proof/inclusion/explainPlace.ts';
import type { Place } from '../../../../cli/proof/inclusion/place.ts';
import type { Failure } from '../../../../cli/shell/terminal/failure.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { MINUTE_MS } from '../../../setup/time.ts';

const RECEIVED = Date.parse('2026-01-01T12:00:00Z');

/** An entry without arrival attributes, and one with those of another entry hash. */
const bare = { uid: '7\u202e', entryId: 'e\u202e', receivedAt: RECEIVED } as Entry;
const entry = { ...bare, arrival: Buffer.alloc(38, 1) };
const stored = Buffer.alloc(32, 1);

/** A log that has come to a time, in minutes after the entry. */
const logAt = (cursor: number, { published = true } = {}) => {
  const head = { size: 5, cursor: RECEIVED + cursor * MINUTE_MS };
  return { head, checkpoint: { size: published ? 5 : 4 }, usualDelay: 100_000 } as unknown as Parameters<
    typeof requireLogged
  >[2];
};

const pending: Place = { status: 'pending' };
const missing: Place = { status: 'missing', why: 'waiting' };
const unindexed: Place = { status: 'missing', why: 'unindexed' };
const LATER = RECEIVED + 10 * MINUTE_MS;

// biome-ignore format: one case a line
test.each<[string, Place, Entry, ReturnType<typeof logAt>, number, string]>([
  ['received just now', pending, entry, logAt(-1), RECEIVED + 1, 'unchecked: The entry e\\u202e is not in the transparency log yet. Try again in about 100 s.'],
  ['received as long ago as it usually takes', pending, entry, logAt(-1), RECEIVED + 100_000, 'unchecked: The entry e\\u202e is not in the transparency log yet. The sequencer is behind: it has come to 2026-01-01T11:59:00Z, 2 min 40 s ago. ailog tlog status says more.'],
  ['late in the index', pending, entry, logAt(5), LATER, 'unchecked: The entry e\\u202e is not in the transparency log yet. The index shows it late. The sequencer looks for it for ten minutes.'],
  ['in a head that is not published', pending, entry, logAt(5, { published: false }), LATER, 'unchecked: The entry e\\u202e is not in the transparency log yet. The sequencer is behind: it has come to 2026-01-01T12:05:00Z, 5 min ago. ailog tlog status says more.'],
  ['missing', missing, entry, logAt(90), LATER, 'negative: The entry e\\u202e of UID 7\\u202e is missing in the transparency log: it was received at 2026-01-01T12:00:00Z, and the log has come to 2026-01-01T13:30:00Z. Somebody wrote the row past the service, the clock of the service was set back, or the index hid it. The sequencer looks for it again two days after that time.'],
  ['ahead of its time', { status: 'missing', why: 'ahead' }, entry, logAt(-90), RECEIVED - 90 * MINUTE_MS, 'negative: The entry e\\u202e of UID 7\\u202e is missing in the transparency log: it was received at 2026-01-01T12:00:00Z, and that is in the future. Somebody wrote the row past the service, the clock of the service was set back, or the index hid it. The sequencer looks for it again two days after that time.'],
  ['not in the index', unindexed, bare, logAt(-1), LATER, 'negative: The entry e\\u202e of UID 7\\u202e is missing in the transparency log, and will not get into it. It has not the arrival keys that the service stores with it: somebody wrote the row past the service.'],
  ['changed before it was logged', { status: 'differs', stored, index: undefined }, entry, logAt(5), LATER, `negative: The row of entry e\\u202e of UID 7\\u202e was changed after it was stored, or copied from another row. The hash of the stored entry is ${'01'.repeat(32)}, which is not in the log. ailog logs verify shows which of its attributes contradict each other, and ailog tlog audit --known FILE what an earlier export has.`],
  ['changed after it was logged', { status: 'differs', stored, index: 3 }, entry, logAt(5), LATER, `negative: The row of entry e\\u202e of UID 7\\u202e was changed after it was logged, or copied from another row. The log has the entry hash ${'01'.repeat(32)} of the stored entry, at index 3. ailog logs verify shows which of its attributes contradict each other, and ailog tlog audit --known FILE what an earlier export has.`],
])('an entry that is %s: the reason why there is no proof', (_name, place, row, log, now, expected) => {
  let failure: Failure | undefined;
  try {
    requireLogged(place, row, { ...log, now });
  } catch (error) {
    failure = error as Failure;
  }
  expect(`${failure?.outcome}: ${failure?.message} ${failure?.advice}`).toBe(expected);
});

test('an entry in the log has its place', () => {
  const place: Place = { status: 'logged', entryHash: Buffer.alloc(32), index: 3 };
  expect(requireLogged(place, entry, logAt(5))).toBe(place);
});
