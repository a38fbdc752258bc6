import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { credentialVariables } from '../shell/files/credentialsFile.ts';
import { PROGRAM } from '../shell/terminal/programName.ts';
import { formatDuration } from '../shell/text/time.ts';
import type { Access } from './access.ts';
import { type Reply, type SignedRequest, signRequest } from './attempt.ts';

export type Finding = {
  readonly check: string;
  /** `warning`: uploads are accepted, but something is probably not as it was meant. */
  readonly status: 'ok' | 'warning' | 'wrong' | 'not known';
  readonly says: string;
};

const { secret: SECRET, passphrase: PASSPHRASE } = credentialVariables;

/** A body that is rejected for its missing fields, after all checks of the caller and before weight is consumed. */
const PROBE = Buffer.from('{}');
const PROBE_REJECTED = '40019';

/** Signs the probe with the access of the team, or with a change of it, and sends it. */
type SendProbe = (change?: { url?: string; secret?: string | Uint8Array }) => Promise<Reply & { timestamp: string }>;

/** The service tells nobody whether credentials were once right. */
const REPLACED =
  'or newer credentials replaced it, which the service does not say. Use the last ones that you were given';

/** The check that each error code belongs to, and advice. The service makes the checks in this order. */
const CAUSES: Readonly<Record<string, readonly [check: string, advice: string]>> = {
  40006: [
    'key',
    'Compare it with the key that you were given, and the URL with that of the service. Ask the organisers.',
  ],
  40009: ['signature', `The secret does not belong to this access key, ${REPLACED}`],
  40012: ['passphrase', `The passphrase does not belong to this access key, ${REPLACED}`],
  40022: ['allowlist', 'Key and signature are correct, but the team is not approved. Ask the organisers.'],
};
const IDENTITY = ['key', 'signature', 'passphrase', 'allowlist'];

const findMiscopied = (access: Access): string[] =>
  Object.entries(credentialVariables)
    .filter(([name]) => /^\s|\s$|^["'].*["']$/s.test(access[name as keyof typeof credentialVariables]))
    .map(([, variable]) => `${variable} starts or ends with a space or a quotation mark`);

/** Returns values that may be the right secret if the given one is not, with what to do then. */
function otherSecrets({ secret, passphrase }: Access): [says: string, secret: string | Uint8Array][] {
  const bare = secret.replace(/^[\s"']+|[\s"']+$/g, '');
  const decoded = (encoding: 'hex' | 'base64'): [string, Buffer] => [
    `The secret is right when it is decoded from ${encoding}: set ${SECRET} to the decoded text`,
    Buffer.from(bare, encoding),
  ];
  const candidates: [string, string | Uint8Array][] = [
    [`The secret is right without the spaces and quotation marks around it: remove them from ${SECRET}`, bare],
    [`The value of ${PASSPHRASE} is right as the secret: the two are swapped`, passphrase],
    decoded('hex'),
    decoded('base64'),
  ];
  return candidates.filter(([, candidate]) => candidate.length > 0 && candidate !== secret);
}

async function findRightSecret(access: Access, sendProbe: SendProbe): Promise<string | undefined> {
  for (const [says, secret] of otherSecrets(access)) {
    const { code } = await sendProbe({ secret });
    if (code === PROBE_REJECTED || code === '40012' || code === '40022') return says;
  }
  return undefined;
}

/** Sends the probe as a client does that joins a base URL with a slash at its end and the path. */
async function describeBaseUrl(access: Access, sendProbe: SendProbe): Promise<Finding> {
  const { code, says } = await sendProbe({ url: `${access.url}/` });
  const wrong = code === '404' || code === undefined;
  const answer = wrong ? `the service rejects that: ${says}` : 'this service ignores the second slash';
  return {
    check: 'base URL',
    status: wrong ? 'wrong' : 'warning',
    says: `ends in a slash: a client that joins the two sends /${UPLOAD_PATH}; ${answer}. Give it without the slash`,
  };
}

function describeClock(skew: number, rejected: boolean): Finding {
  const apart = Math.abs(skew);
  const says =
    apart < 1000
      ? 'within a second of the server'
      : `${formatDuration(apart)} ${skew > 0 ? 'behind' : 'ahead of'} the server; more than ${formatDuration(CLOCK_TOLERANCE_MS)} is rejected`;
  return { check: 'clock', status: rejected ? 'wrong' : 'ok', says: rejected ? `${says}. Set the clock.` : says };
}

function describeCaller(access: Access, reply: Reply & { timestamp: string }, rightSecret?: string): Finding[] {
  const { code = '', says, timestamp } = reply;
  if (code === PROBE_REJECTED) return IDENTITY.map((check) => ({ check, status: 'ok', says: 'accepted' }));
  const cause = CAUSES[code];
  if (cause === undefined) return [{ check: 'service', status: 'wrong', says }];
  const [culprit, advice] = cause;
  const at = IDENTITY.indexOf(culprit);
  return IDENTITY.map((check, index) => {
    if (index < at) return { check, status: 'ok', says: 'accepted' };
    if (index > at) return { check, status: 'not known', says: `${culprit} is checked first` };
    // For comparison with another client.
    const signed = `Signed text: ${timestamp}POST${UPLOAD_PATH}${PROBE}, with a secret of ${access.secret.length} characters`;
    const more = rightSecret
      ? [rightSecret]
      : [advice, ...findMiscopied(access), ...(check === 'signature' ? [signed] : [])];
    // The service's list of causes ends with the advice to run this command.
    const answer = says.replace(/\. Usual causes: .*$/s, '');
    return { check, status: 'wrong', says: [answer, ...more.map((text) => text.replace(/\.$/, ''))].join('. ') };
  });
}

/** Finds the reasons why the service rejects uploads, without storing anything: see PROBE. */
export async function diagnose(access: Access, send: (request: SignedRequest) => Promise<Reply>): Promise<Finding[]> {
  let correction = 0;
  const sendProbe: SendProbe = async (change) => {
    const request = signRequest({ ...access, ...change }, PROBE, Date.now() + correction);
    return { ...(await send(request)), timestamp: request.timestamp };
  };
  const sent = Date.now();
  let reply = await sendProbe();
  if (reply.requestTime === undefined) {
    return [{ check: reply.status === undefined ? 'connection' : 'service', status: 'wrong', says: reply.says }];
  }
  const findings: Finding[] = [{ check: 'connection', status: 'ok', says: `${new URL(access.url).host} answers` }];
  // The least time that the server's clock is ahead: its time lies between sending and receiving.
  const ahead = reply.requestTime - sent;
  const skew = ahead < 0 ? ahead : Math.max(0, reply.requestTime - Date.now());
  const isExpired = reply.code === '40008';
  if (isExpired) {
    // Signed with the server's time, so that the checks after the clock are made too.
    correction = skew;
    reply = await sendProbe();
  }
  if (access.endsInSlash) findings.push(await describeBaseUrl(access, sendProbe));
  const rightSecret = reply.code === '40009' ? await findRightSecret(access, sendProbe) : undefined;
  findings.push(describeClock(skew, isExpired), ...describeCaller(access, reply, rightSecret));
  const says = `only a complete upload consumes weight; ${PROGRAM} upload prints the remaining quota`;
  return [...findings, { check: 'quota', status: 'not known', says }];
}
