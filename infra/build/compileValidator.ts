import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { _, Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { buildSync } from 'esbuild';
import { isOrderId } from '../../functions/ailog/orderId.ts';
import { aiLogSchema } from '../../functions/ailog/schema.ts';
import { KEYWORDS } from '../../functions/ailog/violation.ts';

/** The path of the compiled validator. It is compiled ahead, so that a cold start does not compile it. */
export const VALIDATOR_PATH = fileURLToPath(new URL('../../functions/ailog/validator.js', import.meta.url));

type Schema = Readonly<{ properties: Readonly<Record<string, object>>; required: readonly string[] }>;

function requireMessages({ properties }: Schema): void {
  const without = Object.entries(properties)
    // The message about an order id is written by hand.
    .filter(([field]) => field !== 'orderId')
    .flatMap(([field, rules]) => Object.keys(rules).map((keyword) => ({ field, keyword })))
    .filter(({ keyword }) => keyword !== 'description' && !KEYWORDS.includes(keyword))
    .map(({ field, keyword }) => `${field}.${keyword}`);
  if (without.length > 0) {
    throw new Error(`No error message for ${without.join(', ')}: describe the keyword in functions/ailog/violation.ts`);
  }
}

/** Returns a module with the `Validator` of a schema, without Ajv. @throws Error for a rule without a message */
export function compileValidator(schema: Schema = aiLogSchema): string {
  requireMessages(schema);
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    messages: false,
    formats: { int64: isOrderId },
    code: { source: true, lines: true, formats: _`{ int64: require("./orderId.ts").isOrderId }` },
  });
  const properties = Object.entries(schema.properties).map(([field, rules]) => [
    field,
    // A description would be part of the compiled code.
    { ...rules, description: undefined },
  ]);
  const rules = JSON.parse(JSON.stringify({ ...schema, properties: Object.fromEntries(properties) }));
  const fields = { fields: Object.keys(schema.properties), requiredFields: schema.required };
  const { outputFiles } = buildSync({
    stdin: {
      contents: `${standaloneCode.default(ajv, ajv.compile(rules))}\nObject.assign(module.exports, ${JSON.stringify(fields)});`,
      resolveDir: fileURLToPath(new URL('../../functions/ailog', import.meta.url)),
    },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'node24',
    charset: 'utf8',
    minifyWhitespace: true,
    write: false,
    banner: { js: '// Compiled from schema.ts by `npm run generate`: do not edit.' },
  });
  return (outputFiles[0] as { text: string }).text;
}

if (import.meta.main) writeFileSync(VALIDATOR_PATH, compileValidator());
