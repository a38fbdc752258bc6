import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AuditRequest } from '../../../cli/audit/auditState.ts';
import { runAudit } from '../../../cli/audit/runAudit.ts';
import { showAsJson } from '../../../cli/audit/showResult.ts';
import { policyText } from '../../../cli/inclusion/policyText.ts';
import type { Target } from '../../../cli/target/target.ts';
import { folderFiles, type TlogFiles } from '../../../cli/target/tlogFiles.ts';
import { createTerminal } from '../../../cli/terminal/terminal.ts';
import { parsePolicy } from '../../../functions/c2sp/policy.ts';
import { arrivalKeys } from '../../../functions/tlog/arrival.ts';
import { type LogFixture, openLogFixture } from '../../sequencer/logFixture.ts';
import { openFixture } from '../../setup/fixture.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';
import { MINUTE_MS } from '../../setup/time.ts';

let log: LogFixture;
let policy: string;

beforeAll(async () => {
  log = await openLogFixture(await openFixture({ receiptKey: false }));
  await log.run();
  for (const count of [600, 5, 500]) {
    const entries = await log.upload(count);
    log.clock.advance(MINUTE_MS);
    await log.run();
    // Something to find in each batch, so that the findings of every phase must survive an interruption.
    const [removed, edited] = entries as [(typeof entries)[number], (typeof entries)[number]];
    const { db, names } = log;
    await db.send(new DeleteCommand({ TableName: names.aiLogs, Key: { uid: removed.uid, entryId: removed.entryId } }));
    await db.send(
      new PutCommand({ TableName: names.aiLogs, Item: { ...edited, ...arrivalKeys(edited), locale: 'zh-CN' } }),
    );
  }
  writeFileSync(join(log.folder, 'tile/0/001'), Buffer.alloc(8192));
  policy = policyText({ keys: (await log.head()).keys });
});

/** Collects what is written. */
function collector() {
  const chunks: Buffer[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

class Killed extends Error {}

/** Runs the audit of the log. @param killAt the read of a file or of the tables at which it ends; 0: none */
async function audit(
  workFolder: string,
  { killAt = 0, change = {} as Partial<AuditRequest>, signal = new AbortController().signal } = {},
) {
  let reads = 0;
  const step = () => {
    reads += 1;
    if (reads === killAt) throw new Killed(`at read ${reads}`);
  };
  const real = folderFiles(log.folder);
  const files: TlogFiles = {
    ...real,
    read: async (path) => {
      step();
      return real.read(path);
    },
  };
  const send = (command: never) => {
    step();
    return log.db.send(command);
  };
  const db = new Proxy(log.db, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) });
  const target = { name: 'the test', db, tables: log.names, now: async () => log.clock.now() } as unknown as Target;
  const [stdout, stderr] = [collector(), collector()];
  const streams = { stdin: process.stdin, stdout: stdout.stream, stderr: stderr.stream };
  const terminal = createTerminal({ env: {}, ...streams, cwd: tmpdir, signal } as never);
  const request: AuditRequest = {
    files,
    target,
    policy: parsePolicy(policy),
    previous: [],
    known: [],
    retention: undefined,
    bodies: true,
    workFolder,
    question: 'the log of the test',
    keepAfter: 0,
    ...change,
  };
  try {
    await runAudit(terminal, request, showAsJson(terminal));
  } catch (error) {
    return { error: error as Error, reads, stdout: '', stderr: stderr.text() };
  }
  return { error: undefined, reads, stdout: stdout.text(), stderr: stderr.text() };
}

const newFolder = () => join(temporaryFolder(), 'work');

