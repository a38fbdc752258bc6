import fs, { existsSync, fstatSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkExport } from '../../../cli/logs/checkExport.ts';
import { NOTHING_EXPORTED } from '../../../cli/logs/exportCounts.ts';
import { openExportFile } from '../../../cli/logs/exportFile.ts';

const newPath = () => join(mkdtempSync(join(tmpdir(), 'ailog-export-')), 'logs.jsonl');
const question = 'all';

/** Five pages of three records each. The first are the longest, so that what a crash leaves behind is longer than the rest. */
const PAGES = [5000, 400, 30, 20, 10].map((length, page) =>
  [0, 1, 2].map((index) => ({ uid: '1', entryId: `${page}-${index}`, body: 'x'.repeat(length) })),
);
const RECORDS = PAGES.flat();
const WHOLE = RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('');
const last = { uid: '1', entryId: '4-2' };

/** Exports the pages, or continues where an earlier call stopped. */
function exportPages(path: string): void {
  const file = openExportFile(path, { question, began: 0 });
  try {
    const first = file.state.after === undefined ? 0 : Number(file.state.after.entryId.split('-')[0]) + 1;
    let { entries } = file.state;
    for (const [index, page] of PAGES.entries()) {
      if (index < first) continue;
      for (const record of page) {
        file.write(`${JSON.stringify(record)}\n`);
        entries += 1;
      }
      if (index < PAGES.length - 1) file.keep({ ...NOTHING_EXPORTED, entries }, { uid: '1', entryId: `${index}-2` });
    }
    file.finish((part) => checkExport(part, { format: 'jsonl', entries, last }));
  } finally {
    file.close();
  }
}

/** The calls that change files. */
const CALLS = ['writeSync', 'fsyncSync', 'renameSync', 'ftruncateSync', 'writeFileSync', 'rmSync'] as const;
type Call = (typeof CALLS)[number];
const original = Object.fromEntries(CALLS.map((call) => [call, fs[call]])) as unknown as Pick<typeof fs, Call>;
afterEach(() => {
  Object.assign(fs, original);
  syncBuiltinESMExports();
});

/** Calls a function before every call that changes files. It may throw: then the call does not happen. */
function watchCalls(watch: (call: Call, args: readonly unknown[]) => void): void {
  for (const call of CALLS) {
    const watched = (...args: unknown[]) => {
      watch(call, args);
      return (original[call] as (...args: unknown[]) => unknown)(...args);
    };
    Object.assign(fs, { [call]: watched });
  }
  syncBuiltinESMExports();
}

describe('an export file', () => {
  test('ends up the same, whatever call was the last before the process died', () => {
    const path = newPath();
    let [deaths, calls] = [0, 0];
    for (let lethal = 1; !existsSync(path); lethal = lethal >= 12 ? 1 : lethal + 1) {
      calls = 0;
      watchCalls((call, args) => {
        calls += 1;
        if (calls !== lethal) return;
        // A process that is killed may have written a part of the bytes.
        if (call === 'writeSync')
          original.writeSync(args[0] as number, Buffer.alloc(20_000, '!'), 0, 20_000, args[4] as number);
        throw new Error('killed');
      });
      try {
        exportPages(path);
      } catch (error) {
        expect((error as Error).message).toBe('killed');
        expect(existsSync(path) && existsSync(`${path}.part`)).toBe(false);
        deaths += 1;
      }
    }
    expect(deaths).toBeGreaterThan(10);
    expect(readFileSync(path, 'utf8')).toBe(WHOLE);
  });

  test('never promises bytes that are not on disk', () => {
    const path = newPath();
    let synced = 0;
    const promised: number[] = [];
    watchCalls((call, [first, second]) => {
      // The note is synced too, which says nothing about the part.
      const isPart = () => fstatSync(first as number).ino === statSync(`${path}.part`).ino;
      if (call === 'fsyncSync' && isPart()) synced = statSync(`${path}.part`).size;
      if (call === 'renameSync' && second === `${path}.part.json`) {
        const { bytes } = JSON.parse(readFileSync(first as string, 'utf8'));
        promised.push(bytes);
        expect(synced).toBe(bytes);
      }
      if (call === 'writeFileSync') expect(String(first)).toBe(`${path}.part.json.new`);
      if (call === 'renameSync' && second === path) expect(synced).toBe(WHOLE.length);
    });
    exportPages(path);
    expect(promised).toHaveLength(PAGES.length - 1);
  });

  test('does not believe the note of a part that is gone, not even after the next interruption', () => {
    const path = newPath();
    const interrupted = openExportFile(path, { question, began: 0 });
    interrupted.write(WHOLE);
    interrupted.keep({ ...NOTHING_EXPORTED, entries: 15 }, last);
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
    expect(() => file.finish(() => {})).toThrow('already exists');
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  test('is not finished if the disk holds something else', () => {
    const path = newPath();
    const file = openExportFile(path, { question, began: 0 });
    file.write(WHOLE);
    writeFileSync(`${path}.part`, WHOLE.replace('x', '\0'));
    expect(() => file.finish(() => {})).toThrow('does not hold what was written to it');
    file.close();
    expect(existsSync(path)).toBe(false);
  });
});

describe('a finished export', () => {
  const check = (text: string, format: 'jsonl' | 'csv', entries: number, entryId: string) => () => {
    const path = newPath();
    writeFileSync(path, text);
    checkExport(path, { format, entries, last: { uid: '1', entryId } });
  };
  const csv = 'uid,entryId,body\n1,0-0,"a\n""b"\n1,0-1,x\n';

  test('has the right number of records and the right last one', () => {
    expect(check(WHOLE, 'jsonl', 15, '4-2')).not.toThrow();
    expect(check(csv, 'csv', 2, '0-1')).not.toThrow();
  });

  test.each([
    ['a record is missing', check(WHOLE, 'jsonl', 16, '4-2'), 'holds 15 entries instead of 16'],
    ['a row is missing', check(csv, 'csv', 3, '0-1'), 'holds 2 entries instead of 3'],
    ['the last line has no end', check(WHOLE.slice(0, -1), 'jsonl', 15, '4-2'), 'holds NaN entries'],
    ['the last record is another', check(WHOLE, 'jsonl', 15, '4-1'), 'does not end with the last entry'],
    ['the last row is another', check(csv, 'csv', 2, '0-0'), 'does not end with the last entry'],
  ])('%s', (_name, checked, message) => {
    expect(checked).toThrow(message);
  });
});
