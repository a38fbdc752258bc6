import type { Entry } from '../../functions/ailog/entry.ts';
import { bodyOf } from './bodyOf.ts';

/** Returns the body as text (the service accepts only UTF-8), or undefined if the stored body is damaged. */
export function readBodyText(entry: Partial<Pick<Entry, 'body' | 'bodyBytes'>>): string | undefined {
  try {
    return bodyOf(entry as Pick<Entry, 'body' | 'bodyBytes'>).toString();
  } catch {
    return undefined;
  }
}
