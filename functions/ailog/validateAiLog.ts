import type { ErrorObject } from 'ajv';
import { apiError } from '../errors.ts';
import { findTopLevelValue } from './jsonScanner.ts';
import { type JsonObject, jsonType } from './jsonText.ts';
import { ORDER_ID_LIMIT } from './orderId.ts';
import { type AiLog, aiLogSchema } from './schema.ts';
import validate from './validator.js';

/** A field that violates the schema. */
interface Problem {
  readonly field: string;
  /**
   * True if the field is missing, null or blank; false if its value is wrong. The contract has a code for each case.
   */
  readonly empty: boolean;
  readonly text: string;
}

/** Returns a description of the rule that a value violates, which also says what would be right. */
function reasonOf({ keyword, params }: ErrorObject, field: string, value: unknown): string {
  if (field === 'orderId') {
    return `it must be an integer from 0 to ${ORDER_ID_LIMIT} without fraction or exponent, or the same digits as a string`;
  }
  if (keyword === 'maxLength') return `at most ${params.limit} characters, received ${[...(value as string)].length}`;
  return `it must be ${params.type === 'object' ? 'a JSON object' : 'a string'}, received ${jsonType(value)}`;
}

/**
 * Returns one problem per field: empty fields first, then in the schema's order. No field can violate two rules at
 * once.
 */
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
 * Validates a parsed body and returns it as an AI log. Its order id is text, so that no digit is lost.
 * @param bodyText the JSON text of the body, which still has every digit
 * @throws ApiError 40019 if the first problem is an empty field, 40020 if it is a wrong value. The message names all
 * problems.
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
