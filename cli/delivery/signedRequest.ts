import { entryIdOf } from '../../functions/ailog/entry.ts';
import { sign, UPLOAD_PATH } from '../../functions/auth/signature.ts';
import type { Access } from './access.ts';

/** A signed upload. It can be sent any number of times, with the same bytes and headers each time. */
export interface SignedRequest {
  readonly url: string;
  /** Milliseconds since 1970, as text. */
  readonly timestamp: string;
  /** All headers, including the passphrase, which must not be shown. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The id that the entry will have if it is stored. */
  readonly entryId: string;
}

/** Signs a body. The same arguments always create the same request. @param at milliseconds since 1970 */
export function signRequest(
  { url, accessKey, secret, passphrase }: Omit<Access, 'secret'> & { readonly secret: string | Uint8Array },
  body: Buffer,
  at: number,
): SignedRequest {
  const timestamp = String(at);
  const signature = sign(secret, { timestamp, query: '', body });
  return {
    url: url + UPLOAD_PATH,
    timestamp,
    headers: {
      'ACCESS-KEY': accessKey,
      'ACCESS-SIGN': signature,
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': passphrase,
      locale: 'en-US',
      'Content-Type': 'application/json',
    },
    body,
    entryId: entryIdOf({ accessKey, timestamp, signature }),
  };
}
