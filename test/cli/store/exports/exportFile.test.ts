import fs, { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { KEEP_AFTER, type KeepAfter, openExportFile } from '../../../../cli/store/exports/exportFile.ts';
import { NO_COUNTS } from '../../../../cli/store/exports/exportPage.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const newPath = () => join(temporaryFolder(), 'logs.jsonl');
const question = 'all';

/**
 * Five pages of three records each. The first are the longest, so that what a crash leaves behind is longer than the
 * rest.
 */
const PAGES = [5000, 400, 30, 20, 10].map((length, page) =>
  [0, 1, 2].map((index) => ({ uid: '1', entryId: `${page}-${index}`, body: 'x'.repeat(length) })),
);
const RECORDS = PAGES.flat();
const WHOLE = RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('');
const last = { uid: '1', entryId: '4-2' };

/** The state is kept after every page, after some pages, or only where the export ends. */
const EVERY_PAGE = { bytes: 0, ms: Number.POSITIVE_INFINITY };
const SOME_PAGES = { ...EVERY_PAGE, bytes: 1250 };
const NO_PAGE = { ...EVERY_PAGE, bytes: Number.POSITIVE_INFINITY };

/** Exports the pages, or continues where an earlier call stopped. */
function exportPages(path: string, keepAfter: KeepAfter = EVERY_PAGE): void {
  const file = openExportFile(path, { question, began: 0 }, keepAfter);
  try {
    const first = file.state.after === undefined ? 0 : Number(file.state.after.entryId.split('-')[0]) + 1;
    let { entries } = file.state;
    for (const [index, page] of PAGES.entries()) {
      if (index < first) continue;
      for (const record of page) {
        file.write(`${JSON.stringify(record)}\n`);
        entries += 1;
      }
      const after = { uid: '1', entryId: `${index}-2` };
      if (index < PAGES.length - 1) file.completePage({ ...NO_COUNTS, entries }, after);
    }
    file.finish();
    expect(entries).toBe(RECORDS.length);
  } finally {
    file.close();
  }
}

/** The calls that change files. */
const CALLS = ['writeSync', 'fsyncSync', 'renameSync', 'ftruncateSync', 'writeFileSync', 'rmSync'] as const;
type Call = (typeof CALLS)[number];
const original = Object.fromEntries(CALLS.map((call) => [call, fs[call]])) as unknown as Pick<typeof fs, Call>;
function restoreCalls(): void {
  Object.assign(fs, original);
  syncBuiltinESMExports();
}
afterEach(restoreCalls);

/**
 * Calls a function before every call that changes files. It may throw: then the call does not happen. No file is really
 * synchronized, which would take most of the time.
 */
function watchCalls(watch: (call: Call, args: readonly unknown[]) => void): void {
  for (const call of CALLS) {
    const watched = (...args: unknown[]) => {
      // The names of files are test/cli/shell/files/durable.test.ts's.
      if (call === 'fsyncSync' && fs.fstatSync(args[0] as number).isDirectory()) return;
      watch(call, args);
      if (call === 'fsyncSync') return;
      if (call === 'writeFileSync')
        return original.writeFileSync(args[0] as string, args[1] as string, { mode: 0o600 });
      return (original[call] as (...args: unknown[]) => unknown)(...args);
    };
    Object.assign(fs, { [call]: watched });
  }
  syncBuiltinESMExports();
}

/** The length of the file after each page but the last, which is never kept: the file is finished then. */
const [first = 0, second = 0, third = 0, fourth = 0] = PAGES.map((_, index) =>
  PAGES.slice(0, index + 1)
    .flat()
    .reduce((sum, record) => sum + JSON.stringify(record).length + 1, 0),
);

/** Returns the length of the part that the note promises. */
const promisedBy = (note: string): number => (existsSync(note) ? JSON.parse(readFileSync(note, 'utf8')).bytes : 0);

/** How a process dies: its disk keeps everything that it wrote, or only what was synchronized. */
type Death = 'killed' | 'powerless';

/**
 * Exports the pages until the process dies.
 * @param lethal the number of the call that it does not survive
 * @returns false if there were fewer calls, so that the export is finished
 */
function dieAt(lethal: number, path: string, keepAfter: KeepAfter, death: Death): boolean {
  let calls = 0;
  let synced = promisedBy(`${path}.part.json`);
  watchCalls((call, args) => {
    calls += 1;
    // A process that is killed may have written a part of the bytes.
    if (call === 'writeSync' && calls === lethal)
      original.writeSync(args[0] as number, Buffer.alloc(20_000, '!'), 0, 20_000, args[4] as number);
    if (calls >= lethal) throw new Error('died');
    if (call === 'fsyncSync') synced = statSync(`${path}.part`).size;
  });
  try {
    exportPages(path, keepAfter);
    return false;
  } catch (error) {
    restoreCalls();
    expect((error as Error).message).toBe('died');
    expect(existsSync(path) && existsSync(`${path}.part`)).toBe(false);
    if (death === 'powerless' && existsSync(`${path}.part`)) {
      const bytes = readFileSync(`${path}.part`);
      writeFileSync(`${path}.part`, bytes.fill(0, Math.min(synced, bytes.length)));
    }
    return true;
  }
}

describe.each<[string, KeepAfter]>([
  ['every page', EVERY_PAGE],
  ['some pages', SOME_PAGES],
  ['no page', NO_PAGE],
])('an export that keeps its state after %s', (_name, keepAfter) => {
  test.each<[Death]>([['killed'], ['powerless']])('ends up the same, whatever call was the last: %s', (death) => {
    let lethal = 1;
    for (let died = true; died; lethal += 1) {
      const path = newPath();
      died = dieAt(lethal, path, keepAfter, death);
      watchCalls(() => {});
      if (!existsSync(path)) exportPages(path, NO_PAGE);
      expect(readFileSync(path, 'utf8'), `last call: ${lethal}`).toBe(WHOLE);
      // A process that dies after the last step but one leaves the note. The next export removes it.
      expect(readdirSync(dirname(path)).filter((name) => name !== 'logs.jsonl.part.json')).toEqual(['logs.jsonl']);
    }
    expect(lethal).toBeGreaterThan(20);
  });

  test('ends up the same after many deaths', () => {
    const path = newPath();
    let deaths = 0;
    // The process dies a call later each time, so that it gets ahead from one kept state to the next.
    while (!existsSync(path)) deaths += Number(dieAt(deaths + 1, path, keepAfter, deaths % 2 ? 'killed' : 'powerless'));
    expect(deaths).toBeGreaterThan(10);
    expect(readFileSync(path, 'utf8')).toBe(WHOLE);
  });

  test('loses nothing when it ends early in order', () => {
    const path = newPath();
    let writes = 0;
    // The disk is full in the middle of the third page. There is space for the note only if that page gives up its own.
    watchCalls((call, args) => {
      if (call === 'writeFileSync' && writes >= 8 && statSync(`${path}.part`).size > second) throw new Error('full');
      if (call !== 'writeSync' || args[4] === undefined) return;
      writes += 1;
      if (writes !== 8) return;
      original.writeSync(args[0] as number, Buffer.from('{"uid'), 0, 5, args[4] as number);
      throw new Error('full');
    });
    expect(() => exportPages(path, keepAfter)).toThrow('full');
    restoreCalls();
    expect(promisedBy(`${path}.part.json`)).toBe(second);
    exportPages(path, keepAfter);
    expect(readFileSync(path, 'utf8')).toBe(WHOLE);
  });

  test('does not trust bytes whose synchronization failed, though the next one succeeds', () => {
    for (let failing = 1; ; failing += 1) {
      const path = newPath();
      let syncs = 0;
      let synced = 0;
      watchCalls((call) => {
        if (call !== 'fsyncSync') return;
        syncs += 1;
        if (syncs === failing) throw new Error('input/output error');
        // The kernel has dropped the bytes that it could not write, and says so only once.
        if (syncs < failing) synced = statSync(`${path}.part`).size;
      });
      try {
        exportPages(path, keepAfter);
      } catch (error) {
        expect((error as Error).message).toBe('input/output error');
      }
      restoreCalls();
      if (syncs < failing) break;
      expect(promisedBy(`${path}.part.json`)).toBe(synced);
      writeFileSync(`${path}.part`, readFileSync(`${path}.part`).fill(0, synced));
      exportPages(path, keepAfter);
      expect(readFileSync(path, 'utf8')).toBe(WHOLE);
    }
  });
});

describe('an export file', () => {
  test.each<[string, KeepAfter, number[]]>([
    ['after every page', EVERY_PAGE, [first, second, third, fourth]],
    ['after so many bytes', SOME_PAGES, [first, second]],
    ['after so much time', { bytes: Number.POSITIVE_INFINITY, ms: 0 }, [first, second, third, fourth]],
    ['never', NO_PAGE, []],
    ['after the usual bytes and time', KEEP_AFTER, []],
  ])('keeps its state %s, and never promises bytes that are not on disk', (_name, keepAfter, kept) => {
    const path = newPath();
    let synced = 0;
    const promised: number[] = [];
    watchCalls((call, [, second]) => {
      if (call === 'fsyncSync') synced = statSync(`${path}.part`).size;
      if (call === 'renameSync' && second === `${path}.part.json`) {
        promised.push(promisedBy(`${path}.part.json.new`));
        expect(synced).toBe(promised.at(-1));
      }
      if (call === 'renameSync' && second === path) expect(synced).toBe(WHOLE.length);
    });
    exportPages(path, keepAfter);
    expect(promised).toEqual(kept);
  });

  test('does not believe the note of a part that is gone, not even after the next interruption', () => {
    const path = newPath();
    const interrupted = openExportFile(path, { question, began: 0 });
    interrupted.write(WHOLE);
    interrupted.completePage({ ...NO_COUNTS, entries: 15 }, last);
    interrupted.close();
    original.rmSync(`${path}.part`);
    openExportFile(path, { question, began: 0 }).close();
    expect(existsSync(`${path}.part.json`)).toBe(false);
    exportPages(path);
    expect(readFileSync(path, 'utf8')).toBe(WHOLE);
  });

  test('its note is on disk before it gets its name', () => {
    const path = newPath();
    const flushed: unknown[] = [];
    watchCalls((call, args) => {
      if (call === 'writeFileSync') flushed.push((args[2] as { flush?: boolean }).flush);
    });
    exportPages(path);
    expect(flushed).toEqual(PAGES.slice(1).map(() => true));
  });

  test('is not finished over a file that appeared meanwhile', () => {
    const path = newPath();
    const file = openExportFile(path, { question, began: 0 });
    file.write('x\n');
    writeFileSync(path, 'precious');
    expect(() => file.finish()).toThrow('already exists');
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  test('is not finished if the disk holds something else', () => {
    const path = newPath();
    const file = openExportFile(path, { question, began: 0 });
    file.write(WHOLE);
    file.completePage({ ...NO_COUNTS, entries: 15 }, last);
    writeFileSync(`${path}.part`, WHOLE.replace('x', '\0'));
    expect(() => file.finish()).toThrow('does not hold what was written to it');
    file.close();
    expect([existsSync(path), existsSync(`${path}.part.json`)], 'nor is its state kept').toEqual([false, false]);
  });
});
