import { bodyOf } from '../../../functions/ailog/bodyOf.ts';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { type ApiKey, apiKeysTable } from '../../../functions/auth/apiKeys.ts';
import { createCredentialStore } from '../../../functions/auth/credentialStore.ts';
import { sameText, sign } from '../../../functions/auth/signature.ts';
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import { isDependencyFailure } from '../../../functions/dependencyFailure.ts';
import { formatDuration } from '../../shell/text/time.ts';
import { readTimeout } from '../targets/openedTarget.ts';
import type { Target } from '../targets/target.ts';
import { type Finding, type Verdict, verifyContent } from './verifyContent.ts';

/** Returns all sealed credentials of a key, the current ones first, with their times (ms; NaN: not a date). */
function credentialPeriods({ createdAt, credentials: latest, earlier = [] }: ApiKey) {
  const starts = [createdAt, ...earlier.map(({ replacedAt }) => replacedAt)].map((time) => Date.parse(time));
  const periods = earlier.map(({ credentials, validUntil, replacedAt }, index) => ({
    credentials,
    from: starts[index] as number,
    until: Date.parse(validUntil ?? replacedAt),
  }));
  const current = { credentials: latest, from: starts.at(-1) as number, until: Number.POSITIVE_INFINITY };
  return [current, ...periods.reverse()];
}

type CredentialPeriod = ReturnType<typeof credentialPeriods>[number];

/** Checks that an attribute that everything depends on is a text. Only a write past the service can have removed it. */
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns the time of a key's revocation; without a history, of its last change. NaN if the key has neither. */
const revokedAt = ({ history, updatedAt = '' }: ApiKey): number =>
  Date.parse(history?.findLast(({ change }) => change === 'revoked')?.at ?? updatedAt);

function checkTime({ receivedAt, timestamp }: Entry, key: ApiKey | undefined, period?: CredentialPeriod): Finding {
  if (receivedAt === undefined) return 'wrong: receivedAt is missing';
  if (!Number.isSafeInteger(receivedAt)) return 'wrong: receivedAt is not a time';
  if (!isText(timestamp) || !/^\d{13}$/.test(timestamp)) return 'wrong: timestamp is not a time';
  const delay = receivedAt - Number(timestamp);
  if (Math.abs(delay) > CLOCK_TOLERANCE_MS) {
    return `wrong: received ${formatDuration(Math.abs(delay))} ${delay < 0 ? 'before' : 'after'} it was signed`;
  }
  if (key === undefined) return 'not checked: the key is unknown';
  const issuedAt = Date.parse(key.createdAt);
  if (Number.isNaN(issuedAt)) return 'not checked: the key does not say when it was issued';
  if (key.status === 'revoked' && Number.isNaN(revokedAt(key))) {
    return 'not checked: the key does not say when it was revoked';
  }
  if (key.expiresAt !== undefined && Number.isNaN(Date.parse(key.expiresAt))) {
    return 'not checked: the key does not say when it expires';
  }
  if (period && (Number.isNaN(period.from) || Number.isNaN(period.until))) {
    return 'not checked: the key does not say when its credentials were replaced';
  }
  // Admins' clocks wrote the times of the key, so they may differ from the service's by the tolerance.
  const isBefore = (time: number) => receivedAt < time - CLOCK_TOLERANCE_MS;
  const isAfter = (time: number) => receivedAt > time + CLOCK_TOLERANCE_MS;
  if (isBefore(issuedAt)) return 'wrong: received before the key was issued';
  if (key.status === 'revoked' && isAfter(revokedAt(key))) return 'wrong: received after the key was revoked';
  if (key.expiresAt !== undefined && isAfter(Date.parse(key.expiresAt))) return 'wrong: received after the key expired';
  if (period && isBefore(period.from)) return 'wrong: received before the credentials that signed it existed';
  if (period && isAfter(period.until)) return 'wrong: received after the credentials that signed it were replaced';
  return 'ok';
}

/** Creates a verifier of entries against body and key. It reads each key and its credentials only once. */
export const entryVerifier = ({ db, tables, decrypt }: Pick<Target, 'db' | 'tables' | 'decrypt'>) => {
  const apiKeys = apiKeysTable(db, tables.apiKeys);
  const credentialStore = createCredentialStore(decrypt);
  const keys = new Map<string, Promise<ApiKey | undefined>>();
  const readKey = (accessKey: string) => {
    const known = keys.get(accessKey) ?? apiKeys.get(accessKey, readTimeout());
    keys.set(accessKey, known);
    return known;
  };

  type Signature = { readonly finding: Finding; readonly period?: CredentialPeriod };
  /** Tries all credentials that the key ever had. @returns the credentials that made the signature, if it is right */
  const checkSignature = async (entry: Entry, body: Buffer, key: ApiKey | undefined): Promise<Signature> => {
    const { accessKey, signature, timestamp, query } = entry;
    for (const [name, value] of Object.entries({ accessKey, signature, timestamp })) {
      if (!isText(value)) return { finding: `wrong: ${name} is ${value === undefined ? 'missing' : 'not text'}` };
    }
    if (query) return { finding: 'wrong: it has a query, which no signature covers' };
    if (key === undefined) return { finding: 'wrong: there is no such access key' };
    if (key.uid !== entry.uid) return { finding: `wrong: the key belongs to UID ${key.uid}` };
    let unreadable: string | undefined;
    for (const period of credentialPeriods(key)) {
      try {
        const { secret } = await credentialStore.decrypt({ ...key, credentials: period.credentials }, readTimeout());
        if (sameText(sign(secret, { timestamp, body }), signature)) return { finding: 'ok', period };
      } catch (error) {
        if (isDependencyFailure(error)) throw error;
        unreadable = (error as Error).name;
      }
    }
    if (unreadable === undefined) return { finding: 'wrong: not signed with this key' };
    return { finding: `not checked: the key's credentials cannot be decrypted (${unreadable})` };
  };

  /** Verifies an entry. Defects of the entry are findings. @throws the SDK's error if DynamoDB or KMS fails */
  return async (entry: Entry): Promise<Verdict> => {
    const key = isText(entry.accessKey) ? await readKey(entry.accessKey) : undefined;
    let body: Buffer;
    try {
      body = bodyOf(entry);
    } catch {
      const unreadable = 'not checked: the body is damaged';
      const digest = 'wrong: the body is damaged';
      return { digest, fields: unreadable, signature: unreadable, time: checkTime(entry, key) };
    }
    const { finding, period } = await checkSignature(entry, body, key);
    return { ...verifyContent(entry, body), signature: finding, time: checkTime(entry, key, period) };
  };
};
