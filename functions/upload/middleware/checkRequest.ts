import { requireBodySize } from '../../ailog/limits.ts';
import { requireRecent } from '../../auth/timestamp.ts';
import { apiError } from '../../errors.ts';
import { quote, shorten } from '../../quote.ts';
import type { Step } from '../request.ts';

/** The access headers in the contract's order. An error names the first one that is missing. */
const ACCESS_HEADERS = {
  accessKey: ['access-key', 'accessKeyMissing'],
  signature: ['access-sign', 'signatureMissing'],
  timestamp: ['access-timestamp', 'timestampMissing'],
  passphrase: ['access-passphrase', 'passphraseMissing'],
} as const;

/** A locale as programs write it, such as `en-US`, `zh_CN.UTF-8` or `C`. The contract names no allowed values. */
export const LOCALE_PATTERN = /^[A-Za-z][A-Za-z0-9\-_.@]{0,63}$/;

/** Checks headers and query. Names of headers are case-insensitive, and blank values are missing. */
export const requireHeaders = ({ requireLocale }: { requireLocale: boolean }): Step<never, 'access' | 'locale'> => ({
  before: ({ event }) => {
    const headers = new Map(Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
    const read = (name: string) => headers.get(name)?.trim() ?? '';

    const access = { accessKey: '', signature: '', timestamp: '', passphrase: '' };
    for (const field of Object.keys(ACCESS_HEADERS) as (keyof typeof ACCESS_HEADERS)[]) {
      const [name, missing] = ACCESS_HEADERS[field];
      access[field] = read(name);
      if (access[field] === '') throw apiError(missing);
    }
    event.access = access;

    // No known client sends one, and the gateway passes one on decoded: how it was signed is lost.
    if (Object.keys(event.multiValueQueryStringParameters ?? {}).length > 0) throw apiError('queryUnsupported');

    event.locale = read('locale');
    if (event.locale === '') {
      if (requireLocale) throw apiError('localeMissing');
    } else if (!LOCALE_PATTERN.test(event.locale)) {
      throw apiError('localeMalformed', { locale: quote(event.locale) });
    }

    const mediaType = read('content-type').split(';', 1)[0]?.trim().toLowerCase();
    if (mediaType !== 'application/json') throw apiError('contentTypeInvalid');
    // Was the compressed or the plain body signed? Accepting both would cost a second signature for each request.
    const encoding = read('content-encoding').toLowerCase();
    if (encoding !== '' && encoding !== 'identity') {
      throw apiError('contentEncodingUnsupported', { encoding: shorten(encoding) });
    }
  },
});

/** Decodes the body into the bytes that the caller signed. They are stored as they are: JSON has many spellings. */
export const readBody = (): Step<never, 'rawBody'> => ({
  before: ({ event }) => {
    event.rawBody = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    requireBodySize(event.rawBody);
  },
});

export const checkTimestamp = (): Step<'access' | 'receivedAt'> => ({
  before: ({ event }) => requireRecent(event.access.timestamp, event.receivedAt),
});
