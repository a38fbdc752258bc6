import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  credentialsFrom,
  formatCredentials,
  readCredentials,
  writeCredentials,
} from '../../../../cli/shell/files/credentialsFile.ts';
import type { Failure } from '../../../../cli/shell/terminal/failure.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const access = { accessKey: 'ailog_1', secret: 's+/=', passphrase: 'p' };
const issued = { ...access, uid: '7', url: 'https://api.example.com' };
const newPath = () => join(temporaryFolder(), 'team.env');

/** Returns the failure of a call: its outcome, message and advice. */
function failureOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    const { outcome, message, advice } = error as Failure;
    return `${outcome}: ${message} ${advice}`;
  }
  throw new Error('It did not fail.');
}

test('a credentials file can be sourced by a shell, and only its owner can read it', () => {
  const path = newPath();
  writeCredentials(path, issued);
  expect(readFileSync(path, 'utf8')).toBe(`export AILOG_URL='https://api.example.com'
export AILOG_ACCESS_KEY='ailog_1'
export AILOG_SECRET='s+/='
export AILOG_PASSPHRASE='p'
export AILOG_UID='7'
`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readCredentials(path)).toEqual(access);
  expect(formatCredentials({ ...issued, url: undefined })).not.toContain('AILOG_URL');
});

test('is never written over another file', () => {
  const path = newPath();
  writeFileSync(path, 'mine');
  expect(failureOf(() => writeCredentials(path, issued))).toBe(
    `usage: The file ${path} already exists. Name another one: --output FILE.`,
  );
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('that cannot be written leaves nothing behind', () => {
  const path = join(newPath(), 'no', 'such', 'folder');
  expect(() => writeCredentials(path, issued)).toThrow('ENOENT');
  expect(existsSync(path)).toBe(false);
});

test('that others can read is rejected', () => {
  const path = newPath();
  writeCredentials(path, issued);
  for (const mode of [0o604, 0o640, 0o601, 0o610]) {
    chmodSync(path, mode);
    expect(failureOf(() => readCredentials(path))).toBe(
      `usage: Others can read the credentials in ${path}. Run: chmod 600 ${path}`,
    );
  }
});

test.each([0o700, 0o755])('that is a folder is called one, whoever can read it: %o', (mode) => {
  const path = temporaryFolder();
  chmodSync(path, mode);
  expect(failureOf(() => readCredentials(path))).toBe(
    `usage: ${path} is a folder, not a file. Give the file in it with the credentials, such as team.env.`,
  );
});

// biome-ignore format: one case a line
test.each<[string, Record<string, string>, string]>([
  ['one is missing', { AILOG_ACCESS_KEY: 'a', AILOG_SECRET: ' ', AILOG_PASSPHRASE: 'p' }, 'usage: AILOG_SECRET is missing in the environment. Set it, or give a file that has it.'],
  ['all are missing', {}, 'usage: AILOG_ACCESS_KEY, AILOG_SECRET, AILOG_PASSPHRASE are missing in the environment. Set them, or give a file that has them.'],
])('%s: the variables are named', (_name, values, expected) => {
  expect(failureOf(() => credentialsFrom(values, 'the environment'))).toBe(expected);
});

test('a byte-order mark, as editors of Windows write it, is no part of a name', () => {
  const path = newPath();
  writeFileSync(path, `\ufeff${formatCredentials(issued)}`, { mode: 0o600 });
  expect(readCredentials(path)).toEqual(access);
});

test.each([
  ['UTF-16', Buffer.from(`\ufeff${formatCredentials(issued)}`, 'utf16le')],
  ['UTF-16', Buffer.from(`\ufeff${formatCredentials(issued)}`, 'utf16le').swap16()],
  ['Latin-1 (Windows-1252)', Buffer.from("AILOG_PASSPHRASE='\xe9'\n", 'latin1')],
])('%s, as PowerShell writes it, is named', (name, bytes) => {
  const path = newPath();
  writeFileSync(path, bytes, { mode: 0o600 });
  expect(failureOf(() => readCredentials(path))).toContain(
    `usage: ${path} is not UTF-8: line 1 looks like ${name}. Save it again as UTF-8.`,
  );
});
