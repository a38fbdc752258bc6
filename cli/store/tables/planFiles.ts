import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { readCredentials } from '../../shell/files/credentialsFile.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Target } from '../targets/target.ts';
import { apiKeysEditor } from './apiKeysEditor.ts';
import { credentialsId } from './issueKey.ts';

interface Destination {
  readonly output?: string | undefined;
  /** A folder: it gets the credentials of each key, a record, and what is for all teams. */
  readonly outputDir?: string | undefined;
}

export const DESTINATION = {
  output: { flags: '-o, --output <file>', help: 'write the credentials to a new file instead of stdout' },
  outputDir: { flags: '--output-dir <folder>', help: 'write a file for each key, and what teams need, to this folder' },
} as const;

export type CredentialsPath = Readonly<Record<'shown' | 'path', string>>;

type Keyed = { readonly uid: string; readonly accessKey?: string };

/** A key with the file for its credentials; without one, they are printed. */
export type Planned<Key> = { readonly key: Key; readonly file: CredentialsPath | undefined };

/** Names the files of keys; undefined for one key that goes to stdout. @throws Failure if several have no folder */
function nameFiles(keys: readonly Keyed[], { output, outputDir }: Destination): (string | undefined)[] {
  if (output !== undefined && outputDir !== undefined) {
    throw new Failure('usage', 'Give either --output or --output-dir, not both.');
  }
  if (outputDir === undefined) {
    if (keys.length <= 1) return [output];
    throw new Failure('usage', `The credentials of ${keys.length} keys need a folder.`, {
      advice: 'Give --output-dir FOLDER. It gets one file per key that only you can read.',
    });
  }
  const ofUid = Map.groupBy(keys, ({ uid }) => uid);
  return keys.map(({ uid, accessKey = '' }) => {
    // An imported access key may have characters that are not allowed in a file name.
    const key = ofUid.get(uid)?.length === 1 ? '' : `-${accessKey.replace(/[^\w-]/g, '_')}`;
    return join(outputDir, `${uid}${key}.env`);
  });
}

/** The changes that are left, and the stored keys whose files `--skip-existing` left out. */
interface Plan<Key> {
  readonly left: readonly Planned<Key>[];
  readonly done: readonly Planned<ApiKey>[];
}

/**
 * Plans the file of each key: several need a folder, in which they are named after UIDs. `--skip-existing` leaves out
 * the keys whose file is there. @param findStored returns the key as stored that has the credentials of a file
 * @throws Failure if another file is there; what `findStored` throws
 */
export async function planFiles<Key extends Keyed>(
  { cwd }: Surroundings,
  keys: readonly Key[],
  { skipExisting, ...destination }: Destination & { readonly skipExisting: boolean },
  findStored: (file: CredentialsPath, key: Key) => Promise<ApiKey>,
): Promise<Plan<Key>> {
  const names = nameFiles(keys, destination);
  const left: Planned<Key>[] = [];
  const done: Planned<ApiKey>[] = [];
  for (const [place, key] of keys.entries()) {
    const shown = names[place];
    const file = shown === undefined ? undefined : { shown, path: resolve(cwd(), shown) };
    if (!skipExisting || !file || !existsSync(file.path)) left.push({ key, file });
    else done.push({ key: await findStored(file, key), file });
  }
  requireNewFiles(left, destination);
  return { left, done };
}

/** Checks that the files of keys do not exist. @throws Failure that names the only one, or counts those that do */
function requireNewFiles(planned: readonly Planned<unknown>[], { outputDir }: Destination): void {
  const existing = planned.flatMap(({ file }) => (file && existsSync(file.path) ? [file.shown] : []));
  if (existing.length === 0) return;
  const [first] = existing;
  const several = `${existing.length} files exist in ${outputDir}, such as ${first}.`;
  const message = existing.length === 1 ? `The file ${first} already exists.` : several;
  const inFolder = 'Name another folder, or leave these out: --skip-existing.';
  const advice = outputDir === undefined ? 'Name another one: --output FILE.' : inFolder;
  throw new Failure('usage', message, { advice });
}

/**
 * Returns the key that has the credentials of a file as its current ones, by the table: a run that was interrupted has
 * written the file before it changed the key. @param made the change that must have made them
 * @param problemOf says why another one is wanted, as a predicate of the key @throws Failure
 */
export async function findStoredKey(
  target: Target,
  { path, shown }: CredentialsPath,
  made: 'issued' | 'rotated',
  problemOf: (key: ApiKey) => string | undefined,
): Promise<ApiKey> {
  const credentials = readCredentials(path);
  const { accessKey } = credentials;
  const key = await apiKeysEditor(target).get(accessKey);
  const change = key?.history?.findLast(({ change }) => ['issued', 'imported', 'rotated'].includes(change));
  const isCurrent = change?.id === credentialsId(credentials);
  const problem = key && (isCurrent ? problemOf(key) : 'does not have its credentials');
  if (key && change?.change === made && problem === undefined) return key;
  throw new Failure(
    'negative',
    `${shown} has the key ${accessKey}, which ${key ? (problem ?? `was not ${made}`) : 'does not exist'}.`,
    { advice: 'Delete the file or name another folder, then run the command again.' },
  );
}
