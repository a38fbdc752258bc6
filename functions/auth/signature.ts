import { createHmac, timingSafeEqual } from 'node:crypto';

/** The path that is signed. A prefix that the base URL adds (a gateway stage, a proxy path) is not part of it. */
export const UPLOAD_PATH = '/capi/v2/order/uploadAiLog';

export interface SignedParts {
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** Returns the base64 of HMAC-SHA256 over timestamp, `POST`, path and body. @param secret text is used as UTF-8 */
export function sign(secret: string | Uint8Array, { timestamp, body }: SignedParts): string {
  return createHmac('sha256', secret).update(`${timestamp}POST${UPLOAD_PATH}`).update(body).digest('base64');
}

/** Returns true if two texts are equal. The comparison takes a time that depends only on their lengths. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
