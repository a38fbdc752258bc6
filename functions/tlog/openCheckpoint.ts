import { type Checkpoint, parseCheckpoint } from '../c2sp/checkpoint.ts';
import { readCosignature } from '../c2sp/cosignature.ts';
import { parseNote, verifyNote } from '../c2sp/note.ts';
import { type Policy, quorumReached } from '../c2sp/policy.ts';

/** A checkpoint that a trusted log signed. */
export interface OpenedCheckpoint extends Checkpoint {
  /** When witnesses cosigned it, in seconds since 1970, by their names in the policy. */
  readonly cosigned: ReadonlyMap<string, number>;
  /** True if the policy's quorum of witnesses cosigned it. */
  readonly quorum: boolean;
}

/**
 * Opens a signed checkpoint. @throws Error if it is none, if no log of the policy with the name of its origin signed
 * it, or if the signature of a known key is wrong. A missed quorum is no error: check `quorum`.
 */
export function openCheckpoint(signed: string, policy: Policy): OpenedCheckpoint {
  const note = parseNote(signed);
  const checkpoint = parseCheckpoint(note.text);
  const keys = policy.logs.map(({ key }) => key);
  if (!verifyNote(note, keys).some(({ name }) => name === checkpoint.origin)) {
    throw new Error(`No trusted key of the log ${checkpoint.origin} signed the checkpoint.`);
  }
  const cosigned = new Map<string, number>();
  for (const [witness, { key }] of policy.witnesses) {
    if (verifyNote(note, [key]).length === 0) continue;
    const line = note.signatures.find(({ name, id }) => name === key.name && id === key.id);
    const timestamp = line && readCosignature(line.signature)?.timestamp;
    if (timestamp !== undefined) cosigned.set(witness, timestamp);
  }
  return { ...checkpoint, cosigned, quorum: quorumReached(policy, new Set(cosigned.keys())) };
}
