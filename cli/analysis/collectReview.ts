import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';
import { rowsOf } from '../entries/columns.ts';
import { readEntries } from '../entries/readEntries.ts';
import { allowlistEditor } from '../tables/allowlistEditor.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { FACTS_BYTES } from './logFacts.ts';
import type { Order } from './order.ts';
import type { ReviewOptions, ReviewPart } from './reviewPart.ts';
import { createReview, type Review, type ReviewLimits } from './reviewTeams.ts';

/**
 * Reads all entries once, and reviews every team that is on the allowlist, has entries or has orders.
 * @param uids only these teams; undefined: all. Entries of the others are read too: a copy has its original there
 * @param orders the order list; undefined if there is none
 * @param visit is called with every part of the entries, of all teams
 * @param withRowKeys true if `visit` reads the row keys
 * @throws Failure if a UID of `uids` is unknown
 */
export async function collectReview(
  terminal: Terminal,
  target: Target,
  {
    uids,
    orders,
    limits,
    visit,
    withRowKeys = false,
  }: {
    uids?: readonly string[];
    orders?: readonly Order[];
    limits: ReviewLimits;
    visit?: (part: ReviewPart) => void | Promise<void>;
    withRowKeys?: boolean;
  },
): Promise<{ review: Review; allowlist: ReadonlyMap<string, AllowlistEntry> }> {
  const collected = createReview(limits);
  const work = { task: import.meta.resolve('./reviewPart.ts'), options: { ...limits, withRowKeys } };
  let damaged = 0;
  for await (const { part } of readEntries<ReviewOptions, ReviewPart>(terminal, target, {}, work)) {
    damaged += part.damaged.length;
    await visit?.(part);
    let facts = 0;
    for (const log of rowsOf(part.logs)) {
      const start = facts;
      facts += FACTS_BYTES;
      collected.add(log, () => part.facts.subarray(start, start + FACTS_BYTES));
    }
  }
  if (damaged > 0) terminal.note(`Damaged entries, which are not reviewed: ${damaged}. ailog logs verify names them.`);
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
