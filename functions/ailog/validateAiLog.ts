import type { ErrorObject } from 'ajv';
import { apiError } from '../errors.ts';
import { quote, shorten } from '../quote.ts';
import { spellingOfNumber } from './jsonScanner.ts';
import { type JsonObject, jsonType } from './jsonText.ts';
import { ORDER_ID_LIMIT } from './orderId.ts';
import { originalName } from './plainNames.ts';
import { type AiLog, REQUIRED_FIELDS } from './schema.ts';
import validate from './validator.js';

/** All fields, in the order in which errors name them. */
const FIELDS: readonly string[] = ['orderId', ...REQUIRED_FIELDS];

/** A field that violates the schema. */
interface Problem {
  readonly field: string;
  /**
   * True if the field is missing, null or blank; false if its value is wrong. The contract has a code for each case.
   */
  readonly empty: boolean;
  readonly text: string;
  /** The end of the sentence, which quotes the body and is therefore left out of the log. */
  readonly quotation: string;
}

const ORDER_ID_RULE = `it must be an integer from 0 to ${ORDER_ID_LIMIT} without fraction or exponent, or the same digits as a string`;

/** Returns a description of the rule that a value violates, which also says what would be right. */
function reasonOf({ keyword, params }: ErrorObject, value: unknown): string {
  if (keyword === 'maxLength') return `at most ${params.limit} characters, received ${[...(value as string)].length}`;
  return `it must be ${params.type === 'object' ? 'a JSON object' : 'a string'}, received ${jsonType(value)}`;
}

/** Returns the order id that was received. A number is text by then, exactly as the body spells it. */
function quoteOrderId(value: unknown, wasNumber: boolean): string {
  if (typeof value !== 'string') return `, received ${jsonType(value)}`;
  return `, received ${wasNumber ? shorten(value) : quote(value)}`;
}

/** Returns a question that names an unknown key which looks like a missing field, such as `ai_input` for `input`. */
function quoteSimilarKey(log: JsonObject, field: string): string {
  const stem = field.slice(0, 4);
  const similar = Object.keys(log).find(
    (key) =>
      !FIELDS.includes(key) &&
      key
        .toLowerCase()
        .replace(/[^a-z]/g, '')
        .includes(stem),
  );
  return similar === undefined ? '' : ` (the key ${quote(originalName(similar))} is unknown: did you mean "${field}"?)`;
}

/**
 * Returns one problem per field: empty fields first, then in the order of `FIELDS`. No field can violate two rules at
 * once.
 */
function problemsOf(errors: readonly ErrorObject[], log: JsonObject, orderIdWasNumber: boolean): Problem[] {
  const problems = errors.map((error): Problem => {
    const field: string = error.params.missingProperty ?? error.instancePath.slice(1);
    const value = log[field];
    if (field === 'orderId') {
      const text = `Parameter orderId is invalid: ${ORDER_ID_RULE}`;
      return { field, empty: false, text, quotation: quoteOrderId(value, orderIdWasNumber) };
    }
    if (value == null || (typeof value === 'string' && value.trim() === '')) {
      return { field, empty: true, text: `Parameter ${field} cannot be empty`, quotation: quoteSimilarKey(log, field) };
    }
    return { field, empty: false, text: `Parameter ${field} is invalid: ${reasonOf(error, value)}`, quotation: '' };
  });
  return problems.sort(
    (a, b) => Number(b.empty) - Number(a.empty) || FIELDS.indexOf(a.field) - FIELDS.indexOf(b.field),
  );
}

/**
 * Validates a parsed body and returns it as an AI log. Its order id is text, so that no digit is lost.
 * @param bodyText the JSON text of the body, which still has every digit
 * @throws ApiError 40019 if the first problem is an empty field, 40020 if it is a wrong value. The message names all
 * problems.
 */
export function validateAiLog(parsedBody: JsonObject, bodyText: string): AiLog {
  const orderIdIsNumber = typeof parsedBody.orderId === 'number';
  const log = orderIdIsNumber ? { ...parsedBody, orderId: spellingOfNumber(bodyText, 'orderId') } : parsedBody;
  if (validate(log)) return log;

  const problems = problemsOf(validate.errors ?? [], log, orderIdIsNumber);
  const wrapped = Object.keys(parsedBody).join() === 'ai_log';
  const join = (sentences: readonly string[]) =>
    [...sentences, ...(wrapped ? ['put the fields of "ai_log" at the top level of the body'] : [])].join('; ');
  throw apiError(
    problems[0]?.empty ? 'parameterEmpty' : 'parameterInvalid',
    { problems: join(problems.map(({ text, quotation }) => text + quotation)) },
    { logged: { problems: join(problems.map(({ text }) => text)) } },
  );
}
