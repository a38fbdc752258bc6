import { createHash, hash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { ROW_VERSION } from '../../../functions/features/featureRow.ts';
import { readWhole } from '../../shell/files/readWhole.ts';
import { replaceFile, settleFile } from '../../shell/files/write.ts';
import { nameSome } from '../../shell/text/numbers.ts';
import type { EntryKey } from '../../store/entries/entryFilter.ts';
import type { Target } from '../../store/targets/target.ts';

/** The kinds of files: feature rows, folded texts, leaders of near-duplicates, and entry hashes of the tlog. */
export type Kind = 'entries' | 'texts' | 'near' | 'leaves';

/** A file of the store. Its name begins with its kind, as in `entries/received_day=2025-11-14/….parquet`. */
export interface StoredFile {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** An entry without a row, or whose row is not that of the table any more. */
export interface Problem extends EntryKey {
  readonly problem: string;
  readonly hasRow?: boolean;
  /** The entry hash in hex, if one follows from the attributes. */
  readonly leaf?: string | undefined;
}

/** The state of a store. What it does not name is not part of the store. */
export interface Manifest {
  readonly rowVersion: number;
  /** The table, see `sourceOf`. */
  readonly source: string;
  /** The place in the table from which the first sync continues; absent: it is complete. */
  readonly after?: EntryKey | 'start' | undefined;
  /** Milliseconds since 1970. Entries received before it have rows, except those that the index showed too late. */
  readonly until: number;
  /** The size and the root of the transparency log with which the rows were compared. */
  readonly treeSize: number;
  readonly root: string;
  /** The number of entries in it that the table did not have. */
  readonly missing: number;
  /** The number of logs of rehearsals that were removed before the rows were made. */
  readonly rehearsed: number;
  /** The number of entries that the table counted at the last sync. DynamoDB counts every six hours. */
  readonly itemCount: number;
  readonly files: readonly StoredFile[];
  readonly problems: readonly Problem[];
  /** Files that a report may still read, and since when the store does not need them, in milliseconds since 1970. */
  readonly retired: readonly { readonly name: string; readonly at: number }[];
}

/** The names of stored files, finished or not. */
const STORED = /^(entries|texts|near|leaves)\/.*\.parquet(\.new)?$/;

/** The time after which a retired file is deleted. No report takes that long. */
const RETIRED_MS = 3_600_000;

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** The longest manifest: that of 10 000 days has a tenth. */
const MANIFEST_BYTES = 64 * 1024 * 1024;

/** A manifest as it is stored: after its own SHA-256, which tells if a bit of it was changed since. */
const textOf = (manifest: Manifest): string => JSON.stringify([hash('sha256', JSON.stringify(manifest)), manifest]);

/** The digest of each file that was read in this process, with what changes when somebody writes the file. */
const digests = new Map<string, { readonly state: string; readonly sha256: Promise<string> }>();

/** Returns the SHA-256 of a file, which is read once as long as nobody writes it; undefined: it is gone. */
function digestOf(path: string): Promise<string> | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const state = [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join();
  const known = digests.get(path);
  if (known?.state === state) return known.sha256;
  const sha256 = sha256Of(path);
  digests.set(path, { state, sha256 });
  return sha256;
}

/** Returns what tells a table from any other, also from the one of the same name before it. */
export const sourceOf = ({ TableArn, TableId, CreationDateTime }: TableDescription): string =>
  `${TableArn} ${TableId ?? CreationDateTime?.toISOString()}`;

export type RowStore = ReturnType<typeof rowStore>;

export const emptyManifest = (source: string, rehearsed = 0): Manifest => ({
  rowVersion: ROW_VERSION,
  source,
  after: 'start',
  until: 0,
  treeSize: 0,
  root: '',
  missing: 0,
  rehearsed,
  itemCount: 0,
  files: [],
  problems: [],
  retired: [],
});

/** Opens the store in a folder. Only `add`, `commit` and `sweep` change it: hold its lock. */
export function rowStore(folder: string) {
  const path = join(folder, 'manifest.json');
  const nameFile = (part: string): string => {
    mkdirSync(join(folder, part), { recursive: true, mode: 0o700 });
    return `${part}/${randomUUID()}.parquet`;
  };
  return {
    folder,

    /** The path whose lock a sync holds: it is beside the folder. */
    lock: folder,

    /** Reads the manifest; undefined if there is none, `damaged` if it is not as it was written. */
    read(): Manifest | 'damaged' | undefined {
      if (!existsSync(path)) return undefined;
      try {
        const text = String(readWhole(path, MANIFEST_BYTES));
        const [, manifest] = JSON.parse(text);
        return textOf(manifest) === text ? manifest : 'damaged';
      } catch {
        return 'damaged';
      }
    },

    /** Returns the files that are gone or have another size, without reading them. */
    findCut: (files: readonly StoredFile[]): StoredFile[] =>
      files.filter(({ name, bytes }) => statSync(join(folder, name), { throwIfNoEntry: false })?.size !== bytes),

    /** Returns the files that are not as they were written. This process reads each once. */
    async findDamaged(files: readonly StoredFile[]): Promise<StoredFile[]> {
      const damaged: StoredFile[] = [];
      for (const file of files) {
        if ((await digestOf(join(folder, file.name))) !== file.sha256) damaged.push(file);
      }
      return damaged;
    },

    commit: (manifest: Manifest): void => replaceFile(path, textOf(manifest)),

    /** Writes a file. It is part of the store when a manifest names it. @param part a folder below that of its kind */
    add(kind: Kind, bytes: Uint8Array, rows: number, part = ''): StoredFile {
      const name = nameFile(part === '' ? kind : `${kind}/${part}`);
      replaceFile(join(folder, name), bytes);
      return { name, rows, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    },

    /**
     * As `add`, for a file that a step writes.
     * @param part its folder, which begins with its kind
     * @param write writes it, and returns the number of its rows
     */
    async addBy(part: string, write: (path: string) => Promise<number>): Promise<StoredFile> {
      const name = nameFile(part);
      const path = join(folder, name);
      const rows = await write(path);
      settleFile(path);
      return { name, rows, bytes: statSync(path).size, sha256: await sha256Of(path) };
    },

    /** Deletes what the manifest does not name, and files that were retired long ago. @returns the manifest without */
    sweep(manifest: Manifest, now: number): Manifest {
      const retired = manifest.retired.filter(({ at }) => Math.abs(now - at) < RETIRED_MS);
      const named = new Set([...manifest.files, ...retired].map(({ name }) => name));
      for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const name = file.replaceAll('\\', '/');
        if (STORED.test(name) && !named.has(name)) rmSync(join(folder, file), { force: true });
      }
      return { ...manifest, retired };
    },
  };
}

export const openStore = ({ rowsFolder }: Pick<Target, 'rowsFolder'>): RowStore => rowStore(rowsFolder);

/** Returns a manifest in which some files are replaced by others. @param now milliseconds since 1970 */
export function replaceFiles(
  manifest: Manifest,
  old: readonly StoredFile[],
  files: readonly StoredFile[],
  now: number,
): Manifest {
  return {
    ...manifest,
    files: [...manifest.files.filter((file) => !old.includes(file)), ...files],
    retired: [...manifest.retired, ...old.map(({ name }) => ({ name, at: now }))],
  };
}

export const filesOf = ({ files }: Manifest, kind: Kind): StoredFile[] =>
  files.filter(({ name }) => name.startsWith(`${kind}/`));

/** Names files as a message does: three of them. */
export function nameFiles(files: readonly StoredFile[]): string {
  const names = files.map(({ name }) => name);
  return nameSome(names, 3);
}

export const countRows = (manifest: Manifest): number =>
  filesOf(manifest, 'entries').reduce((sum, { rows }) => sum + rows, 0);

/** Returns the number of entries that have a row, or a problem instead. */
export const countEntries = (manifest: Manifest): number =>
  countRows(manifest) + manifest.problems.filter(({ hasRow }) => hasRow !== true).length;
