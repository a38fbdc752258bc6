import type { ErrorObject } from 'ajv';
import { apiError } from '../errors.ts';
import { jsonType } from '../upload/middleware/parseJson.ts';
import type { Middleware } from '../upload/request.ts';
import { digitsOf } from './jsonScanner.ts';
import { ORDER_ID_LIMIT } from './orderId.ts';
import { type AiLog, aiLogSchema } from './schema.ts';
import validate from './validator.js';

/** What is wrong with one field. */
interface Problem {
  readonly field: string;
  /** Missing, null or blank, as against wrong: the contract has a code for each. */
  readonly empty: boolean;
  readonly text: string;
}

/** Why a value breaks a rule of the schema, in words that say what would be right. */
function reasonOf({ keyword, params }: ErrorObject, field: string, value: unknown): string {
  if (field === 'orderId') {
    return `it must be an integer from 0 to ${ORDER_ID_LIMIT} without fraction or exponent, or the same digits as a string`;
  }
  if (keyword === 'maxLength') return `at most ${params.limit} characters, received ${[...(value as string)].length}`;
  return `it must be ${params.type === 'object' ? 'a JSON object' : 'a string'}, received ${jsonType(value)}`;
}

/** What is wrong with each field: what is empty first, then in the schema's order. No field breaks two of its rules at once. */
function problemsOf(errors: readonly ErrorObject[], log: Readonly<Record<string, unknown>>): Problem[] {
  const order = Object.keys(aiLogSchema.properties);
  const problems = errors.map((error): Problem => {
    const field: string = error.params.missingProperty ?? error.instancePath.slice(1);
    const value = log[field];
    const empty = field !== 'orderId' && (value == null || (typeof value === 'string' && value.trim() === ''));
    const text = empty
      ? `Parameter ${field} cannot be empty`
      : `Parameter ${field} is invalid: ${reasonOf(error, field, value)}`;
    return { field, empty, text };
  });
  return problems.sort((a, b) => Number(b.empty) - Number(a.empty) || order.indexOf(a.field) - order.indexOf(b.field));
}

/**
 * A parsed body with its order id as text, digit for digit, checked against the schema.
 * @param text the body's JSON text, which still has every digit
 * @throws ApiError 40019 where the first problem is an empty field, 40020 where it is a wrong one; the message names all
 */
export function validateAiLog(body: Readonly<Record<string, unknown>>, text: string): AiLog {
  const log = typeof body.orderId === 'number' ? { ...body, orderId: digitsOf('orderId', text) } : body;
  if (validate(log)) return log;

  const problems = problemsOf(validate.errors ?? [], log);
  const wrapped = Object.keys(body).join() === 'ai_log';
  const sentences = [
    ...problems.map((problem) => problem.text),
    ...(wrapped ? ['put the fields of "ai_log" at the top level of the body'] : []),
  ];
  throw apiError(problems[0]?.empty ? 'parameterEmpty' : 'parameterInvalid', { problems: sentences.join('; ') });
}

/** The middleware of the schema. */
export const validateBody = (): Middleware => ({
  before: ({ event }) => {
    event.log = validateAiLog(event.body as Record<string, unknown>, event.text);
  },
});
