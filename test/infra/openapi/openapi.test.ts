import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isBlank } from '../../../functions/ailog/blank.ts';
import { apiErrors } from '../../../functions/errors.ts';
import { DESCRIPTION_PATH, describeApi } from '../../../infra/openapi/describeApi.ts';
import { headerOf, signedUpload, type Upload } from '../../setup/upload.ts';
import { cases } from '../../upload/contract.cases.ts';
import { compiled, description, post } from './description.ts';

const written = readFileSync(DESCRIPTION_PATH, 'utf8');
const nobody = { uid: '1', accessKey: 'a', secret: 's', passphrase: 'p' };

test('docs/openapi.json is up to date: if not, run `npm run openapi`', () => {
  expect(written).toBe(describeApi());
});

test('every error of the catalogue is an example with its full message and advice', () => {
  for (const [name, { status, code, msg }] of Object.entries(apiErrors)) {
    const example = post.responses[status].content['application/json'].examples[name];
    expect(example).toMatchObject({ summary: msg, value: { code, data: null } });
    expect(example.value.msg).not.toMatch(/[{}]/);
    expect(example.description).toMatch(/\w/);
  }
});

test('a generator keeps both forms of the order id, and linters find nothing: contact, license, tags', () => {
  const { orderId } = description.components.schemas.AiLog.properties;
  expect(orderId.oneOf.map(({ type }: { type: unknown }) => type)).toEqual(['integer', ['string', 'null']]);
  expect(orderId).not.toHaveProperty('anyOf');
  expect(orderId.oneOf.map(({ title }: { title: string }) => title)).toEqual(['OrderIdNumber', 'OrderIdText']);
  // Nothing that hides a misspelt key from a generated type, and no name that a generator uses itself.
  expect(written).not.toContain('"additionalProperties": true');
  expect(Object.keys(description.components.schemas)).toEqual(['AiLog', 'Accepted', 'UploadError']);
  // A client that was generated before an error was added must read it.
  expect(description.components.schemas.UploadError.properties.code.enum).toBeUndefined();
  expect(description.info).toMatchObject({
    contact: { name: expect.any(String) },
    license: { name: expect.any(String) },
  });
  expect(description.tags.map(({ name }: { name: string }) => name)).toEqual(post.tags);
});

test('the pattern of a text refuses what the service calls empty, and nothing else', () => {
  const { stage, model, explanation } = description.components.schemas.AiLog.properties;
  expect([model.pattern, explanation.pattern]).toEqual([stage.pattern, stage.pattern]);
  // Other escapes, as \s and \u, differ between languages.
  expect(stage.pattern.match(/\\./g)).toEqual(stage.pattern.match(/\\x/g));
  const pattern = new RegExp(stage.pattern, 'u');
  const differ: number[] = [];
  for (let code = 0; code < 0x110000; code += 1) {
    const text = String.fromCodePoint(code);
    if (pattern.test(text) === isBlank(text) || !pattern.test(`\n${text}a`)) differ.push(code);
  }
  expect(differ).toEqual([]);
});

test('the pattern of AI-LOG-WARNING matches every warning of the contract', () => {
  const { pattern } = description.components.headers.AiLogWarning.schema;
  const warnings = cases.flatMap(({ warning }) => warning ?? []);
  expect(warnings.length).toBeGreaterThan(2);
  expect(warnings.filter((warning) => !new RegExp(pattern).test(warning))).toEqual([]);
});

test('order ids have all their digits', () => {
  expect(written).toContain('"maximum": 9223372036854775807');
  expect(written).toContain('"orderId": "590480926522704171"');
});

test('has no schema that generators cannot express: a type that is only null, or a closed object of any shape', () => {
  const schemas: Record<string, unknown>[] = [];
  JSON.stringify(description.components.schemas, (_key, value) => {
    if (typeof value?.type === 'string') schemas.push(value);
    return value;
  });
  expect(schemas.length).toBeGreaterThan(10);
  expect(schemas.filter(({ type }) => type === 'null')).toEqual([]);
  expect(
    schemas.filter(
      ({ type, properties, additionalProperties }) => type === 'object' && !properties && !additionalProperties,
    ),
  ).toEqual([]);
});

test.each(cases.filter(({ name }) => name.startsWith('locale ')))(
  'the schema agrees: $name → $code',
  ({ sent, code }) => {
    const { required, schema } = post.parameters.find(({ name }: { name: string }) => name === 'locale');
    const locale = headerOf((sent as (upload: Upload) => Upload)(signedUpload(nobody)), 'locale');
    expect(locale === undefined ? !required : new RegExp(schema.pattern).test(locale)).toBe(code === '00000');
  },
);

/**
 * The contract cases that JSON Schema can decide. Left out: integers that JSON.parse rounds, number formats, and
 * invisible characters, which regular expressions do not know in every language.
 */
const judged = cases.filter(
  ({ name, code, sent }) =>
    !sent &&
    ['00000', '40019', '40020'].includes(code) &&
    !/one above the largest|a float|exponent|negative zero|is invisible/.test(name),
);

describe('the schema accepts and rejects the same bodies as the service', () => {
  const validate = compiled('components/schemas/AiLog');
  test.each(judged)('$name → $code', ({ signed, code }) => {
    const body = signed?.body ?? JSON.stringify(post.requestBody.content['application/json'].example);
    expect(validate(JSON.parse(String(body)))).toBe(code === '00000');
  });
});
