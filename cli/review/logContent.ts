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

/**
 * The nesting depth up to which a body is read, so that the size of a thread's stack decides nothing. People and programs nest
 * ten levels.
 */
const DEPTH_LIMIT = 1000;

/** Returns true if a parsed body is nested deeper than the limit. Most texts are too short for that. */
function isTooDeep(body: string, log: unknown): boolean {
  if (body.length < 2 * DEPTH_LIMIT) return false;
  let level = [log];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= DEPTH_LIMIT) return true;
    level = level.flatMap((value) =>
      Object.values(value as object).filter((child) => typeof child === 'object' && child !== null),
    );
  }
  return false;
}

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
 * Parses a body, and writes its input and output as JSON with every number digit for digit as it was. JavaScript wrote most
 * bodies: it would write them again in the same way, and then the fast parser loses nothing.
 */
function parseBody(body: string): { log: Record<string, unknown>; data: string } {
  const log: Record<string, unknown> = JSON.parse(body);
  if (isTooDeep(body, log)) throw new RangeError('The body is nested too deeply');
  const texts: Record<string, string | undefined> = {};
  let again = '';
  for (const [name, value] of Object.entries(log)) {
    const text = JSON.stringify(value);
    if (name === 'input' || name === 'output') texts[name] = text;
    again += `${again === '' ? '{' : ','}${JSON.stringify(name)}:${text}`;
  }
  if (`${again}}` === body) return { log, data: `[${texts.input ?? null},${texts.output ?? null}]` };
  const exact = parseExactly(body) as Record<string, unknown>;
  return { log: exact, data: JSON.stringify([exact.input, exact.output]) };
}

/** Reads the content of a log. @param body the text of the request body; undefined if the stored body is damaged */
export function readContent(body: string | undefined): LogContent {
  if (body === undefined) return UNREADABLE;
  try {
    const { log, data } = parseBody(body);
    const { input, output, explanation } = log;
    const outputWords = comparableWords(textOf(output));
    return {
      hasData: isFilled(input) && isFilled(output),
      data,
      outputWords,
      words: [...outputWords, ...comparableWords(typeof explanation === 'string' ? explanation : '')],
    };
  } catch {
    // The service accepted the body, so it is JSON: it is nested too deeply to be read here.
    return UNREADABLE;
  }
}
