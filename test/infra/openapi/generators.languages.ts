import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { DESCRIPTION_PATH } from '../../../infra/openapi/describeApi.ts';
import { execute } from '../../setup/execute.ts';

const VERSION = '7.23.0';
const URL_OF_JAR = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${VERSION}/openapi-generator-cli-${VERSION}.jar`;
const SHA256_OF_JAR = 'cb087e40001e31eb08ef6140dd5de10938dbeb89016a1fe0481eaa25cd569026';
const JAR = join(tmpdir(), `openapi-generator-cli-${VERSION}.jar`);

const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

/** The generators, each with the command that compiles its client, and the one that detects the compiler. */
const generators = [
  { generator: 'python', compile: ['python3', '-m', 'compileall', '-q', '.'], detect: ['python3', '--version'] },
  { generator: 'go', compile: ['go', 'build', './...'], detect: ['go', 'version'] },
  { generator: 'java', compile: ['mvn', '-q', '-B', 'compile'], detect: ['mvn', '--version'] },
  {
    generator: 'typescript-fetch',
    compile: [process.execPath, tsc, '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', 'index.ts'],
    detect: [process.execPath, '--version'],
  },
];

/** The reason why the generator cannot run here, or an empty text. */
let obstacle = '';
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

beforeAll(async () => {
  if ((await execute(['java', '--version'])).exitCode !== 0) {
    obstacle = 'this machine has no Java';
    return;
  }
  if (!existsSync(JAR) || sha256(readFileSync(JAR)) !== SHA256_OF_JAR) {
    const response = await fetch(URL_OF_JAR).catch(() => undefined);
    if (!response?.ok) {
      obstacle = `${URL_OF_JAR} cannot be downloaded`;
      return;
    }
    const jar = new Uint8Array(await response.arrayBuffer());
    expect(sha256(jar)).toBe(SHA256_OF_JAR);
    writeFileSync(JAR, jar);
  }
}, 300_000);

test.for(generators)(
  'the $generator client of openapi-generator compiles',
  async ({ generator, compile, detect }, { skip }) => {
    if (obstacle !== '') skip(obstacle);
    const folder = join(mkdtempSync(join(tmpdir(), 'ailog-generator-')), generator);
    mkdirSync(folder);
    // biome-ignore format: several a line
    const generated = await execute([
      'java', '-jar', JAR, 'generate', '-i', DESCRIPTION_PATH, '-g', generator, '-o', folder,
    ]);
    expect(generated.exitCode, generated.stderr).toBe(0);
    // The generated tests are templates that import the client by the name of its future repository.
    rmSync(join(folder, 'test'), { recursive: true, force: true });

    if ((await execute(detect)).exitCode !== 0) skip(`generated, but not compiled: this machine has no ${detect[0]}`);
    const compiled = await execute(compile, { cwd: folder });
    expect(compiled, compiled.stderr).toMatchObject({ exitCode: 0 });
  },
);
