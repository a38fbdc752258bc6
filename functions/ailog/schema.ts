import type { FromSchema } from 'json-schema-to-ts';
import { VISIBLE_PATTERN } from './blank.ts';

/**
 * The schema of an upload's body. The type `AiLog`, the validator, the messages and the OpenAPI description are derived
 * from it. `validateAiLog` makes `orderId` text. Other keys are allowed. After a change, run `npm run generate`.
 */
export const aiLogSchema = {
  type: 'object',
  properties: {
    orderId: {
      type: ['string', 'null'],
      format: 'int64',
      description: 'The order the log belongs to. Absent, null, "", "0" and 0 mean: no order.',
    },
    stage: {
      type: 'string',
      pattern: VISIBLE_PATTERN,
      description: 'The stage of the trade, such as "Decision Making".',
    },
    model: {
      type: 'string',
      pattern: VISIBLE_PATTERN,
      description: 'The model and its version, such as "GPT-5-mini".',
    },
    input: { type: 'object', description: 'The input given to the model: any JSON object.' },
    output: { type: 'object', description: 'The answer of the model: any JSON object.' },
    explanation: {
      type: 'string',
      pattern: VISIBLE_PATTERN,
      // Unicode code points, so that an emoji counts as one.
      maxLength: 1000,
      description: 'A few sentences that explain what the model did and why.',
    },
  },
  required: ['stage', 'model', 'input', 'output', 'explanation'],
} as const;

export type AiLog = FromSchema<typeof aiLogSchema>;
