/** docs/openapi.json in the hands of other people's validators and generators of clients. */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { DESCRIPTION_PATH } from '../../infra/openapi/describeApi.ts';
import { exampleLog } from '../../infra/openapi/exampleLog.ts';
import { execute, overHttp, type Tables, temporaryFolder, world } from '../setup/world.ts';
import { requireProgram } from './requireProgram.ts';

const node = process.execPath;
const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const VERSION = '7.23.0';
const URL_OF_JAR = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${VERSION}/openapi-generator-cli-${VERSION}.jar`;
const SHA256_OF_JAR = 'cb087e40001e31eb08ef6140dd5de10938dbeb89016a1fe0481eaa25cd569026';
const JAR = root(`node_modules/.cache/openapi-generator-cli-${VERSION}.jar`);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The reason why the generator cannot run here, or an empty text. */
let obstacle = '';
let fixture: Tables;
let url: string;
beforeAll(async () => {
  fixture = await world();
  ({ url } = await overHttp(fixture));
  if ((await execute(['java', '--version'])).exitCode !== 0) obstacle = 'this machine has no java';
  else if (!existsSync(JAR) || sha256(readFileSync(JAR)) !== SHA256_OF_JAR) {
    const response = await fetch(URL_OF_JAR).catch(() => undefined);
    const jar = response?.ok ? new Uint8Array(await response.arrayBuffer()) : new Uint8Array();
    if (jar.length === 0) obstacle = `${URL_OF_JAR} cannot be downloaded`;
    else {
      expect(sha256(jar)).toBe(SHA256_OF_JAR);
      mkdirSync(dirname(JAR), { recursive: true });
      writeFileSync(JAR, jar);
    }
  }
  if (obstacle !== '') console.warn(`SKIPPED: generators of clients, because ${obstacle}.`);
});

const TSC = root('node_modules/typescript/bin/tsc');
const TYPES = ['--types', 'node', '--typeRoots', root('node_modules/@types')];

/** The generators: where the program that uploads belongs, and the commands that detect, build and run. */
const generators = [
  {
    generator: 'typescript-fetch',
    program: ['upload.mts', 'upload.ts'],
    detect: [node, '--version'],
    build: [[node, TSC, '--strict', '--module', 'nodenext', '--target', 'es2022', ...TYPES, 'upload.ts']],
    run: [node, 'upload.js'],
  },
  {
    generator: 'python',
    program: ['upload.py', 'upload.py'],
    detect: ['python3', '-m', 'pip', '--version'],
    build: [['python3', '-m', 'pip', 'install', '--quiet', '--target', '.', '--requirement', 'requirements.txt']],
    run: ['python3', 'upload.py'],
  },
  {
    generator: 'go',
    program: ['upload.go', 'cmd/upload.go'],
    detect: ['go', 'version'],
    build: [['go', 'mod', 'tidy']],
    run: ['go', 'run', './cmd'],
  },
  {
    generator: 'rust',
    program: ['upload.rs', 'examples/upload.rs'],
    detect: ['cargo', '--version'],
    build: [
      ['cargo', 'add', '--quiet', '--dev', 'base64@0.22', 'hmac@0.12', 'sha2@0.10'],
      ['cargo', 'add', '--quiet', '--dev', 'tokio@1', '--features', 'macros,rt'],
      ['cargo', 'build', '--quiet', '--no-default-features', '--example', 'upload'],
    ],
    run: ['target/debug/examples/upload'],
  },
  { generator: 'java', program: [], detect: ['mvn', '--version'], build: [['mvn', '-q', '-B', 'compile']], run: [] },
] as const;

test.for(generators)(
  'the $generator client of openapi-generator uploads',
  { timeout: 900_000 },
  async (one, { skip }) => {
    if (obstacle !== '') skip(obstacle);
    await requireProgram(one.detect, skip);
    const cwd = join(temporaryFolder(), one.generator);
    const generate = ['generate', '-i', DESCRIPTION_PATH, '-g', one.generator, '-o', cwd];
    expect(await execute(['java', '-jar', JAR, ...generate])).toMatchObject({ exitCode: 0 });
    const [from, to] = one.program;
    if (from) {
      const program = root(`test/interop/generated/${from}`);
      expect(readFileSync(program, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(30);
      mkdirSync(dirname(join(cwd, to)), { recursive: true });
      copyFileSync(program, join(cwd, to));
    }
    for (const command of one.build) {
      const built = await execute(command, { cwd });
      expect(built.exitCode, built.stdout + built.stderr).toBe(0);
    }
    // What is generated for Java has no program of its own here: it compiles.
    if (!from) return;
    const team = await fixture.team();
    const key = { AILOG_ACCESS_KEY: team.accessKey, AILOG_SECRET: team.secret, AILOG_PASSPHRASE: team.passphrase };
    const ran = await execute(one.run, { cwd, env: { ...process.env, ...key, AILOG_URL: url } });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^00000/) });
    expect(await fixture.entriesOf(team.uid)).toMatchObject([{ orderId: 590480926522704171n, model: 'GPT-5-mini' }]);
  },
);

/** A client that uses the generated types for everything that it sends and receives. */
const TYPED = `
import { createHmac } from 'node:crypto';
import type { components, paths } from './api.ts';

