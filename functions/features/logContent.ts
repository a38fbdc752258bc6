import { copyOf, type Entry } from '../ailog/entry.ts';
import { isOrderId } from '../ailog/orderId.ts';
import { parseExactly, parseJson } from '../ailog/plainNames.ts';
import { orUndefined } from '../orUndefined.ts';
import { type CanonicalJson, canonicalJson } from './canonicalJson.ts';
import { decisionOf } from './decision.ts';
import { withoutInvisible } from './foldText.ts';
import { readTrade, type Trade, UNREAD_TRADE } from './trade.ts';
import { COMPARED_UNITS, comparablePieces, countHiddenInWords } from './words.ts';

export interface LogContent {
  /** True if neither the input nor the output is the empty object. */
  readonly hasData: boolean;
  /** Input and output as JSON, every number digit for digit. Undefined if the body cannot be read. */
  readonly data: string | undefined;
  readonly decision: string;
  /** The pieces of the output's values and of names as long as a sentence; of all names, if that has few letters. */
  readonly outputPieces: readonly string[];
  /** The pieces of the output, then of the explanation. */
  readonly pieces: readonly string[];
  /** The letters of both, see `comparablePieces`, and of the output alone. */
  readonly letters: number;
  readonly outputLetters: number;
  /** The letters of both without those of shorter names, and of the output alone. */
  readonly prose: number;
  readonly outputProse: number;
  readonly isCut: boolean;
  /** True if at least `HIDDEN_PLACES` words of output and explanation have invisible characters in them. */
  readonly hasHiddenCharacters: boolean;
  readonly trade: Trade;
  /** The explanation, as far as it is compared. */
  readonly explanation: string;
  /** The fields that the service copies from the body into the entry. Undefined if the body is no log. */
  readonly copies: Pick<Entry, 'orderId' | 'stage' | 'model'> | undefined;
}

type Log = Record<string, unknown>;

const UNREADABLE: LogContent = {
  hasData: false,
  data: undefined,
  decision: '',
  outputPieces: [],
  pieces: [],
  letters: 0,
  outputLetters: 0,
  prose: 0,
  outputProse: 0,
  isCut: true,
  hasHiddenCharacters: false,
  trade: UNREAD_TRADE,
  explanation: '',
  copies: undefined,
};

/** The places with invisible characters from which a log counts. Pasted text often has one or two. */
const HIDDEN_PLACES = 3;

/** The nesting depth up to which a body is read: the size of a stack decides nothing. People nest ten levels. */
const DEPTH_LIMIT = 1000;

const isFilled = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** The fewest letters of a text that is compared between teams, and for near-duplicates: about ten words. */
export const COMPARABLE_LETTERS = 48;

/** The longest name of a property that is no prose, in UTF-16 units. */
const LONGEST_NAME = 32;

/** The texts that look like JSON and are none, after which no other text of a log is read as JSON. */
const NO_JSON = 100;

