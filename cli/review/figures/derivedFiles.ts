/** Files that took long to compute from rows or order lists, kept in the folder of the rows for the next command. */
import { hash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWhole } from '../../shell/files/readWhole.ts';
import { replaceFile } from '../../shell/files/write.ts';
import { sha256Of } from '../rows/rowStore.ts';

/** The note on a derived file stands beside it, and names it: a file that none names does not count. */
type About<Value> = Readonly<{ file: string; sha256: string; rows: string | null; value: Value }>;

/** The number of files that are kept, the last used ones, although nobody used them in the last five minutes. */
const KEPT = 12;
const UNUSED_MS = 5 * 60_000;

/** The names of derived files, and of what is known of them. Others in their folder are not ours. */
const OWN = /^([0-9a-f-]{36}\.data|[0-9a-f]{32}\.json)$/;

/** The code that makes derived files decides about their content, too. */
const PROGRAM = ['review', 'store/duckdb', 'shell/text', 'shell/files', '../functions/ailog', '../functions/auth'];

export const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value)).slice(0, 32);

let program: string | undefined;

/** Returns a digest of the code that makes derived files: another version makes its own. */
function programDigest(): string {
  const filesOf = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|sql)$/.test(name))
      .sort()
      .map((name) => hash('sha256', readFileSync(join(folder, name))));
  program ??= digestOf(PROGRAM.flatMap((name) => filesOf(fileURLToPath(new URL(`../../${name}`, import.meta.url)))));
  return program;
}

/** The digest covers the name: a copy under the name of another file does not count. */
const textOf = (path: string, about: About<unknown>): string =>
  JSON.stringify([digestOf([basename(path), about]), about]);

/** The longest note on a derived file: the figures of 100 000 teams have a tenth. */
const ABOUT_BYTES = 256 * 1024 * 1024;

/** Returns what was written about a file; undefined: nothing, or otherwise. */
function readAbout(path: string): About<unknown> | undefined {
  try {
    const text = String(readWhole(path, ABOUT_BYTES));
    const [, about] = JSON.parse(text);
    return textOf(path, about) === text ? about : undefined;
  } catch {
    return undefined;
  }
}

async function findDerived<Value>(home: string, about: string, damaged: (path: string) => void) {
  if (!existsSync(about)) return undefined;
  const known = readAbout(about) as About<Value> | undefined;
  if (!known) return void damaged(about);
  const path = join(home, known.file);
  if (!existsSync(path)) return undefined;
  if ((await sha256Of(path)) !== known.sha256) return void damaged(path);
  const now = new Date();
  utimesSync(about, now, now);
  return { path, value: known.value };
}

function sweepDerived(home: string, rows: string | null): void {
  const names = readdirSync(home).filter((name) => OWN.test(name));
  // After a clock was set back, some are of the future.
  const ageOf = (name: string) =>
    Math.abs(Date.now() - (statSync(join(home, name), { throwIfNoEntry: false })?.mtimeMs ?? 0));
  const kept = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ name, age: ageOf(name), about: readAbout(join(home, name)) }))
    .sort((one, other) => one.age - other.age)
    .filter(({ age, about }, place) => age < UNUSED_MS || (place < KEPT && [null, rows].includes(about?.rows ?? null)));
  const named = new Set(kept.flatMap(({ name, about }) => [name, about?.file]));
  for (const name of names) {
    if (named.has(name) || ageOf(name) < UNUSED_MS) continue;
    // Windows deletes no file that is open: the next sweep does.
    try {
      rmSync(join(home, name), { force: true });
    } catch {}
  }
}

/**
 * Returns a file that derives from something: the one that is kept if it is whole, else a new one, which appears under
 * its name in one step. Its owner may read it until it closes it, even when it was deleted since.
 * @param from what decides about the content: text, numbers and digests
 * @param rows the digest of the rows in it; null: none
 * @param make writes the file to a path. Its result is kept too, as JSON
 * @param note told which file is damaged, and therefore made again
 */
export async function derive<Value>(
  folder: string,
  { from, rows }: { from: unknown; rows: string | null },
  make: (path: string) => Promise<Value>,
  note: (line: string) => void = () => {},
): Promise<{ path: string; value: Value }> {
  const home = join(folder, 'figures');
  const about = join(home, `${digestOf([programDigest(), rows, from])}.json`);
  const found = await findDerived<Value>(home, about, (path) => note(`Made again, because it is damaged: ${path}.`));
  if (found) return found;
  const temporary = join(folder, 'temporary', String(process.pid));
  for (const one of [home, temporary]) mkdirSync(one, { recursive: true, mode: 0o700 });
  const own = join(temporary, randomUUID());
  try {
    const value = await make(own);
    chmodSync(own, 0o600);
    const known: About<Value> = { file: `${randomUUID()}.data`, sha256: await sha256Of(own), rows, value };
    renameSync(own, join(home, known.file));
    replaceFile(about, textOf(about, known));
    sweepDerived(home, rows);
    return { path: join(home, known.file), value };
  } finally {
    rmSync(own, { force: true });
  }
}
