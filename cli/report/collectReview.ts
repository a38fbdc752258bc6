import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';
import { allowlistEditor } from '../data/allowlistEditor.ts';
import { entriesReader } from '../data/entriesReader.ts';
import { readBodyText } from '../logs/readBodyText.ts';
import { readPages } from '../logs/readPages.ts';
import { readContent } from '../review/logContent.ts';
import type { Order } from '../review/order.ts';
import { createReview, type Review, type ReviewLimits } from '../review/reviewTeams.ts';
import { signedLogOf } from '../review/signedLog.ts';
import type { Target } from '../target.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Reads all entries once, and reviews every team that is on the allowlist, has entries or has orders.
 * @param uids only these teams; undefined: all. Entries of the others are read too: a copy has its original there
 * @param orders the order list; undefined if there is none
 * @throws Failure if a UID of `uids` is unknown
 */
export async function collectReview(
  terminal: Terminal,
  target: Target,
  { uids, orders, limits }: { uids?: readonly string[]; orders?: readonly Order[]; limits: ReviewLimits },
): Promise<{ review: Review; allowlist: ReadonlyMap<string, AllowlistEntry> }> {
  const collected = createReview(limits);
  const reader = entriesReader(target.db, target.tables.aiLogs);
  for await (const { entries } of readPages(terminal, reader, {})) {
    for (const entry of entries) {
      const { model, stage, bodySha256 } = entry;
      collected.add({ ...signedLogOf(entry), model, stage, bodySha256 }, () => readContent(readBodyText(entry)));
    }
  }
  const listed = await Array.fromAsync(allowlistEditor(target.db, target.tables.allowlist).all());
  const known = new Set([...collected.uids(), ...(orders ?? []).map(({ uid }) => uid)]);
  const strangers = uids?.filter((uid) => !known.has(uid) && !listed.some((entry) => entry.uid === uid)) ?? [];
  if (strangers.length > 0) {
    throw new Failure('negative', `Unknown: UID ${strangers.join(', ')}.`, {
      advice: 'It is not on the allowlist, and it has no entries and no orders. ailog allowlist list shows the teams.',
    });
  }
  const current = listed.filter(({ status }) => status !== 'removed').map(({ uid }) => uid);
  return {
    review: collected.review(uids ?? [...new Set([...current, ...known])], orders),
    allowlist: new Map(listed.map((entry) => [entry.uid, entry])),
  };
}
