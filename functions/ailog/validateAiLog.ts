import type { ErrorObject } from 'ajv';
import { apiError } from '../errors.ts';
import { findTopLevelValue } from './jsonScanner.ts';
import { type JsonObject, jsonType } from './jsonText.ts';
import { ORDER_ID_LIMIT } from './orderId.ts';
import { type AiLog, aiLogSchema } from './schema.ts';
import validate from './validator.js';

/** A field that breaks the schema. */
interface Problem {
  readonly field: string;
  /** True if it is missing, null or blank, false if it is wrong: the contract has a code for each. */
  readonly empty: boolean;
  readonly text: string;
}

/** Returns the rule that a value breaks, in words that say what would be right. */
function reasonOf({ keyword, params }: ErrorObject, field: string, value: unknown): string {
  if (field === 'orderId') {
    return `it must be an integer from 0 to ${ORDER_ID_LIMIT} without fraction or exponent, or the same digits as a string`;
  }
  if (keyword === 'maxLength') return `at most ${params.limit} characters, received ${[...(value as string)].length}`;
  return `it must be ${params.type === 'object' ? 'a JSON object' : 'a string'}, received ${jsonType(value)}`;
}

/** Returns a problem for each wrong field: empty ones first, then in the schema's order. No field breaks two rules at once. */
function problemsOf(errors: readonly ErrorObject[], log: JsonObject): Problem[] {
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
 * Returns a parsed body as an AI log, its order id as text, digit for digit.
 * @param bodyText the JSON text of the body, which still has every digit
 * @throws ApiError 40019 if the first problem is an empty field, 40020 if it is a wrong one; the message names all of them
 */
export function validateAiLog(parsedBody: JsonObject, bodyText: string): AiLog {
  const log =
    typeof parsedBody.orderId === 'number'
      ? { ...parsedBody, orderId: findTopLevelValue(bodyText, 'orderId')?.text }
      : parsedBody;
  if (validate(log)) return log;

  const problems = problemsOf(validate.errors ?? [], log);
  const wrapped = Object.keys(parsedBody).join() === 'ai_log';
  const sentences = [
    ...problems.map((problem) => problem.text),
    ...(wrapped ? ['put the fields of "ai_log" at the top level of the body'] : []),
  ];
  throw apiError(problems[0]?.empty ? 'parameterEmpty' : 'parameterInvalid', { problems: sentences.join('; ') });
}
