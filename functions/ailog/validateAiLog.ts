import { apiError } from '../errors.ts';
import { quote, shorten } from '../quote.ts';
import { isBlank } from './blank.ts';
import { spellingOfNumber } from './jsonScanner.ts';
import { type JsonObject, jsonType } from './jsonText.ts';
import { ORDER_ID_LIMIT } from './orderId.ts';
import { originalName } from './plainNames.ts';
import type { AiLog } from './schema.ts';
import compiledValidator, { type Validator } from './validator.js';
import { describeViolation, type Violation } from './violation.ts';

interface Problem extends Violation {
  readonly field: string;
  /** True if a required field is missing, null or blank. The contract has another code for a wrong value. */
  readonly isEmpty: boolean;
}

const ORDER_ID_RULE = `it must be an integer from 0 to ${ORDER_ID_LIMIT} without fraction or exponent, or the same digits as a string`;

/** Returns a question that names an unknown key which looks like a missing field, such as `ai_input` for `input`. */
function quoteSimilarKey(log: JsonObject, field: string, fields: readonly string[]): string {
  const stem = field.slice(0, 4);
  const lettersOf = (key: string) => key.toLowerCase().replace(/[^a-z]/g, '');
  const similar = Object.keys(log).find((key) => !fields.includes(key) && lettersOf(key).includes(stem));
  return similar === undefined ? '' : ` (the key ${quote(originalName(similar))} is unknown: did you mean "${field}"?)`;
}

function problemsOf(
  { errors, fields, requiredFields }: Validator,
  log: JsonObject,
  orderIdWasNumber: boolean,
): Problem[] {
  const problems = (errors ?? []).map((error): Problem => {
    const field: string = error.params.missingProperty ?? error.instancePath.slice(1);
    const value = log[field];
    if (requiredFields.includes(field) && isBlank(value)) {
      const quotation = quoteSimilarKey(log, field, fields);
      return { field, isEmpty: true, text: `Parameter ${field} cannot be empty`, quotation };
    }
    // A number is text by then, exactly as the body spells it.
    const order = typeof value !== 'string' ? jsonType(value) : orderIdWasNumber ? shorten(value) : quote(value);
    const { text, quotation } =
      field === 'orderId' ? { text: ORDER_ID_RULE, quotation: `, received ${order}` } : describeViolation(error, value);
    return { field, isEmpty: false, text: `Parameter ${field} is invalid: ${text}`, quotation };
  });
  // A blank text can be too long as well.
  const perField = problems.filter(
    ({ field, isEmpty }, index) => !isEmpty || problems.findIndex((one) => one.field === field) === index,
  );
  return perField.sort(
    (a, b) => Number(b.isEmpty) - Number(a.isEmpty) || fields.indexOf(a.field) - fields.indexOf(b.field),
  );
}

/**
 * Returns a body as an AI log, its order id as text. @param bodyText its JSON @param validate of `compileValidator`
 * @throws ApiError 40019 (the first problem is an empty field) or 40020 (a wrong value); it names all problems
 */
export function validateAiLog(parsedBody: JsonObject, bodyText: string, validate = compiledValidator): AiLog {
  const orderIdIsNumber = typeof parsedBody.orderId === 'number';
  const log = orderIdIsNumber ? { ...parsedBody, orderId: spellingOfNumber(bodyText, 'orderId') } : parsedBody;
  if (validate(log)) return log;

  const problems = problemsOf(validate, log, orderIdIsNumber);
  const wrapped = Object.keys(parsedBody).join() === 'ai_log';
  const join = (sentences: readonly string[]) =>
    [...sentences, ...(wrapped ? ['put the fields of "ai_log" at the top level of the body'] : [])].join('; ');
  throw apiError(
    problems[0]?.isEmpty ? 'parameterEmpty' : 'parameterInvalid',
    { problems: join(problems.map(({ text, quotation }) => text + quotation)) },
    { logged: { problems: join(problems.map(({ text }) => text)) } },
  );
}