test('an audit that is killed at any moment continues, and finds the same', async () => {
  const whole = await audit(newFolder());
  const result = JSON.parse(whole.stdout);
  expect(result).toMatchObject({ ok: false, size: 1107, rows: 1102 });
  expect(result.counts).toMatchObject({ removed: 3, edited: 3, tile: 1 });
  expect(whole.reads).toBeGreaterThan(25);
  let continued = 0;
  // The beginning, the log, the table (which takes two reads for each UID), and the comparison.
  const all = [1, 12, 30, Math.floor(whole.reads / 2), whole.reads];
  const kills = process.env.THOROUGH ? all : [12, Math.floor(whole.reads / 2), whole.reads];
  for (const killAt of kills) {
    const work = newFolder();
    const killed = await audit(work, { killAt });
    expect(killed.error).toBeInstanceOf(Killed);
    // Killed again a little later, and then not any more.
    await audit(work, { killAt: 4 });
    const resumed = await audit(work);
    expect(resumed.error).toBeUndefined();
    expect(resumed.stdout, `killed at read ${killAt}`).toBe(whole.stdout);
    if (resumed.reads < whole.reads) continued += 1;
  }
  expect(continued).toBeGreaterThan(1);
});

test('an audit that Ctrl-C ends continues', async () => {
  const work = newFolder();
  const controller = new AbortController();
  controller.abort();
  const stopped = await audit(work, { signal: controller.signal });
  expect(stopped.error).toMatchObject({ outcome: 'interrupted' });
  const { stdout, stderr } = await audit(work);
  expect(JSON.parse(stdout).size).toBe(1107);
  expect(stderr).toBe(`Continuing the audit in ${work}.\n`);
});

describe('a work folder', () => {
  const noteOf = (work: string) => join(work, 'audit.json');
  const changeNote = (work: string, change: Record<string, unknown>) =>
    writeFileSync(noteOf(work), JSON.stringify({ ...JSON.parse(readFileSync(noteOf(work), 'utf8')), ...change }));

  // biome-ignore format: one case a line
  test.each<[name: string, damage: (work: string) => void, message: RegExp, advice: RegExp]>([
    ['of another audit', (work) => changeNote(work, { question: 'another' }), /belongs to another audit: another\.$/, /--work/],
    ['with a note that is not JSON', (work) => writeFileSync(noteOf(work), '{"question":'), /audit\.json is damaged/, /^Delete /],
    ['with a note without files', (work) => changeNote(work, { files: 1 }), /audit\.json is damaged/, /^Delete /],
    ['with a changed file', (work) => {
      const name = readdirSync(work).find((one) => one.startsWith('leaves')) as string;
      const bytes = readFileSync(join(work, name));
      bytes[5] = (bytes[5] as number) ^ 1;
      writeFileSync(join(work, name), bytes);
    }, /leaves-0 was changed since the audit was interrupted\.$/, /^Delete /],
    ['with a file that was cut', (work) => writeFileSync(join(work, 'paths'), ''), /paths was changed/, /^Delete /],
  ])('%s is an error with advice', async (_name, damage, message, advice) => {
    const work = newFolder();
    expect((await audit(work, { killAt: 20 })).error).toBeInstanceOf(Killed);
    damage(work);
    const before = readdirSync(work).map((name) => readFileSync(join(work, name), 'hex'));
    const { error } = await audit(work);
    expect(error).toMatchObject({ outcome: 'usage', message: expect.stringMatching(message), advice: expect.stringMatching(advice) });
    expect(readdirSync(work).map((name) => readFileSync(join(work, name), 'hex'))).toEqual(before);
  });

  test('with other files is an error, and they stay', async () => {
    const work = newFolder();
    mkdirSync(work);
    writeFileSync(join(work, 'thesis.txt'), 'x');
    const { error } = await audit(work);
    expect(error).toMatchObject({ outcome: 'usage', message: `${work} has files that are not those of an audit.` });
    expect(readdirSync(work)).toEqual(['thesis.txt']);
  });

  test('in which another process works is an error', async () => {
    const work = newFolder();
    await audit(work, { killAt: 20 });
    const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30_000)']);
    changeNote(work, { process: other.pid });
    const { error } = await audit(work);
    other.kill();
    expect(error).toMatchObject({ outcome: 'usage', message: `Process ${other.pid} is working in ${work}.` });
  });
});
