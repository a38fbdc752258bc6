/** What a program leaves behind when it ends, or is ended: no engine, and no temporary folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isRunning } from '../../cli/shell/files/lock.ts';
import { localWorld, MAIN, type Running, start, temporaryFolder } from '../setup/world.ts';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** A program that uses the engine of a folder, or one in memory, prints its endpoint, and waits. */
const USE = `
import { startEngine } from ${JSON.stringify(path('cli/store/targets/embeddedEngine.ts'))};
const { endpoint } = await startEngine(process.argv[1]);
console.log(endpoint + '.');
setInterval(() => {}, 1000);
`;

/** Starts the program and waits until its engine answers. @returns it and the endpoint of the engine */
async function use(...folder: string[]): Promise<{ program: Running; endpoint: string }> {
  const program = start([process.execPath, '--input-type=module', '-e', USE, ...folder]);
  await expect.poll(program.output).toMatch(/^http.*\.\n$/);
  return { program, endpoint: program.output().trim().slice(0, -1) };
}

const isListening = (endpoint: string) =>
  fetch(endpoint, { method: 'POST' }).then(
    () => true,
    () => false,
  );

test.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)(
  'an engine in memory ends with its process: %s',
  async (signal) => {
    const { program, endpoint } = await use();
    expect(await isListening(endpoint)).toBe(true);
    program.kill(signal);
    await program.ended;
    await expect.poll(() => isListening(endpoint)).toBe(false);
  },
);

test('an engine that does not answer yet ends with its process', async () => {
  const folder = temporaryFolder();
  const program = start([process.execPath, '--input-type=module', '-e', USE, folder]);
  await expect.poll(() => readdirSync(folder)).toContain('dynamodb.sqlite');
  program.kill('SIGKILL');
  await program.ended;
  const running = () => start(['pgrep', '-f', join(folder, 'dynamodb.sqlite')]).ended.then(({ stdout }) => stdout);
  await expect.poll(running).toBe('');
});

test('the engine of a folder ends with the last process that uses it, even if all are killed', async () => {
  const folder = temporaryFolder();
  const first = await use(folder);
  const second = await use(folder);
  const engine = JSON.parse(readFileSync(join(folder, 'engine.json'), 'utf8')).pid;
  expect(second.endpoint).toBe(first.endpoint);
  first.program.kill('SIGKILL');
  await first.program.ended;
  await expect.poll(() => JSON.parse(readFileSync(join(folder, 'engine.json'), 'utf8')).users).toHaveLength(1);
  expect(isRunning(engine)).toBe(true);
  second.program.kill('SIGKILL');
  await second.program.ended;
  await expect.poll(() => isRunning(engine)).toBe(false);
  await expect.poll(() => readdirSync(folder)).not.toContain('engine.json');
});

test('a command that is interrupted leaves no part of a file, no lock, and no link to a console', async () => {
  const data = await localWorld().sequenced({ isLive: true });
  await data.logged();
  const way = await data.faulty();
  /** Interrupts a command when it has left something. @param answers those of the tables, which then hang */
  const run = async (name: RegExp, answers: number, args: readonly string[], signal: NodeJS.Signals = 'SIGINT') => {
    way.plan(...Array.from({ length: 50 }, (_, request) => (request < answers ? 'pass' : 'hang')));
    const options = { cwd: data.folder, env: { PATH: process.env.PATH, DYNAMODB_ENDPOINT: way.url } };
    const running = start([process.execPath, MAIN, ...args, '--local'], options);
    const left = () => readdirSync(data.folder, { recursive: true }).filter((one) => name.test(String(one)));
    await expect.poll(left).toHaveLength(1);
    running.kill(signal);
    expect([args[0], (await running.ended).exitCode, left()]).toEqual([args[0], 130, []]);
  };
  await run(/statement\.[0-9a-f]{16}$/, 2, ['statement', '--uid', data.owner.uid, '-o', 'statement']);
  await run(/logs\.[0-9a-f]{16}$/, 1, ['logs', 'export', '-o', 'logs']);
  await run(/\.lock$/, 0, ['logs', 'export', '--daily', 'days']);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    await run(/ailog-console/, 50, ['console', '--no-open', '--no-sync'], signal);
  }
});

test('a command that does not close DuckDB leaves no temporary folder', async () => {
  const folder = temporaryFolder();
  const open = `import { openEngine } from ${JSON.stringify(path('cli/store/duckdb/duckdb.ts'))};
    await openEngine();
    process.exit(7);`;
  const env = { ...process.env, TMPDIR: folder };
  expect((await start([process.execPath, '--input-type=module', '-e', open], { env }).ended).exitCode).toBe(7);
  expect(readdirSync(folder)).toEqual([]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('a benchmark leaves no temporary folder after %s', async (signal) => {
  const folder = temporaryFolder();
  const program = start([process.execPath, path('test/bench/bench.ts'), 'bytes'], {
    env: { ...process.env, TMPDIR: folder },
    cwd: path('.'),
  });
  await expect.poll(program.output).toMatch(/^Node/);
  await expect.poll(() => readdirSync(folder)).toHaveLength(1);
  program.kill(signal);
  expect((await program.ended).exitCode).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('the next run removes the folder of one that was killed', async () => {
  const folder = temporaryFolder();
  const env = { ...process.env, TMPDIR: folder };
  const open = `import open from ${JSON.stringify(path('test/setup/runFolder.ts'))}; open();`;
  const run = (rest: string) => start([process.execPath, '--input-type=module', '-e', open + rest], { env });
  const killed = run('setInterval(() => {}, 1000)');
  await expect.poll(() => readdirSync(folder)).toHaveLength(1);
  killed.kill('SIGKILL');
  await killed.ended;
  expect(readdirSync(folder)).toHaveLength(1);
  expect((await run('').ended).exitCode).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});
