import { type Policy, quorumReached } from '../../../functions/c2sp/policy.ts';
import type { OpenedCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';

/**
 * Returns the latest time, in milliseconds since 1970, from which on the quorum of witnesses has cosigned a checkpoint:
 * one witness alone, whose clock may be wrong, makes no checkpoint newer. Undefined if the quorum is missed, or if the
 * policy requires none.
 */
export function quorumTime({ cosigned }: OpenedCheckpoint, policy: Policy): number | undefined {
  if (policy.quorum === 'none') return undefined;
  const since = (time: number) => new Set([...cosigned.keys()].filter((name) => (cosigned.get(name) ?? 0) >= time));
  const times = [...cosigned.values()].sort((one, other) => other - one);
  const reached = times.find((time) => quorumReached(policy, since(time)));
  return reached && reached * 1000;
}
