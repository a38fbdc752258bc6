import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { DESCRIPTION_PATH } from '../../../infra/openapi/describeApi.ts';
import type { Answer } from '../../setup/transports.ts';

export const description = JSON.parse(readFileSync(DESCRIPTION_PATH, 'utf8'));
export const { post } = description.paths['/capi/v2/order/uploadAiLog'];

const ajv = new Ajv2020({ strict: false, formats: { int64: true } });
ajv.addSchema(description, 'openapi');

/** Returns a validator for a schema of the description. */
export const compiled = (path: string) => ajv.compile({ $ref: `openapi#/${path}` }) as ValidateFunction;

const validators = {
  accepted: compiled('components/schemas/Accepted'),
  error: compiled('components/schemas/UploadError'),
};

/** Expects that docs/openapi.json describes status, envelope and headers of an answer. */
export function expectDescribed({ status, headers, json }: Answer): void {
  const answer = post.responses[status];
  expect(answer).toBeDefined();
  expect(validators[status === 200 ? 'accepted' : 'error'](json)).toBe(true);
  const described: Record<string, { $ref: string }> = answer.headers;
  const names = Object.keys(described).map((header) => header.toLowerCase());
  expect([...names, 'content-type']).toEqual(expect.arrayContaining(Object.keys(headers)));
  for (const [header, { $ref }] of Object.entries(described)) {
    const { required } = description.components.headers[$ref.split('/').at(-1) as string];
    if (required) expect(headers[header.toLowerCase()], header).toBeDefined();
  }
}
