import { readReceiptKeys } from '../../../functions/receipts/signingKey.ts';
import type { ReceiptKeys } from '../../../functions/tlog/tlogTable.ts';
import { span } from '../../shell/terminal/arguments.ts';
import { defineChange } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import { requestRotation } from '../../store/tables/receiptKeyRotation.ts';
import { readTimeout } from '../../store/targets/openedTarget.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

const DEFAULT_OVERLAP_MS = 86_400_000;

async function requireKeys({ db, tables, name }: Target): Promise<ReceiptKeys> {
  const keys = await readReceiptKeys(db, tables.tlog, readTimeout());
  if (keys) return keys;
  throw new Failure('negative', `There is no receipt key in ${name} yet.`, {
    advice: 'The sequencer makes the first key on its first run. There is nothing to rotate before.',
  });
}

/** Returns the question to ask. @throws Failure if a rotation is under way that ends as early as this one would */
function askToRotate({ name }: Target, keys: ReceiptKeys, { overlap, at }: { overlap: number; at: number }): string {
  const underWay = (keys.next ?? keys.requested)?.startsAt;
  if (underWay !== undefined && underWay <= at + overlap) {
    throw new Failure('negative', `A rotation is under way already: its key signs from ${formatTime(underWay)} on.`, {
      advice: underWay > at ? 'To let it sign at once: --overlap 0' : 'The next run of the sequencer ends it.',
    });
  }
  const when = overlap === 0 ? 'at once' : `in ${formatDuration(overlap)}`;
  return underWay === undefined
    ? `Replace the receipt key of ${name}? The new key signs ${when}.`
    : `A rotation of the receipt key of ${name} is under way. Let the new key sign ${when} instead of ${formatTime(underWay)}?`;
}

const describe = (keys: ReceiptKeys, startsAt: number) => ({
  currentKey: keys.current.verifierKey,
  signsFrom: new Date(startsAt).toISOString(),
});

async function rotate(target: Target, keys: ReceiptKeys, overlap: number) {
  const at = await target.now();
  const startsAt = at + overlap;
  const by = await target.who();
  const result = await requestRotation(target.db, target.tables.tlog, { read: keys, at, by, startsAt });
  if (result.outcome === 'changed') {
    throw new Failure('negative', 'The receipt keys have changed meanwhile. Nothing was written.', {
      advice: 'Another admin may be rotating them. Run the command again to see.',
    });
  }
  if (result.outcome === 'unknown') {
    throw new Failure('unreachable', 'The request may have been stored or not.', {
      cause: result.cause,
      advice: 'Run the command again: it says if a rotation is under way.',
    });
  }
  return describe(keys, startsAt);
}

export default defineChange({
  words: 'tlog rotate-receipt-key',
  for: 'Operators and auditors',
  summary: 'Replace the key that signs receipts.',
  details: 'Receipts of the old key stay valid.',
  examples: [
    ['tlog rotate-receipt-key', 'the new key is announced in the log now, and signs in a day'],
    ['tlog rotate-receipt-key --overlap 0', 'after a leak: it signs as soon as it is in the log'],
  ],
  options: {
    overlap: {
      flags: '--overlap <span>',
      help: 'the time for which the old key still signs: 90s, 30m, 2d, or 0',
      read: span,
      default: DEFAULT_OVERLAP_MS,
    },
  },
  on: onTarget,
  async run({ overlap }, { target }) {
    const keys = await requireKeys(target);
    const at = await target.now();
    return {
      plan: describe(keys, at + overlap),
      questions: [askToRotate(target, keys, { overlap, at })],
      apply: () => rotate(target, keys, overlap),
    };
  },
  plans: (plan) => [{ facts: plan }],
  shows: (changed) => [
    { facts: changed },
    {
      note: 'The sequencer makes the key on its next run and puts it into the log. Then export the policy again, for everyone who verifies receipts.',
    },
  ],
});
