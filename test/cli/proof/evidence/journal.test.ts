import { spawnSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openJournal, RESULTS_LIMIT_BYTES } from '../../../../cli/proof/evidence/journal.ts';
import { execute, folderOf, start } from '../../../setup/world.ts';

const owner = { url: 'https://api.example.com', accessKey: 'k' };
const step = { file: '1.json', state: 'sending', digest: 'd', entryId: '1763103201300-00' } as const;
const { file: _, ...rest } = step;
const lineOf = (file: string) =>
  `${JSON.stringify({ file, url: owner.url, accessKey: 'k', ...rest, at: '2025-11-14T06:53:22.000Z' })}\n`;
const valuesIn = (path: string): object[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
const newPath = () => join(folderOf(), 'results.jsonl');
const RACER = fileURLToPath(new URL('./lockRacer.ts', import.meta.url));
const ended = spawnSync(process.execPath, ['--version']).pid;

describe('a result file', () => {
  test('has a line for each step, is private, and is known to the next run', async () => {
    const path = newPath();
    const journal = await openJournal(path, { ...owner, uid: '7' });
    expect(journal.last('1.json')).toBeUndefined();
    journal.add(step);
    journal.add({ ...step, state: 'stored', order: '9', receipt: 'r' });
    expect(journal.last('1.json')?.state).toBe('stored');
    journal.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const known = { url: owner.url, accessKey: 'k', uid: '7', at };
    const stored = { ...step, ...known, state: 'stored', order: '9', receipt: 'r' };
    expect(valuesIn(path)).toEqual([{ ...step, ...known }, stored]);
    expect(Object.keys(valuesIn(path)[1] ?? {}).join()).toBe(
      'file,url,accessKey,uid,state,digest,entryId,order,receipt,at',
    );
    const next = await openJournal(path, { ...owner, uid: '7' });
    expect(next.last('1.json')).toEqual(stored);
    expect(next.last('2.json')).toBeUndefined();
    next.close();
  });

  test('names no UID that is not known', async () => {
    const path = newPath();
    const journal = await openJournal(path, owner);
    journal.add(step);
    journal.close();
    expect(valuesIn(path)[0]).not.toHaveProperty('uid');
  });

  test('loses the half line of a power cut, and nothing else', async () => {
    const path = newPath();
    for (const before of ['', lineOf('决.json')]) {
      const starts = ['{', '{"fi', '{"file":"2', '{"file":"\\', '{"file":"2"', '{"file":"2","ur'];
      for (const half of [...starts, lineOf('2.json').slice(0, -2)]) {
        writeFileSync(path, before + half);
        (await openJournal(path, owner)).close();
        expect(readFileSync(path, 'utf8'), half).toBe(before);
      }
    }
    writeFileSync(path, `${lineOf('1.json')}\0\0\0`);
    (await openJournal(path, owner)).close();
    expect(readFileSync(path, 'utf8')).toBe(lineOf('1.json'));
  });

  test('keeps a whole line without a line feed', async () => {
    const path = newPath();
    writeFileSync(path, lineOf('1.json') + lineOf('2.json').trimEnd());
    const journal = await openJournal(path, owner);
    expect(journal.last('2.json')?.state).toBe('sending');
    journal.close();
    expect(readFileSync(path, 'utf8')).toBe(lineOf('1.json') + lineOf('2.json'));
  });

  test('has lines of up to 1 Mi characters', async () => {
    const path = newPath();
    const long = (characters: number) => lineOf('a'.repeat(characters - lineOf('').length + 1));
    writeFileSync(path, long(1024 * 1024));
    (await openJournal(path, owner)).close();
    writeFileSync(path, long(1024 * 1024 + 1));
    await expect(openJournal(path, owner)).rejects.toThrow(`Line 1 of ${path} is not JSON.`);
  });

  // biome-ignore format: one case a line
  test.each<[string, string, RegExp]>([
    ['a log without a final line feed', '{"stage":"decide","model":"m"}', /^Line 1 of .* is not a result of an upload: its file is missing\.$/],
    ['a log with a final line feed', '{"stage":"decide","model":"m"}\n', /^Line 1 of .* is not a result of an upload: its file is missing\.$/],
    ['a log that begins like a result', '{"file":"a.json","url":"https:","stage":"decide"}', /its accessKey is missing\.$/],
    ['a text', 'my notes', /^Line 1 of .* is not JSON\.$/],
    ['a text after results', `${lineOf('1.json')}my notes`, /^Line 2 of .* is not JSON\.$/],
    ['zero bytes alone', '\0\0', /^Line 1 of .* is not JSON\.$/],
    ['an array', '[]\n', /its file is missing\.$/],
    ['a number', '7', /it is not an object\.$/],
    ['a state that does not exist', lineOf('1.json').replace('sending', 'done'), /its state is none of sending, stored, /],
    ['a reason that is a number', lineOf('1.json').replace('}', ',"says":7}'), /its says is not a text\.$/],
    ['a receipt that is a number', lineOf('1.json').replace('}', ',"receipt":7}'), /its receipt is not a text\.$/],
  ])('%s is not used, and stays byte for byte', async (_name, text, says) => {
    const path = newPath();
    writeFileSync(path, text);
    await expect(openJournal(path, owner)).rejects.toMatchObject({ outcome: 'usage', message: expect.stringMatching(says) });
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('that is a link is not used, and stays byte for byte', async () => {
    const [path, target] = [newPath(), newPath()];
    writeFileSync(target, '{"file":"2');
    symlinkSync(target, path);
    await expect(openJournal(path, owner)).rejects.toMatchObject({ message: `${path} is a link.` });
    expect(readFileSync(target, 'utf8')).toBe('{"file":"2');
  });

  test('that is a pipe or a folder is refused at once', async () => {
    const [pipe, folder] = [newPath(), folderOf()];
    await execute(['mkfifo', pipe]);
    await expect(openJournal(pipe, owner)).rejects.toMatchObject({
      message: `${pipe} is a pipe or a device, not a file.`,
    });
    await expect(openJournal(folder, owner)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  test('that is too large is not read', async () => {
    const path = newPath();
    writeFileSync(path, '');
    truncateSync(path, RESULTS_LIMIT_BYTES + 1);
    await expect(openJournal(path, owner)).rejects.toMatchObject({ message: `${path} is larger than 256 MiB.` });
    expect(statSync(path).size).toBe(RESULTS_LIMIT_BYTES + 1);
  });
});

describe('two runs at the same time', () => {
  /** Writes a lock as another process would. @param age milliseconds since it was written */
  function lockBy(pid: string, age = 0): string {
    const path = newPath();
    writeFileSync(`${path}.lock`, pid);
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const at = new Date(Date.now() - age);
    utimesSync(`${path}.lock`, at, at);
    return path;
  }

  test.each([
    ['a running process has the lock', String(process.pid), 60_000, `Process ${process.pid}`],
    ['a process of another user has the lock', '1', 0, 'Process 1'],
    ['a process has just created the lock', '', 1999, 'Another process'],
  ])('%s: the second one is rejected, and the lock stays', async (_name, pid, age, who) => {
    const path = lockBy(pid, age);
    // No time passes for it.
    const waits = sleep(5000, 'waits', { ref: false });
    await expect(Promise.race([openJournal(path, owner), waits])).rejects.toMatchObject({
      outcome: 'usage',
      message: `${who} is already uploading this folder.`,
      advice: `Wait until it ends. If it is not an upload, remove ${path}.lock.`,
    });
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe(pid);
  });

  test.each([
    ['the process has ended', String(ended), 0],
    ['the process ended before it wrote its id', '', 2000],
  ])('%s: the lock is taken over', async (_name, pid, age) => {
    const path = lockBy(pid, age);
    const journal = await openJournal(path, owner);
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe(String(process.pid));
    journal.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('another one takes over the lock in the moment before this one does: its lock stays', async () => {
    const path = lockBy(String(ended));
    const { kill } = process;
    const spy = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (pid === ended && spy.mock.calls.length === 2) writeFileSync(`${path}.lock`, String(process.pid));
      return kill.call(process, pid, signal);
    });
    onTestFinished(() => spy.mockRestore());
    await expect(openJournal(path, owner)).rejects.toThrow(`Process ${process.pid}`);
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe(String(process.pid));
  });

  test('a process ended while it took over the lock: the lock is taken over', async () => {
    const path = lockBy(String(ended));
    writeFileSync(`${path}.lock.takeover`, String(ended));
    (await openJournal(path, owner)).close();
    expect(readdirSync(dirname(path))).toEqual(['results.jsonl']);
  });

  test('only one of several takes over the lock of a process that has ended', async () => {
    const [processes, rounds] = [3, 100];
    const folder = folderOf();
    for (let round = 0; round < rounds; round += 1) writeFileSync(join(folder, `${round}.lock`), String(ended));
    const racers = Array.from({ length: processes }, () =>
      start([process.execPath, RACER, folder, String(processes), String(rounds)]),
    );
    let problem: string | undefined;
    for (const { ended } of racers) ended.then(({ stderr }) => (problem ??= stderr));
    const areDone = () => problem !== undefined || racers.every(({ output }) => output().endsWith('\n'));
    try {
      await expect.poll(areDone).toBe(true);
      expect(problem, 'a process that died').toBeUndefined();
    } finally {
      for (const racer of racers) racer.kill('SIGKILL');
    }
    const won = racers.flatMap(({ output }): number[] => JSON.parse(output()));
    expect(won.sort((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, round) => round));
  });

  test('the second one waits for the first', async () => {
    const path = lockBy(String(process.pid));
    const opening = openJournal(path, owner, 60_000);
    expect(await Promise.race([opening, sleep(20, 'waiting')])).toBe('waiting');
    rmSync(`${path}.lock`);
    (await opening).close();
    expect(readdirSync(dirname(path))).toEqual(['results.jsonl']);
  });

  test('a lock that cannot be written is an error of the file system', async () => {
    await expect(openJournal(join(folderOf(), 'no/such/folder.jsonl'), owner)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
