import { readReceiptKeys } from '../../../functions/receipts/signingKey.ts';
import type { ReceiptKeys } from '../../../functions/tlog/tlogTable.ts';
import { span } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import { requestRotation } from '../../store/tables/receiptKeyRotation.ts';
import { readTimeout } from '../../store/targets/openedTarget.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

const DEFAULT_OVERLAP_MS = 86_400_000;

async function requireKeys({ db, tables, name }: Target): Promise<ReceiptKeys> {
  const keys = await readReceiptKeys(db, tables.tlog, readTimeout());
  if (keys) return keys;
  throw new Failure('negative', `There is no receipt key in ${name} yet.`, {
    advice: 'The sequencer makes the first key on its first run. There is nothing to rotate before.',
  });
}

/** Asks. @throws Failure if a rotation is under way that ends as early as this one would */
async function confirmRotation(
  terminal: Terminal,
  { name }: Target,
  { keys, overlap, at, yes }: { keys: ReceiptKeys; overlap: number; at: number; yes: true | undefined },
): Promise<void> {
  const underWay = (keys.next ?? keys.requested)?.startsAt;
  if (underWay !== undefined && underWay <= at + overlap) {
    throw new Failure('negative', `A rotation is under way already: its key signs from ${formatTime(underWay)} on.`, {
      advice: underWay > at ? 'To let it sign at once: --overlap 0' : 'The next run of the sequencer ends it.',
    });
  }
  const when = overlap === 0 ? 'at once' : `in ${formatDuration(overlap)}`;
  const question =
    underWay === undefined
      ? `Replace the receipt key of ${name}? The new key signs ${when}.`
      : `A rotation of the receipt key of ${name} is under way. Let the new key sign ${when} instead of ${formatTime(underWay)}?`;
  await terminal.confirm(question, yes);
}

/** @param options `overlap`: the time for which the old key still signs, in milliseconds */
async function rotate(
  terminal: Terminal,
  target: Target,
  { overlap, yes, json }: { overlap: number; yes: true | undefined; json: boolean | undefined },
): Promise<void> {
  const keys = await requireKeys(target);
  await confirmRotation(terminal, target, { keys, overlap, at: await target.now(), yes });
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
  const changed = { currentKey: keys.current.verifierKey, signsFrom: new Date(startsAt).toISOString() };
  if (json) return terminal.json(changed);
  await terminal.facts(changed);
  terminal.note(
    'The sequencer makes the key on its next run and puts it into the log. Then export the policy again, for everyone who verifies receipts.',
  );
}

export default (terminal: Terminal) =>
  targetCommand('rotate-receipt-key', {
    summary: 'Replace the key that signs receipts. Receipts of the old key stay valid.',
    examples: [
      ['tlog rotate-receipt-key', 'the new key is announced in the log now, and signs in a day'],
      ['tlog rotate-receipt-key --overlap 0', 'after a leak: it signs as soon as it is in the log'],
    ],
  })
    .option(
      '--overlap <span>',
      'the time for which the old key still signs: 90s, 30m, 2d, or 0',
      span,
      DEFAULT_OVERLAP_MS,
    )
    .option('-y, --yes', 'do not ask')
    .action(({ overlap, yes, json, ...where }) =>
      withTarget(terminal, where, (target) => rotate(terminal, target, { overlap, yes, json })),
    );
