/** A locale as programs write it, such as `en-US`, `zh_CN.UTF-8` or `C`. The contract names no allowed values. */
export const LOCALE_PATTERN = /^[A-Za-z][A-Za-z0-9\-_.@]{0,63}$/;

export const isLocale = (text: string): boolean => LOCALE_PATTERN.test(text);
