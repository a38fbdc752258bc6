import { appendFileSync, existsSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../../functions/auth/credentialStore.ts';
import { type IssuedCredentials, writeCredentials } from '../../shell/files/credentialsFile.ts';
import { namingFile } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { type Cell, csvLine } from '../../shell/text/csvLine.ts';
import type { Target } from '../targets/target.ts';
import { readAllowlistEntries } from './allowlistEditor.ts';
import { failChange } from './apiKeysEditor.ts';
import { missingForTeams, PAGE, writeForTeams } from './forTeams.ts';
import type { WriteOutcome } from './recordedTable.ts';

interface Destination {
  readonly output?: string | undefined;
  /** A folder: it gets the credentials of each key, a record, and what is for all teams. */
  readonly outputDir?: string | undefined;
}

/** A file for credentials: its name as the user gave it, and its path. */
type CredentialsPath = Readonly<Record<'shown' | 'path', string>>;

type Keyed = { readonly uid: string; readonly accessKey?: string };

/** A key with the file for its credentials; without one, they are printed. */
type Planned<Key> = { readonly key: Key; readonly file: CredentialsPath | undefined };

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

/**
 * Plans the file of each key: several need a folder, in which they are named after UIDs. `--skip-existing` leaves out
 * the keys whose file is there and passes a check. @throws Failure if another file is there; what the check throws
 */
export async function planFiles<Key extends Keyed>(
  { cwd }: Terminal,
  keys: readonly Key[],
  { skipExisting, ...destination }: Destination & { readonly skipExisting?: true | undefined },
  check: (file: CredentialsPath) => Promise<void> = async () => {},
): Promise<Planned<Key>[]> {
  const names = nameFiles(keys, destination);
  const planned: Planned<Key>[] = [];
  for (const [place, key] of keys.entries()) {
    const shown = names[place];
    const file = shown === undefined ? undefined : { shown, path: resolve(cwd(), shown) };
    if (!skipExisting || !file || !existsSync(file.path)) planned.push({ key, file });
    else await check(file);
  }
  requireNewFiles(planned, destination);
  return planned;
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

/** Prints the credentials of a single key, or the file that has them. @param facts further facts for JSON */
async function showCredentials(
  terminal: Terminal,
  facts: object,
  { accessKey, secret, passphrase }: IssuedCredentials,
  file: string | undefined,
  json: true | undefined,
): Promise<void> {
  const shown = file === undefined ? { accessKey, secret, passphrase } : { accessKey, file };
  await (json ? terminal.json({ ...facts, ...shown }) : terminal.facts(shown));
  if (file === undefined)
    terminal.note('The credentials are shown only once and stored only encrypted. Hand them over securely.');
  else terminal.note(`Only you can read ${file}. Hand it over securely, then delete it.`);
}

/**
 * Prints the files of several keys, also after an error: those that were written until then.
 * @param rest what is said about the others after an error; undefined without one
 */
async function showFiles(
  terminal: Terminal,
  done: readonly { readonly uid: string; readonly accessKey: string; readonly file: string }[],
  { total, rest, json }: { total: number; rest: string | undefined; json: true | undefined },
): Promise<void> {
  if (json) await terminal.json(done);
  else if (done.length > 0) {
    await terminal.table(done.map(({ uid, accessKey, file }) => ({ uid, 'access key': accessKey, file })));
  }
  terminal.note(
    rest === undefined
      ? `Files: ${done.length}. Only you can read them. Hand them over securely, then delete them.`
      : `Done: ${done.length} of ${total}. ${rest}`,
  );
}

/** Opens the record of who got which key, which has no secrets, for one line: it can be taken back. */
function openRecord(path: string) {
  const sizeNow = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const size = sizeNow();
  const heads = size > 0 ? '' : csvLine(['uid', 'team', 'accessKey', 'file', 'changedAt', 'expiresAt']);
  return {
    append: (cells: readonly Cell[]) =>
      namingFile(path, () => appendFileSync(path, heads + csvLine(cells), { mode: 0o600, flush: true })),
    /** Removes the line, or the part of it for which the disk had space. */
    takeBack: () => sizeNow() > size && truncateSync(path, size),
  };
}

/** A key with new credentials, which are stored nowhere else unencrypted. */
interface NewKey {
  readonly apiKey: ApiKey;
  readonly credentials: Credentials;
  /** Further facts for JSON. */
  readonly facts?: object;
  /** Stores the key. Throws only if the key was certainly not stored. */
  readonly store: () => Promise<WriteOutcome>;
}

/**
 * Hands the credentials of keys over, each before its key is stored. In this order, no interruption and no lost answer
 * can leave a key whose credentials nobody has, or that the record lacks. A file is deleted, and its line in the record
 * taken back, only if its key was certainly not stored.
 * @param options `single`: describe the only key, instead of listing the files
 */
export async function handOver<Key>(
  terminal: Terminal,
  target: Target,
  planned: readonly Planned<Key>[],
  { single, json, outputDir }: { single: boolean; json?: true | undefined } & Destination,
  create: (key: Key) => Promise<NewKey>,
): Promise<void> {
  const { baseUrl: url } = target;
  const folder = outputDir === undefined ? undefined : resolve(terminal.cwd(), outputDir);
  const done: { uid: string; accessKey: string; file: string }[] = [];
  let rest: string | undefined = 'The rest is unchanged.';
  const handOverOne = async (file: CredentialsPath | undefined, { apiKey, credentials, facts, store }: NewKey) => {
    const { accessKey, uid } = apiKey;
    const issued = { ...credentials, accessKey, uid, url };
    const show = async () => {
      if (single) await showCredentials(terminal, { uid, ...facts }, issued, file?.shown, json);
      else done.push({ uid, accessKey, file: file?.shown ?? '', ...facts });
    };
    const keep = file === undefined ? 'the credentials shown' : `${file.path}: it has the credentials of the change`;
    const advice = `Check it: ailog keys list ${accessKey}. Until then, keep ${keep}.`;
    const record = folder === undefined ? undefined : openRecord(join(folder, 'handed-over.csv'));
    const withdraw = () => {
      record?.takeBack();
      if (file !== undefined) rmSync(file.path, { force: true });
      else terminal.note('The credentials shown are not valid: nothing was changed.');
    };
    const { createdAt, rotatedAt: changedAt = createdAt, expiresAt } = apiKey;
    const [listed] = folder === undefined ? [] : await readAllowlistEntries(target, [uid]);
    const recorded = async () => {
      record?.append([uid, { freeText: listed?.entry?.team ?? '' }, accessKey, file?.shown, changedAt, expiresAt]);
      return store();
    };
    await target.uninterrupted(advice, async () => {
      if (file === undefined) await show();
      else writeCredentials(file.path, issued);
      const { outcome } = await recorded().catch((error) => {
        withdraw();
        throw error;
      });
      if (outcome === 'changed') withdraw();
      if (outcome !== 'stored') {
        rest = 'The rest is unchanged, apart from a key that the next message names.';
        throw failChange(accessKey, outcome, advice);
      }
      if (file !== undefined) await show();
    });
  };
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeForTeams(folder, target);
  }
  try {
    for (const { key, file } of planned) await handOverOne(file, await create(key));
    rest = undefined;
  } finally {
    if (!single) await showFiles(terminal, done, { total: planned.length, rest, json });
  }
  if (folder === undefined) return;
  for (const [name, how] of missingForTeams(folder)) {
    terminal.note(`Put ${name} there too, which ${PAGE} names: ${how}.`);
  }
}