type Upload = paths['/capi/v2/order/uploadAiLog']['post'];
type Answer = { [Status in 200 | 400 | 401]: Upload['responses'][Status]['content']['application/json'] }[200 | 400 | 401];

const log: components['schemas']['AiLog'] = ${JSON.stringify(exampleLog)};
// @ts-expect-error A misspelt key is an error of the compiler.
export const misspelt: components['schemas']['AiLog'] = { ...log, order_id: '1' };
const body: string = JSON.stringify(log satisfies Upload['requestBody']['content']['application/json']);
const path: keyof paths = '/capi/v2/order/uploadAiLog';
const parameters: Upload['parameters']['header'] = { 'ACCESS-TIMESTAMP': String(Date.now()), locale: 'en_US' };
const sign = createHmac('sha256', process.env['SECRET']!).update(parameters['ACCESS-TIMESTAMP'] + 'POST' + path + body);
const response = await fetch(process.env['BASE_URL'] + path, {
  method: 'POST',
  headers: {
    ...parameters,
    'ACCESS-KEY': process.env['ACCESS_KEY']!,
    'ACCESS-PASSPHRASE': process.env['PASSPHRASE']!,
    'ACCESS-SIGN': sign.digest('base64'),
    'Content-Type': 'application/json',
  },
  body,
});
const { code, data }: Answer = await response.json();
const text: string | null = data;
console.log(code, text);
`;

test('a client with types from openapi-typescript compiles and uploads', { timeout: 300_000 }, async ({ skip }) => {
  await requireProgram(['npm', '--version'], skip);
  const cwd = temporaryFolder();
  // The generator needs a compiler with an API, which TypeScript 7 does not have.
  const packages = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];
  const api = ['openapi-typescript', DESCRIPTION_PATH, '--output', 'api.ts'];
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2024', ...TYPES];
  const withTs = ['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions'];
  writeFileSync(join(cwd, 'client.ts'), TYPED);
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  const steps = [
    ['npm', 'install', '--no-save', ...packages],
    ['npx', ...api],
    [node, TSC, ...strict, ...withTs, 'client.ts'],
  ];
  for (const step of steps) {
    const ran = await execute(step, { cwd });
    expect(ran.exitCode, ran.stdout + ran.stderr).toBe(0);
  }
  const { uid, accessKey, secret, passphrase } = await fixture.team();
  const env = { BASE_URL: url, ACCESS_KEY: accessKey, SECRET: secret, PASSPHRASE: passphrase };
  const ran = await execute([node, 'client.js'], { cwd, env });
  expect(ran).toMatchObject({ exitCode: 0, stdout: '00000 upload success\n' });
  expect(await fixture.entriesOf(uid)).toHaveLength(1);
});

/** Validates with the two packages, as a program in the folder into which they are installed. */
const VALIDATE = `
import SwaggerParser from '@apidevtools/swagger-parser';
import { validate } from '@scalar/openapi-parser';
import { readFileSync } from 'node:fs';
const text = readFileSync(process.argv[2], 'utf8');
await SwaggerParser.validate(JSON.parse(text));
const { valid, errors } = await validate(text);
console.log(valid, JSON.stringify(errors));
`;

test.for([
  {
    validator: 'openapi-spec-validator',
    detect: ['python3', '-m', 'pip', '--version'],
    install: ['python3', '-m', 'pip', 'install', '--quiet', '--target', '.', 'openapi-spec-validator==0.9.0'],
    run: ['python3', '-m', 'openapi_spec_validator', DESCRIPTION_PATH],
    says: /: OK\n$/,
  },
  {
    validator: 'swagger-parser and @scalar/openapi-parser',
    detect: ['npm', '--version'],
    install: ['npm', 'install', '--no-save', '@apidevtools/swagger-parser@13.0.0', '@scalar/openapi-parser@0.24.17'],
    run: [node, 'validate.mjs', DESCRIPTION_PATH],
    says: /^true \[\]\n$/,
  },
])('$validator accepts the description', { timeout: 300_000 }, async ({ detect, install, run, says }, { skip }) => {
  await requireProgram(detect, skip);
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'validate.mjs'), VALIDATE);
  const installed = await execute(install, { cwd });
  expect(installed.exitCode, installed.stderr).toBe(0);
  const ran = await execute(run, { cwd });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(says) });
});

test('openapi-generator validates the description', async ({ skip }) => {
  if (obstacle !== '') skip(obstacle);
  const ran = await execute(['java', '-jar', JAR, 'validate', '-i', DESCRIPTION_PATH]);
  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('No validation issues detected.') });
});
