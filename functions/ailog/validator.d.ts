import type { ValidateFunction } from 'ajv';
import type { AiLog } from './schema.ts';

declare const validate: ValidateFunction<AiLog>;
export default validate;
