import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { _, Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { buildSync } from 'esbuild';
import { isOrderId } from '../../functions/ailog/orderId.ts';
import { aiLogSchema } from '../../functions/ailog/schema.ts';

/**
 * The path of the compiled validator, beside its schema. It is compiled ahead, so that a cold start does not compile
 * it.
 */
export const VALIDATOR_PATH = fileURLToPath(new URL('../../functions/ailog/validator.js', import.meta.url));

/** The schema without its descriptions, which would be part of the compiled code. */
const withoutDescriptions = JSON.parse(
  JSON.stringify(aiLogSchema, (key, value) => (key === 'description' ? undefined : value)),
);

/** Returns the source of a module that needs neither Ajv nor `new Function`. Its default export validates an AI log. */
export function compileValidator(): string {
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    messages: false,
    formats: { int64: isOrderId },
    code: { source: true, lines: true, formats: _`{ int64: require("./orderId.ts").isOrderId }` },
  });
  const { outputFiles } = buildSync({
    stdin: {
      contents: standaloneCode.default(ajv, ajv.compile(withoutDescriptions)),
      resolveDir: fileURLToPath(new URL('../../functions/ailog', import.meta.url)),
    },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'node24',
    charset: 'utf8',
    write: false,
    banner: { js: '// Compiled from schema.ts by `npm run generate`: do not edit.' },
  });
  return (outputFiles[0] as { text: string }).text;
}

if (import.meta.main) writeFileSync(VALIDATOR_PATH, compileValidator());
