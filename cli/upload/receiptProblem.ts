import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { judgeEntry } from '../proof/evidence/judge.ts';

/** A sender need not have a policy: signatures are not checked here. `ailog verify` checks them. */
const UNCHECKED = { policy: parsePolicy('quorum none'), receiptKeys: 'unchecked', checkpoint: undefined } as const;

/** Returns why a receipt is not about this request, without a full stop; undefined if it is. */
export function findReceiptProblem(
  receipt: string,
  { entryId, body, uid }: { entryId: string; body: Uint8Array; uid: string | undefined },
): string | undefined {
  const { wrong, facts } = judgeEntry({ receipt, entryId }, { ...UNCHECKED, bodyOf: () => body });
  if (wrong.length > 0) return wrong[0];
  if (facts.uid === undefined) return 'No key for receipts of its log signed it';
  return uid === undefined || facts.uid === uid ? undefined : `It is about UID ${facts.uid}, not ${uid}`;
}
