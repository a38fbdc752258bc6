import type { ValidateFunction } from 'ajv';
import type { AiLog } from './schema.ts';

export interface Validator extends ValidateFunction<AiLog> {
  /** The names of all fields, in the order of the schema. */
  readonly fields: readonly string[];
  readonly requiredFields: readonly string[];
}

declare const validate: Validator;
export default validate;
