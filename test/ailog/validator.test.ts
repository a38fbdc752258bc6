import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { VISIBLE_PATTERN } from '../../functions/ailog/blank.ts';
import type { JsonObject } from '../../functions/ailog/jsonText.ts';
import { aiLogSchema } from '../../functions/ailog/schema.ts';
import { validateAiLog } from '../../functions/ailog/validateAiLog.ts';
import type { Validator } from '../../functions/ailog/validator.js';
import type { ApiError } from '../../functions/errors.ts';
import { compileValidator, VALIDATOR_PATH } from '../../infra/build/compileValidator.ts';
import { exampleLog } from '../../infra/openapi/exampleLog.ts';

test('the compiled validator is up to date with the schema (if not, run `npm run generate`)', () => {
  expect(readFileSync(VALIDATOR_PATH, 'utf8')).toBe(compileValidator());
});

test('the compiled validator generates no code at run time', () => {
  expect(readFileSync(VALIDATOR_PATH, 'utf8')).not.toMatch(/new Function|\beval\b/);
});

/** Compiles a copy of the schema with one more field. @param required whether every log must have it */
async function validatorWith(field: string, rules: object, required = false): Promise<Validator> {
  const source = compileValidator({
    ...aiLogSchema,
    properties: { ...aiLogSchema.properties, [field]: rules },
    required: [...aiLogSchema.required, ...(required ? [field] : [])],
  });
  const { default: validator } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return validator;
}

/**
 * Validates a log.
 * @returns `valid`, or the code and the message that the caller gets, and the message in the log line
 */
function judge(log: JsonObject, validator?: Validator): string[] {
  try {
    validateAiLog(log, JSON.stringify(log), validator);
    return ['valid'];
  } catch (error) {
    const { code, message, logMessage } = error as ApiError;
    return [code, message, logMessage];
  }
}

describe('a field that is added to the schema', () => {
  const share = { type: 'number', minimum: 0, maximum: 1, description: 'The share of the portfolio.' };

  const invalid = 'Parameter share is invalid: it must be';
  test.each<[sent: unknown, ...answer: string[]]>([
    [0.5, 'valid'],
    [0, 'valid'],
    [undefined, 'valid'],
    ['0.9', '40020', `${invalid} a number, received a string`, `${invalid} a number, received a string`],
    ['', '40020', `${invalid} a number, received a string`, `${invalid} a number, received a string`],
    [null, '40020', `${invalid} a number, received null`, `${invalid} a number, received null`],
    [1.5, '40020', `${invalid} at most 1, received 1.5`, `${invalid} at most 1`],
    [-1, '40020', `${invalid} at least 0, received -1`, `${invalid} at least 0`],
    [Number.POSITIVE_INFINITY, '40020', ...Array(2).fill(`${invalid} a number, received one that is out of range`)],
  ])('an optional number from 0 to 1: %j', async (sent, ...answer) => {
    const validator = await validatorWith('share', share);
    expect(judge({ ...exampleLog, share: sent }, validator)).toEqual(answer);
  });

  test('a required field cannot be null', async () => {
    const validator = await validatorWith('share', share, true);
    expect(judge({ ...exampleLog, share: null }, validator)[0]).toBe('40019');
    const [code, message] = judge({ ...exampleLog, shares: 1 }, validator);
    expect([code, message]).toEqual([
      '40019',
      'Parameter share cannot be empty (the key "shares" is unknown: did you mean "share"?)',
    ]);
  });

  test('errors name it in the order of the schema', async () => {
    const validator = await validatorWith('share', share);
    const [code, message] = judge({ ...exampleLog, share: 2, input: 1, explanation: '' }, validator);
    expect([code, message]).toEqual([
      '40019',
      `Parameter explanation cannot be empty; Parameter input is invalid: it must be a JSON object, received a number; ${invalid} at most 1, received 2`,
    ]);
  });

  test.each<[rules: object, sent: unknown, message: string]>([
    [{ type: ['number', 'null'] }, true, 'it must be a number or null, received a boolean'],
    [{ type: 'integer' }, 0.5, 'it must be an integer, received a number'],
    [{ type: 'boolean' }, 'true', 'it must be true or false, received a string'],
    [{ type: 'array' }, {}, 'it must be a JSON array, received an object'],
    [{ type: 'string', enum: ['buy', 'sell'] }, 'hold', 'it must be "buy" or "sell"'],
    [{ type: 'string', pattern: VISIBLE_PATTERN }, '\u200b', 'it must not be blank'],
    [{ type: 'string', pattern: '^[A-Z]+$' }, 'btc', 'it must match ^[A-Z]+$, received "btc"'],
    [{ type: 'string', minLength: 2 }, '📉', 'at least 2 characters, received 1'],
    [{ type: 'string', maxLength: 2 }, '📉📉📉', 'at most 2 characters, received 3'],
  ])('%j rejects %j', async (rules, sent, message) => {
    const validator = await validatorWith('added', rules);
    expect(judge({ ...exampleLog, added: sent }, validator)[1]).toBe(`Parameter added is invalid: ${message}`);
  });

  test('a rule without an error message is refused', () => {
    const properties = { ...aiLogSchema.properties, sides: { type: 'array', maxItems: 2, uniqueItems: true } };
    expect(() => compileValidator({ ...aiLogSchema, properties })).toThrow(
      'No error message for sides.maxItems, sides.uniqueItems: describe the keyword in functions/ailog/violation.ts',
    );
  });
});