class Name {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * Returns the names and values in a JSON value as text, at any depth, without numbers, also those of JSON in a string,
 * up to a little more than is compared. `prose`: without the names that are none
 */
function textOf(json: unknown): { text: string; prose: string } {
  const texts: string[] = [];
  const prose: string[] = [];
  const rest = [json];
  let units = 0;
  let noJson = 0;
  while (rest.length > 0 && units <= COMPARED_UNITS + 1) {
    const value = rest.pop();
    if (value instanceof Name || typeof value === 'string' || typeof value === 'boolean') {
      const text = String(value);
      if (noJson < NO_JSON && /^\s*[[{]/.test(text)) {
        // Such as the arguments of a tool.
        const inner = orUndefined((): unknown => JSON.parse(text));
        if (inner !== undefined) {
          rest.push(inner);
          continue;
        }
        noJson += 1;
      }
      units += text.length + 1;
      texts.push(text.slice(0, COMPARED_UNITS + 1));
      if (!(value instanceof Name) || text.length > LONGEST_NAME) prose.push(texts.at(-1) as string);
    } else if (Array.isArray(value)) for (const inner of value.toReversed()) rest.push(inner);
    // Numbers of parseExactly are frozen objects with their JSON text.
    else if (typeof value === 'object' && value !== null && !('rawJSON' in value && Object.isFrozen(value)))
      for (const [name, inner] of Object.entries(value).reverse()) rest.push(inner, new Name(name));
  }
  return { text: texts.join(' '), prose: prose.join(' ') };
}

/** The names that JavaScript moves to the front of an object. */
const MOVED = /^\d+$/;

/** Returns the number of names in a JSON value, at any depth. NaN if JavaScript may have moved one of them. */
function countNames(json: unknown): number {
  let count = 0;
  const rest: object[] = [];
  const add = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) rest.push(value);
  };
  add(json);
  while (rest.length > 0) {
    const value = rest.pop() as Readonly<Record<string, unknown>>;
    if (Array.isArray(value)) value.forEach(add);
    else
      for (const name of Object.keys(value)) {
        if (MOVED.test(name)) return Number.NaN;
        count += 1;
        add(value[name]);
      }
  }
  return count;
}

function readCopies(members: CanonicalJson['members']): LogContent['copies'] {
  const copied = (name: string): string | undefined => {
    const json = members.get(name);
    return json?.startsWith('"') ? copyOf(JSON.parse(json)) : undefined;
  };
  const stage = copied('stage');
  const model = copied('model');
  if (stage === undefined || model === undefined) return undefined;
  const digits = String(members.get('orderId')).replaceAll('"', '');
  return { stage, model, ...(isOrderId(digits) && Number(digits) > 0 && { orderId: BigInt(digits) }) };
}

/** Returns the log in a body, and its data as JSON with every number as it was: mostly, the fast parser suffices. */
function writeData(body: string, log: Log, { members, names, depth }: CanonicalJson): { log: Log; data: string } {
  if (depth > DEPTH_LIMIT) throw new RangeError('The body is nested too deeply');
  if (names === countNames(log))
    return { log, data: `[${members.get('input') ?? null},${members.get('output') ?? null}]` };
  const exact = parseExactly(body) as Log;
  return { log: exact, data: JSON.stringify([exact.input, exact.output]) };
}

/** Reads the content of a log. @param body the text of the request body */
export function readContent(body: string): LogContent {
  let copies: LogContent['copies'];
  try {
    const parsed = parseJson(body) as Log;
    const canonical = canonicalJson(body);
    copies = readCopies(canonical.members);
    const { log, data } = writeData(body, parsed, canonical);
    const { input, output, explanation } = log;
    const ofOutput = textOf(output);
    const explained = typeof explanation === 'string' ? explanation.slice(0, COMPARED_UNITS + 1) : '';
    const prose = comparablePieces(ofOutput.prose);
    const compared = prose.letters < COMPARABLE_LETTERS ? comparablePieces(ofOutput.text) : prose;
    const reasons = comparablePieces(explained);
    return {
      hasData: isFilled(input) && isFilled(output),
      data,
      // Apart, a text in ASCII is read in half of the time.
      decision: decisionOf(withoutInvisible(data), withoutInvisible(explained)),
      outputPieces: compared.pieces,
      pieces: [...compared.pieces, ...reasons.pieces],
      letters: compared.letters + reasons.letters,
      outputLetters: compared.letters,
      prose: prose.letters + reasons.letters,
      outputProse: prose.letters,
      isCut: ofOutput.text.length > COMPARED_UNITS || compared.isCut || reasons.isCut,
      hasHiddenCharacters: countHiddenInWords(`${ofOutput.text} ${explained}`, HIDDEN_PLACES) === HIDDEN_PLACES,
      trade: copies?.orderId === undefined ? UNREAD_TRADE : readTrade(canonical.members, log, explained),
      explanation: explained,
      copies,
    };
  } catch {
    // The service accepted the body, so it is JSON: it is nested too deeply to be read here.
    return { ...UNREADABLE, copies };
  }
}
