import type { FromSchema } from 'json-schema-to-ts';

/** The maximum length of an explanation in Unicode code points, so that an emoji counts as one. */
const EXPLANATION_LIMIT = 1000;

/** The fields that every log must have, in the order in which errors name them. */
export const REQUIRED_FIELDS = ['stage', 'model', 'input', 'output', 'explanation'] as const;

/**
 * The schema of an upload's body; the type `AiLog` is derived from it. `validateAiLog` converts `orderId` to text
 * before it validates, so that a number keeps every digit. Other keys are allowed and kept in the stored body.
 *
 * After a change, run `npm run generate` to compile the schema into `validator.js`.
 */
export const aiLogSchema = {
  type: 'object',
  properties: {
    orderId: {
      type: ['string', 'null'],
      format: 'int64',
      description: 'The order the log belongs to. Absent, null, "", "0" and 0 mean: no order.',
    },
    stage: { type: 'string', pattern: '\\S', description: 'The stage of the trade, such as "Decision Making".' },
    model: { type: 'string', pattern: '\\S', description: 'The model and its version, such as "GPT-5-mini".' },
    input: { type: 'object', description: 'The input given to the model: any JSON object.' },
    output: { type: 'object', description: 'The answer of the model: any JSON object.' },
    explanation: {
      type: 'string',
      minLength: 1,
      maxLength: EXPLANATION_LIMIT,
      description: 'A few sentences that explain what the model did and why.',
    },
  },
  required: REQUIRED_FIELDS,
} as const;

/** A body that is valid under the schema. */
export type AiLog = FromSchema<typeof aiLogSchema>;
