import { createHmac, timingSafeEqual } from 'node:crypto';

/** The only path that is signed: what a base URL adds before it (a gateway stage, a proxy prefix) is not part of it. */
export const UPLOAD_PATH = '/capi/v2/order/uploadAiLog';

/** What is signed besides the path, which is fixed. */
export interface SignedParts {
  /** The text of ACCESS-TIMESTAMP. */
  readonly timestamp: string;
  /** The query string as sent, without its question mark; empty when there is none. */
  readonly query: string;
  /** The body, byte for byte. */
  readonly body: Uint8Array;
}

/**
 * Signs an upload: base64 of HMAC-SHA256 over timestamp, `POST`, path, `?` and query where there is one, and body.
 * The recipe of the WEEX and Bitget API family; test/vectors/signature.json holds examples made independently.
 * @param secret the API key's secret, UTF-8 text
 */
export function sign(secret: string, { timestamp, query, body }: SignedParts): string {
  return createHmac('sha256', secret)
    .update(`${timestamp}POST${UPLOAD_PATH}${query === '' ? '' : `?${query}`}`)
    .update(body)
    .digest('base64');
}

/** Whether two texts are the same, in a time that depends on their lengths alone. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * The spellings in which the caller may have signed its query string. A REST API hands over the decoded parameters only,
 * so that the text itself is gone: it is spelled again as RFC 3986 has it, as JavaScript does (which leaves `!'()*` bare), as
 * an HTML form has it, and unescaped. All of them say the same, so accepting any proves no less.
 * @param parameters the gateway's `multiValueQueryStringParameters`
 * @returns without question mark; a single empty text when there is no query
 */
export function querySpellings(parameters: Readonly<Record<string, readonly string[] | undefined>> | null): string[] {
  const pairs = Object.entries(parameters ?? {}).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  const spell = (write: (text: string) => string) =>
    pairs.map(([name, value]) => `${write(name)}=${write(value)}`).join('&');
  const javaScript = (text: string) => encodeURIComponent(text.toWellFormed());
  const rfc3986 = (text: string) =>
    javaScript(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const asForm = new URLSearchParams(pairs).toString();
  const unescaped = spell((text) => text);
  return [...new Set([spell(rfc3986), spell(javaScript), asForm, unescaped])];
}
