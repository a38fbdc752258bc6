import type { Entry } from '../../functions/ailog/entry.ts';
import { readBodyText } from './readBodyText.ts';

/**
 * Returns the explanation in the body of an entry; undefined if the stored body is damaged. A lone half of a surrogate pair
 * becomes U+FFFD.
 * @param body the body as text, if the caller has read it already
 */
export function explanationOf(
  entry: Partial<Pick<Entry, 'body'>>,
  body: string | undefined = readBodyText(entry),
): string | undefined {
  try {
    const { explanation } = JSON.parse(body as string);
    if (typeof explanation === 'string') return explanation.toWellFormed();
  } catch {
    // Only a write past the service can have stored such a body.
  }
  return undefined;
}
