import { parse } from 'bcp-47';

/**
 * Returns true if a text is a well-formed language tag by the grammar of RFC 5646 (BCP 47), such as `en`, `zh-CN`,
 * `zh-cmn-Hans-CN` or `x-bot`. `Intl` rejects private and extended tags, which the grammar allows.
 */
export function isLanguageTag(text: string): boolean {
  const { language, irregular, regular, privateuse } = parse(text);
  return Boolean(language || irregular || regular || privateuse.length > 0);
}
