import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';
import { reviewsTable } from './reviewsTable.ts';
import { standingOf } from './standing.ts';

/**
 * Returns the reason of a disqualification on which two people agree, for the allowlist: the reason codes, the digests
 * of the statements, and the ids of the verdicts.
 * @throws Failure if no two people agree
 */
export async function agreedReason(target: Target, uid: string): Promise<string> {
  const { records } = await reviewsTable(target).read();
  const { verdicts, isAgreed } = standingOf(records.filter((record) => record.uid === uid));
  const agreed = verdicts.filter(({ verdict }) => verdict === 'disqualify').slice(0, 2);
  if (!isAgreed) {
    const message = `UID ${uid} cannot be disqualified yet: two people must agree, and ${agreed.length} did.`;
    throw new Failure('negative', message, {
      advice: `A reviewer agrees with: ailog reviews add ${uid} disqualify …`,
    });
  }
  const list = (values: readonly (string | undefined)[]) =>
    [...new Set(values)].filter((value) => value !== undefined).join(', ');
  const statements = list(agreed.map(({ evidence }) => evidence?.sha256));
  return [
    `reviewed: ${list(agreed.map(({ reason }) => reason))}`,
    ...(statements === '' ? [] : [`statement SHA-256 ${statements}`]),
    `verdicts ${list(agreed.map(({ id }) => id))}`,
  ].join('; ');
}
