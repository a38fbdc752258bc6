import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePath } from '../../../../cli/proof/audit/listFiles.ts';
import { flip, names, openCopiedLog } from './copiedLog.ts';

const log = await openCopiedLog();

/** The partial tiles of the newest tree. */
const NEWEST = /^tile\/(entries\/002|0\/002)\.p\/48$|^tile\/1\/000\.p\/2$/;

/** Returns false for what C2SP lets a copy leave out: all but the newest checkpoint and the tiles of its tree. */
function isNeeded(file: string): boolean {
  const parsed = parsePath(file);
  return file === 'checkpoint' || (parsed?.kind === 'tile' && (parsed.tile.width === 256 || NEWEST.test(file)));
}

describe('one change of a file is noticed, and the file is named:', () => {
  // biome-ignore format: one case a line
  const changes: [name: string, change: (bytes: Buffer) => Buffer | undefined][] = [
    ['the last byte', (bytes) => flip(bytes, bytes.length - 1)],
    ['a byte more', (bytes) => Buffer.concat([bytes, Buffer.of(0)])],
    ['no file', () => undefined],
  ];

  test.each(changes)('%s', { timeout: 300_000 }, async (_name, change) => {
    const copy = log.openCopy();
    const files = readdirSync(copy.path(''), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name).slice(copy.path('').length).replace(/^\//, ''));
    expect(files).toHaveLength(36);
    const unnoticed: string[] = [];
    for (const file of files) {
      const bytes = copy.read(file);
      const changed = change(bytes);
      if (changed) copy.write(file, changed);
      else rmSync(copy.path(file));
      const { exitCode, findings, notChecked } = await copy.audit();
      const isNamed = findings.some(names(file));
      // Nothing needs a staged batch once it is published.
      if (file.startsWith('staging/')) {
        if (exitCode !== 0) unnoticed.push(`${file}: ${exitCode}`);
        copy.write(file, bytes);
        continue;
      }
      // Without hints, nobody finds out when an entry came. A byte after their lines says nothing.
      if (file.startsWith('hints/')) {
        const expected = exitCode === 5 && notChecked.join().includes('hints');
        if (!expected) unnoticed.push(`${file}: ${exitCode} ${notChecked}`);
        copy.write(file, bytes);
        continue;
      }
      const isNoticed =
        changed || isNeeded(file)
          ? exitCode === 1 && isNamed
          : exitCode === 5 && findings.length === 0 && notChecked.join().includes(file);
      if (!isNoticed) unnoticed.push(`${file}: ${exitCode} ${JSON.stringify(findings)} ${notChecked}`);
      copy.write(file, bytes);
    }
    expect(unnoticed).toEqual([]);
    expect((await copy.audit()).exitCode).toBe(0);
  });
});

test.each(['checkpoint', 'checkpoints/259'])('every line of %s counts', async (file) => {
  const copy = log.openCopy();
  const lines = copy.read(file).toString().split('\n').slice(0, -1);
  expect(lines).toHaveLength(5);
  const unnoticed: string[] = [];
  for (const [at, line] of lines.entries()) {
    const changed = line === '' ? 'x' : `${line.slice(0, -2)}${line.at(-2) === 'A' ? 'B' : 'A'}${line.at(-1)}`;
    for (const other of [[changed], [], [line, line], [line, 'an extension']]) {
      copy.write(file, `${lines.toSpliced(at, 1, ...other).join('\n')}\n`);
      const { exitCode, findings } = await copy.audit();
      // The same signature twice, or empty lines around it, say nothing else.
      const isHarmless = at === 4 && other.length === 2 && other[1] === line;
      if (!isHarmless && (exitCode !== 1 || !findings.some(names(file)))) unnoticed.push(`${at}: ${other}`);
    }
  }
  expect(unnoticed).toEqual([]);
});
