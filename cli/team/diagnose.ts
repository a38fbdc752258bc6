import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { credentialVariables } from '../data/credentialsFile.ts';
import { formatDuration } from '../terminal/format.ts';
import type { Access } from './access.ts';
import type { Reply } from './attempt.ts';
import { type SignedRequest, signRequest } from './signedRequest.ts';

/** One thing that an upload needs, and how it stands. */
export interface Finding {
  readonly check: string;
  readonly verdict: 'ok' | 'wrong' | 'not known';
  readonly says: string;
}

/** Sends a request once. */
type Send = (request: SignedRequest) => Promise<Reply>;

/**
 * What is signed to find out: a request whose signature is checked like any other, and whose body can never be stored. It
 * is rejected for its empty fields, and not before all else has been found right; that comes before any weight is counted.
 */
const PROBE = Buffer.from('{}');
const PROBE_REFUSED = '40019';

/** What each error says of the caller, by code: what it is about, and what to do. The checks are made in this order. */
const CAUSES: Readonly<Record<string, readonly [check: string, advice: string]>> = {
  40006: ['key', 'The access key does not exist, was revoked or has expired. Ask the organisers.'],
  40009: ['signature', 'The secret does not belong to this access key.'],
  40012: ['passphrase', 'The passphrase does not belong to this access key: each key has its own.'],
  40022: ['allowlist', 'Key and signature are right, the team is not approved (any more). Ask the organisers.'],
};
const IDENTITY = ['key', 'signature', 'passphrase', 'allowlist'];

/** What was signed, for comparison with another client; of the secret its length only. */
const signedText = ({ timestamp }: SignedRequest, { secret }: Access) =>
  `Signed was ${timestamp}POST${UPLOAD_PATH}${PROBE}, with a secret of ${secret.length} characters`;

/** Credentials that were copied with a blank or a quotation mark around them. */
const spoiled = (access: Access): string[] =>
  Object.entries(credentialVariables)
    .filter(([name]) => /^\s|\s$|^["'].*["']$/s.test(access[name as keyof Access]))
    .map(([, variable]) => `${variable} has a blank or a quotation mark at an end`);

/** How far the server's clock is ahead of this one at least, in milliseconds: its time lies between sending and receiving. */
const skewOf = (serverTime: number, sent: number, received: number): number =>
  serverTime < sent ? serverTime - sent : Math.max(0, serverTime - received);

/** How far this clock is from the server's, in words. */
function clockFinding(skew: number, rejected: boolean): Finding {
  const apart = Math.abs(skew);
  const says =
    apart < 1000
      ? 'within a second of the server'
      : `${formatDuration(apart)} ${skew > 0 ? 'behind' : 'ahead of'} the server; more than ${formatDuration(CLOCK_TOLERANCE_MS)} is rejected`;
  return { check: 'clock', verdict: rejected ? 'wrong' : 'ok', says: rejected ? `${says}. Set the clock.` : says };
}

/** What the answer to the probe says of key, signature, passphrase and allowlist. */
function identityFindings(access: Access, request: SignedRequest, { code = '', says }: Reply): Finding[] {
  if (code === PROBE_REFUSED) return IDENTITY.map((check) => ({ check, verdict: 'ok', says: 'accepted' }));
  const [culprit, advice] = CAUSES[code] ?? [];
  if (culprit === undefined) return [{ check: 'service', verdict: 'wrong', says }];
  const at = IDENTITY.indexOf(culprit);
  return IDENTITY.map((check, index) => {
    if (index < at) return { check, verdict: 'ok', says: 'accepted' };
    if (index > at) return { check, verdict: 'not known', says: `the ${culprit} comes first` };
    const more = [advice, ...spoiled(access), ...(check === 'signature' ? [signedText(request, access)] : [])];
    return { check, verdict: 'wrong', says: [says, ...more.map((text) => String(text).replace(/\.$/, ''))].join('. ') };
  });
}

/**
 * Finds out what keeps uploads from being stored, without storing anything: see PROBE.
 * @param send sends a request once, and says what came of it
 */
export async function diagnose(access: Access, send: Send): Promise<Finding[]> {
  const before = Date.now();
  let request = signRequest(access, PROBE, before);
  let reply = await send(request);
  if (reply.requestTime === undefined) {
    const verdict = 'wrong';
    return [{ check: reply.status === undefined ? 'connection' : 'service', verdict, says: reply.says }];
  }
  const findings: Finding[] = [{ check: 'connection', verdict: 'ok', says: `${new URL(request.url).host} answers` }];
  const skew = skewOf(reply.requestTime, before, Date.now());
  const expired = reply.code === '40008';
  if (expired) {
    // Signed by the server's clock, so that what comes after the clock is found out too.
    request = signRequest(access, PROBE, Date.now() + skew);
    reply = await send(request);
  }
  findings.push(clockFinding(skew, expired), ...identityFindings(access, request, reply));
  const says = 'only an upload that passes all checks is weighed; ailog upload says what is left';
  return [...findings, { check: 'quota', verdict: 'not known', says }];
}
