import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import type { AiLog } from '../../functions/ailog/schema.ts';
import { validateAiLog } from '../../functions/ailog/validateAiLog.ts';
import type { ApiKey, ApiKeys } from '../../functions/auth/apiKeys.ts';
import type { CredentialStore } from '../../functions/auth/credentialStore.ts';
import { sameText, sign } from '../../functions/auth/signature.ts';
import { isDependencyFailure } from '../../functions/dependencyFailure.ts';
import { bodyOf } from './bodyOf.ts';
import { readTimeout } from './readTimeout.ts';

/** The result of one check: `ok`, `not checked: <reason>` or `wrong: <problem>`. */
export type Finding = 'ok' | `not checked: ${string}` | `wrong: ${string}`;

/** The results of all checks of an entry. */
export interface Verdict {
  /** Checks that the stored body has the recorded digest and length, and that the entry id is right. */
  readonly digest: Finding;
  /** Checks that the searchable copies (order id, stage, model and explanation) match the body. */
  readonly fields: Finding;
  /** Checks that the access key signed this body at this time. */
  readonly signature: Finding;
}

/** Returns true if no check found a problem. A check that could not be made is not a problem. */
export const holds = (verdict: Verdict): boolean =>
  Object.values(verdict).every((finding: Finding) => !finding.startsWith('wrong'));

const DIGEST_FIELDS = ['bodySha256', 'bodyBytes', 'entryId'] as const;
const COPIED_FIELDS = ['orderId', 'stage', 'model', 'explanation'] as const;

/** Compares fields of two entries and names those that differ. */
function compare(entry: Entry, expected: Entry, fields: readonly (keyof Entry)[]): Finding {
  const wrong = fields.filter((field) => entry[field] !== expected[field]);
  return wrong.length === 0 ? 'ok' : `wrong: ${wrong.join(', ')}`;
}

/** Returns the log in a body, or undefined if the function would reject it. */
function logOf(body: Buffer): AiLog | undefined {
  try {
    const text = body.toString();
    return validateAiLog(JSON.parse(text), text);
  } catch {
    return undefined;
  }
}

/** Compares digest and fields of an entry with the entry that the function would compose from its body. */
function checkContent(entry: Entry, bytes: Buffer): Pick<Verdict, 'digest' | 'fields'> {
  const { orderId: _orderId, ...received } = entry;
  const log = logOf(bytes);
  // Digest, length and entry id do not depend on the log's fields, so they can be checked for any body.
  const expected = composeEntry(log ?? { ...received, input: {}, output: {} }, {
    ...received,
    query: entry.query ?? '',
    rawBody: bytes,
  });
  return {
    digest: compare(entry, expected, DIGEST_FIELDS),
    fields: log ? compare(entry, expected, COPIED_FIELDS) : 'wrong: the body is not an AI log',
  };
}

/**
 * Returns a function that verifies entries against their body and the key that signed them. It reads each key and its
 * credentials only once.
 */
export const entryVerifier = ({ apiKeys, credentialStore }: { apiKeys: ApiKeys; credentialStore: CredentialStore }) => {
  const keys = new Map<string, Promise<ApiKey | undefined>>();
  const readKey = (accessKey: string) => {
    const known = keys.get(accessKey) ?? apiKeys.get(accessKey, readTimeout());
    keys.set(accessKey, known);
    return known;
  };

  /** Returns true if the sealed credentials signed the entry. */
  const signed = async (entry: Entry, body: Buffer, key: ApiKey, credentials: Uint8Array): Promise<boolean> => {
    const { secret } = await credentialStore.decrypt({ ...key, credentials }, readTimeout());
    return sameText(sign(secret, { timestamp: entry.timestamp, query: entry.query ?? '', body }), entry.signature);
  };

  const checkSignature = async (entry: Entry, body: Buffer): Promise<Finding> => {
    const key = await readKey(entry.accessKey);
    if (key === undefined) return 'not checked: the key is gone';
    if (key.uid !== entry.uid) return `wrong: the key belongs to UID ${key.uid}`;
    try {
      if (await signed(entry, body, key, key.credentials)) return 'ok';
      if (key.previous && (await signed(entry, body, key, key.previous.credentials))) return 'ok';
    } catch (error) {
      if (isDependencyFailure(error)) throw error;
      return `not checked: the key's credentials cannot be decrypted (${(error as Error).name})`;
    }
    // A key keeps its current and previous credentials. A signature by older ones can be neither proved nor disproved.
    const replaced = key.rotatedAt !== undefined && entry.receivedAt < Date.parse(key.rotatedAt);
    return replaced ? 'not checked: the key was rotated since' : 'wrong: not signed with this key';
  };

  /**
   * Verifies an entry. Defects of the entry are findings, not errors.
   * @throws the SDK's error if DynamoDB or KMS fails
   */
  return async (entry: Entry): Promise<Verdict> => {
    let body: Buffer;
    try {
      body = bodyOf(entry);
    } catch {
      const unreadable = 'not checked: the body is damaged';
      return { digest: 'wrong: the body is damaged', fields: unreadable, signature: unreadable };
    }
    return { ...checkContent(entry, body), signature: await checkSignature(entry, body) };
  };
};
