import { parse } from 'bcp-47';
import { apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';

/** The contract asks for them in this order: the first one missing is the one an error names. */
const ACCESS_HEADERS = {
  accessKey: ['access-key', 'accessKeyMissing'],
  signature: ['access-sign', 'signatureMissing'],
  timestamp: ['access-timestamp', 'timestampMissing'],
  passphrase: ['access-passphrase', 'passphraseMissing'],
} as const;

/**
 * Whether a text is a well-formed language tag by the grammar of RFC 5646 (BCP 47): `en`, `zh-CN`, `zh-cmn-Hans-CN`,
 * `x-bot`. `Intl` would do but rejects the private and the extended ones.
 */
export function isLanguageTag(text: string): boolean {
  const { language, irregular, regular, privateuse } = parse(text);
  return Boolean(language || irregular || regular || privateuse.length > 0);
}

/**
 * The middleware of the headers: the four access headers, locale and the type of the body.
 * Names are compared without case, as HTTP does; a blank value counts as a missing one.
 */
export const requireHeaders = ({ requireLocale }: { requireLocale: boolean }): Middleware => ({
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

    event.locale = read('locale');
    if (event.locale === '') {
      if (requireLocale) throw apiError('localeMissing');
    } else if (!isLanguageTag(event.locale)) {
      throw apiError('localeMalformed', { locale: event.locale.slice(0, 40) });
    }

    const mediaType = read('content-type').split(';', 1)[0]?.trim().toLowerCase();
    if (mediaType !== 'application/json') throw apiError('contentTypeInvalid');
    const encoding = read('content-encoding').toLowerCase();
    if (encoding !== '' && encoding !== 'identity') {
      throw apiError('contentEncodingUnsupported', { encoding: encoding.slice(0, 40) });
    }
  },
});
