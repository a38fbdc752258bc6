import type { FromSchema } from 'json-schema-to-ts';

/** The most characters (Unicode code points: an emoji is one) that an explanation may have. */
const EXPLANATION_LIMIT = 1000;

/**
 * The body of an upload, and its type. `orderId` stands here as `validateBody` hands it over: as text, digit for digit,
 * whether it was sent as a number or as a string. Other keys are allowed and kept in the stored body.
 *
 * Changed it? `npm run generate` compiles it into `validator.js`.
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
    input: { type: 'object', description: 'What the model was given: any JSON object.' },
    output: { type: 'object', description: 'What the model answered: any JSON object.' },
    explanation: {
      type: 'string',
      minLength: 1,
      maxLength: EXPLANATION_LIMIT,
      description: 'What the model did and why, in a few sentences.',
    },
  },
  required: ['stage', 'model', 'input', 'output', 'explanation'],
} as const;

/** A body that fulfils the schema. */
export type AiLog = FromSchema<typeof aiLogSchema>;
