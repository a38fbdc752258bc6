import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../../functions/auth/credentialStore.ts';
import { type IssuedCredentials, writeCredentials } from '../../shell/files/credentialsFile.ts';
import { csvLine } from '../../shell/files/csv.ts';
import { namingFile, writeNew } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import type { Target } from '../targets/target.ts';
import { readAllowlistEntries } from './allowlistEditor.ts';
import { failChange } from './apiKeysEditor.ts';
import type { WriteOutcome } from './recordedTable.ts';
import { formatTeamLetter } from './teamLetter.ts';

interface Destination {
  readonly output?: string | undefined;
  /** A folder: it gets the credentials and a letter for each key, and a record. */
  readonly outputDir?: string | undefined;
  /** Whom a team can ask, for the letters. */
  readonly contact?: string | undefined;
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

const letterBeside = (file: string): string => file.replace(/\.env$/, '.txt');

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
  const existing = planned.flatMap(({ file }) => {
    if (file === undefined) return [];
    if (existsSync(file.path)) return [file.shown];
    return outputDir !== undefined && existsSync(letterBeside(file.path)) ? [letterBeside(file.shown)] : [];
  });
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
      ? `Files: ${done.length}, each with a letter beside it. Only you can read them. Hand them over securely, then delete them.`
      : `Done: ${done.length} of ${total}. ${rest}`,
  );
}

/** Appends a line to the record of who got which key, in the folder of the files. It has no secrets. */
function recordFile(path: string, cells: Parameters<typeof csvLine>[0]): void {
  const heads = existsSync(path) ? '' : csvLine(['uid', 'team', 'accessKey', 'file', 'letter', 'changedAt']);
  namingFile(path, () => appendFileSync(path, heads + csvLine(cells), { mode: 0o600 }));
}

/** What letters name and a program of the organisers makes, with how they get it. */
const FOR_TEAMS = {
  'ailog.mjs': 'npm run pack:cli, then copy dist/ailog.mjs',
  'tlog.policy': 'ailog tlog export-policy -o tlog.policy',
} as const;

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));

/** Copies what letters name, and what those pages link to, to the folder that teams get. The newest copy counts. */
function copyForTeams(folder: string): void {
  for (const name of ['clients', 'clients.md', 'errors.md', 'proof.md', 'openapi.json'])
    cpSync(join(DOCS, name), join(folder, name), { recursive: true });
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
 * can leave a key whose credentials nobody has. A file is deleted only if its key was certainly not stored.
 * @param options `single`: describe the only key, instead of listing the files
 */
export async function handOver<Key>(
  terminal: Terminal,
  target: Target,
  planned: readonly Planned<Key>[],
  { single, json, outputDir, contact }: { single: boolean; json?: true | undefined } & Destination,
  create: (key: Key) => Promise<NewKey>,
): Promise<void> {
  const { baseUrl: url, tlogUrl: log } = target;
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
    const advice = `Check it: ailog keys show ${accessKey}. Until then, keep ${keep}.`;
    const withdraw = () => {
      if (file !== undefined) rmSync(file.path, { force: true });
      else terminal.note('The credentials shown are not valid: nothing was changed.');
    };
    const [listed] = outputDir === undefined ? [] : await readAllowlistEntries(target, [uid]);
    await target.uninterrupted(advice, async () => {
      if (file === undefined) await show();
      else writeCredentials(file.path, issued);
      const { outcome } = await store().catch((error) => {
        withdraw();
        throw error;
      });
      if (outcome === 'changed') withdraw();
      if (outcome !== 'stored') {
        rest = 'The rest is unchanged, apart from a key that the next message names.';
        throw failChange(accessKey, outcome, advice);
      }
      if (file !== undefined) await show();
      if (outputDir === undefined || file === undefined) return;
      const team = listed?.entry?.team;
      const text = formatTeamLetter(apiKey, { team, url, log, file: file.path, contact });
      writeNew([{ path: letterBeside(file.path), text }]);
      copyForTeams(resolve(terminal.cwd(), outputDir));
      const changedAt = apiKey.rotatedAt ?? apiKey.createdAt;
      const record = resolve(terminal.cwd(), outputDir, 'handed-over.csv');
      recordFile(record, [uid, { freeText: team ?? '' }, accessKey, file.shown, letterBeside(file.shown), changedAt]);
    });
  };
  if (outputDir !== undefined) mkdirSync(resolve(terminal.cwd(), outputDir), { recursive: true, mode: 0o700 });
  try {
    for (const { key, file } of planned) await handOverOne(file, await create(key));
    rest = undefined;
  } finally {
    if (!single) await showFiles(terminal, done, { total: planned.length, rest, json });
  }
  if (outputDir !== undefined) {
    const missing = Object.entries(FOR_TEAMS).filter(([name]) => !existsSync(resolve(terminal.cwd(), outputDir, name)));
    for (const [name, how] of missing) terminal.note(`Put ${name} there too, which the letters name: ${how}.`);
  }
}
