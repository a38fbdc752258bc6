import { parseExactly } from '../terminal/format.ts';
import { comparableWords } from './words.ts';

/** The parts of a log's body that the analyses read. */
export interface LogContent {
  /** True if neither the input nor the output is the empty object. */
  readonly hasData: boolean;
  /** Input and output as JSON, every number digit for digit. Undefined if the body cannot be read. */
  readonly data: string | undefined;
  /** The words of the output's values. */
  readonly outputWords: readonly string[];
  /** The words of the output's values, then of the explanation. */
  readonly words: readonly string[];
}

const UNREADABLE: LogContent = { hasData: false, data: undefined, outputWords: [], words: [] };

const isFilled = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Returns the values in a JSON value as text, in their order, at any depth. Names of properties are left out. */
function textOf(json: unknown): string {
  const texts: string[] = [];
  const rest = [json];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string' || typeof value === 'boolean') texts.push(String(value));
    else if (typeof value === 'number') texts.push('0');
    // Numbers of parseExactly are objects with their JSON text.
    else if (typeof value === 'object' && value !== null && 'rawJSON' in value && Object.isFrozen(value))
      texts.push('0');
    else if (typeof value === 'object' && value !== null) rest.push(...Object.values(value).reverse());
  }
  return texts.join(' ');
}

/**
 * Parses a body so that `JSON.stringify` writes every number digit for digit as it was. JavaScript wrote most bodies: it would
 * write them again in the same way, and then the fast parser loses nothing.
 */
function parseBody(body: string): Record<string, unknown> {
  const parsed = JSON.parse(body);
  return JSON.stringify(parsed) === body ? parsed : (parseExactly(body) as Record<string, unknown>);
}

/** Reads the content of a log. @param body the text of the request body; undefined if the stored body is damaged */
export function readContent(body: string | undefined): LogContent {
  if (body === undefined) return UNREADABLE;
  try {
    const { input, output, explanation } = parseBody(body);
    const outputWords = comparableWords(textOf(output));
    return {
      hasData: isFilled(input) && isFilled(output),
      data: JSON.stringify([input, output]),
      outputWords,
      words: [...outputWords, ...comparableWords(typeof explanation === 'string' ? explanation : '')],
    };
  } catch {
    // The service accepted the body, so it is JSON: it is nested too deeply to be read here.
    return UNREADABLE;
  }
}
