import { createHash } from 'node:crypto';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { formatInstant } from '../text/time.ts';
import type { FindingsCollector, Means } from './evidence.ts';

/**
 * Checks that an entry was received while its request was valid. The first 13 digits of an entry id are the timestamp that
 * the team signed.
 */
export function checkTime({ wrong }: FindingsCollector, entryId: string, receivedAt: number): void {
  const signedAt = Number(entryId.slice(0, 13));
  if (Math.abs(receivedAt - signedAt) <= CLOCK_TOLERANCE_MS) return;
  wrong.push(
    `The entry says that it was received at ${formatInstant(receivedAt)}, but it was signed at ${formatInstant(signedAt)}: the service accepts a request only within ${CLOCK_TOLERANCE_MS / 1000} s of its timestamp`,
  );
}

/** Checks that the body is the one of the entry. */
export function checkBody(
  { proven, notProven, wrong }: FindingsCollector,
  body: Means['body'],
  { bodySha256, bodyBytes }: { readonly bodySha256: string; readonly bodyBytes?: number },
): void {
  if (!body) {
    notProven.push(`which body it has: give the file that was sent with --body. Its SHA-256 must be ${bodySha256}`);
    return;
  }
  const digest = createHash('sha256').update(body.bytes).digest('hex');
  if (digest !== bodySha256) {
    wrong.push(
      `${body.name} is not the body of the entry: its SHA-256 is ${digest}, not ${bodySha256}. A log that was uploaded with --order needs the same --order here`,
    );
  } else if (bodyBytes !== undefined && bodyBytes !== body.bytes.length) {
    wrong.push(`${body.name} has ${body.bytes.length} bytes, the entry ${bodyBytes}`);
  } else {
    proven.push(`its body is ${body.name}, byte for byte`);
  }
}
