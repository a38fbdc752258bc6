import type { ErrorObject } from 'ajv';
import { quote } from '../quote.ts';
import { VISIBLE_PATTERN } from './blank.ts';
import { jsonType } from './jsonText.ts';

export interface Violation {
  readonly text: string;
  /** The end of the sentence. It quotes the body, so it is left out of the log line. */
  readonly quotation: string;
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'a JSON array',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'a JSON object',
  string: 'a string',
};

const lengthOf = (value: unknown) => [...(value as string)].length;

const violation = (text: string): Violation => ({ text, quotation: '' });

const quoted = (text: string, value: unknown): Violation => ({
  text,
  quotation: `, received ${typeof value === 'string' ? quote(value) : value}`,
});

const descriptions: Readonly<Record<string, (params: ErrorObject['params'], value: unknown) => Violation>> = {
  type: ({ type }, value) => {
    const expected = [type].flat().map((name: string) => TYPES[name]);
    const received = jsonType(value);
    // JSON.parse returns infinity for a number such as 1e999, which the validator does not accept.
    return violation(
      `it must be ${expected.join(' or ')}, received ${expected.includes(received) ? 'one that is out of range' : received}`,
    );
  },
  enum: ({ allowedValues }) =>
    violation(`it must be ${allowedValues.map((value: unknown) => JSON.stringify(value)).join(' or ')}`),
  minimum: ({ limit }, value) => quoted(`it must be at least ${limit}`, value),
  maximum: ({ limit }, value) => quoted(`it must be at most ${limit}`, value),
  minLength: ({ limit }, value) => violation(`at least ${limit} characters, received ${lengthOf(value)}`),
  maxLength: ({ limit }, value) => violation(`at most ${limit} characters, received ${lengthOf(value)}`),
  pattern: ({ pattern }, value) =>
    pattern === VISIBLE_PATTERN ? violation('it must not be blank') : quoted(`it must match ${pattern}`, value),
};

/** The keywords that a field of the schema may use. `npm run generate` accepts no others. */
export const KEYWORDS: readonly string[] = Object.keys(descriptions);

export const describeViolation = ({ keyword, params }: ErrorObject, value: unknown): Violation =>
  (descriptions[keyword] as (typeof descriptions)[string])(params, value);
