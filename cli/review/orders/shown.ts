import { visible } from '../../shell/text/visible.ts';

const escapeBlank = (blank: string) => `\\u${blank.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Returns a text of a list as messages show it. Blanks that look like the usual one, or like nothing, are escaped. */
export const visibleCell = (text: string): string => visible(text).replace(/[^\S ]|\u2800/g, escapeBlank);

/** The same as `visibleCell`, within quotation marks. */
export const shown = (text: string): string => visibleCell(JSON.stringify(text));
