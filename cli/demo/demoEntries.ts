import { createHash } from 'node:crypto';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import { sign } from '../../functions/auth/signature.ts';
import { readAiLog } from '../delivery/readAiLog.ts';
import type { DemoLog } from './competition.ts';

/** The access key and the credentials of a demo team. */
interface DemoAccess extends Credentials {
  readonly accessKey: string;
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Returns the access of a demo team. It follows from the seed, so that entry ids are the same in every run. That makes it
 * public, which is why the demo only runs on local data.
 */
export const demoAccess = (seed: string, uid: string): DemoAccess => ({
  accessKey: `ailog_${digest(`demo key ${seed} ${uid}`).slice(0, 32)}`,
  secret: digest(`demo secret ${seed} ${uid}`),
  passphrase: digest(`demo passphrase ${seed} ${uid}`).slice(0, 32),
});

/** Composes the entry that the service would store for a log: validated, and signed with the team's secret. */
export function demoEntry(uid: string, { accessKey, secret }: DemoAccess, { signedAt, body }: DemoLog): Entry {
  const rawBody = Buffer.from(body);
  const timestamp = String(signedAt);
  return composeEntry(readAiLog(rawBody), {
    uid,
    accessKey,
    timestamp,
    signature: sign(secret, { timestamp, query: '', body: rawBody }),
    // 40 to 290 ms later, the same in every run.
    receivedAt: signedAt + 40 + (signedAt % 251),
    locale: 'en-US',
    sourceIp: '127.0.0.1',
    query: '',
    rawBody,
  });
}
