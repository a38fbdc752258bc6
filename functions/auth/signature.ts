import { createHmac, timingSafeEqual } from 'node:crypto';

/** The path that is signed. A prefix that the base URL adds (a gateway stage, a proxy path) is not part of it. */
export const UPLOAD_PATH = '/capi/v2/order/uploadAiLog';

/** The signed parts of a request. Method and path are fixed. */
export interface SignedParts {
  readonly timestamp: string;
  /** The query string as sent, without its question mark. Empty if there is none. */
  readonly query: string;
  readonly body: Uint8Array;
}

/**
 * Returns the signature of an upload: base64 of HMAC-SHA256 over timestamp, `POST`, path, `?` and query if there is
 * one, and body. The APIs of WEEX and Bitget sign in the same way. test/vectors/signature.json contains independent
 * examples.
 * @param secret the API key's secret; text is used as UTF-8
 */
export function sign(secret: string | Uint8Array, { timestamp, query, body }: SignedParts): string {
  return createHmac('sha256', secret)
    .update(`${timestamp}POST${UPLOAD_PATH}${query === '' ? '' : `?${query}`}`)
    .update(body)
    .digest('base64');
}

/** Returns true if two texts are equal. The comparison takes a time that depends only on their lengths. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Returns the spellings in which the caller may have signed its query string. API Gateway passes on the decoded
 * parameters only, not the original text. The spellings are: RFC 3986, JavaScript (which leaves `!'()*` unescaped),
 * HTML form, and unescaped. All of them mean the same parameters, so it is safe to accept any of them:
 * docs/decisions/query-spellings.md.
 * @param parameters the gateway's `multiValueQueryStringParameters`
 * @returns spellings without a question mark; one empty text if there is no query
 */
export function querySpellings(parameters: Readonly<Record<string, readonly string[] | undefined>> | null): string[] {
  const pairs = Object.entries(parameters ?? {}).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  const spell = (encode: (text: string) => string) =>
    pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  const javaScript = (text: string) => encodeURIComponent(text.toWellFormed());
  const rfc3986 = (text: string) =>
    javaScript(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const asForm = new URLSearchParams(pairs).toString();
  const unescaped = spell((text) => text);
  return [...new Set([spell(rfc3986), spell(javaScript), asForm, unescaped])];
}
