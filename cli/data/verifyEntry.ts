import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import type { AiLog } from '../../functions/ailog/schema.ts';
import { validateAiLog } from '../../functions/ailog/validateAiLog.ts';
import type { ApiKey, ApiKeys } from '../../functions/auth/apiKeys.ts';
import type { CredentialStore } from '../../functions/auth/credentialStore.ts';
import { sameText, sign } from '../../functions/auth/signature.ts';
import { isDependencyFailure } from '../../functions/dependencyFailure.ts';
import { bodyOf } from './bodyOf.ts';
import { readTimeout } from './readTimeout.ts';

/** What was found out about one check: `ok`, `not checked: …`, or what is wrong. */
export type Finding = 'ok' | `not checked: ${string}` | `wrong: ${string}`;

/** What an entry's check says. */
export interface Verdict {
  /** The body that is stored is the one whose digest and length were recorded, and the entry has the name it must have. */
  readonly digest: Finding;
  /** Order id, stage, model and explanation, by which entries are found, are those of the body. */
  readonly fields: Finding;
  /** The key's holder signed this body at this time. */
  readonly signature: Finding;
}

/** Whether nothing is wrong: what could not be checked is not wrong. */
export const holds = (verdict: Verdict): boolean =>
  Object.values(verdict).every((finding: Finding) => !finding.startsWith('wrong'));

const DIGEST_FIELDS = ['bodySha256', 'bodyBytes', 'entryId'] as const;
const COPIED_FIELDS = ['orderId', 'stage', 'model', 'explanation'] as const;

/** Which of the fields differ. */
function compare(entry: Entry, expected: Entry, fields: readonly (keyof Entry)[]): Finding {
  const wrong = fields.filter((field) => entry[field] !== expected[field]);
  return wrong.length === 0 ? 'ok' : `wrong: ${wrong.join(', ')}`;
}

/** The log in a body; undefined where the function would reject it. */
function logOf(body: Buffer): AiLog | undefined {
  try {
    const text = body.toString();
    return validateAiLog(JSON.parse(text), text);
  } catch {
    return undefined;
  }
}

/** Digest and fields of an entry, held against the entry that the function would make of its body. */
function checkContent(entry: Entry, bytes: Buffer): Pick<Verdict, 'digest' | 'fields'> {
  const { orderId: _orderId, ...received } = entry;
  const log = logOf(bytes);
  // Digest, length and name do not depend on the log's fields, and can be told of any body.
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
 * Verifies entries against their own body and against the key that signed them. Keys and their credentials are read once
 * and kept: an entry's check costs no call then.
 */
export const entryVerifier = ({ apiKeys, credentialStore }: { apiKeys: ApiKeys; credentialStore: CredentialStore }) => {
  const keys = new Map<string, Promise<ApiKey | undefined>>();
  const readKey = (accessKey: string) => {
    const known = keys.get(accessKey) ?? apiKeys.get(accessKey, readTimeout());
    keys.set(accessKey, known);
    return known;
  };

  /** Whether sealed credentials signed the entry. */
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
      return `not checked: the key's credentials do not open (${(error as Error).name})`;
    }
    // Two sets of credentials are kept; what was signed before them cannot be proved any more, nor disproved.
    const replaced = key.rotatedAt !== undefined && entry.receivedAt < Date.parse(key.rotatedAt);
    return replaced ? 'not checked: the key was rotated since' : 'wrong: not signed with this key';
  };

  /**
   * Verifies one entry.
   * @throws what a dependency throws that does not answer; of the entry itself, nothing
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
