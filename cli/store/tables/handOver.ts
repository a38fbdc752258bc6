import { closeSync, fsyncSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../../functions/auth/credentialStore.ts';
import { writeCredentials } from '../../shell/files/credentialsFile.ts';
import { readOpened } from '../../shell/files/readWhole.ts';
import { makeFolder, namingFile, openToAppend, writeFully } from '../../shell/files/write.ts';
import type { Block, Context } from '../../shell/terminal/defineCommand.ts';
import type { Row } from '../../shell/terminal/format.ts';
import { type Cell, csvLine } from '../../shell/text/csvLine.ts';
import type { Target } from '../targets/target.ts';
import { readAllowlistEntries } from './allowlistEditor.ts';
import { failChange } from './apiKeysEditor.ts';
import { missingForTeams, PAGE, writeForTeams } from './forTeams.ts';
import { credentialsId } from './issueKey.ts';
import type { CredentialsPath, Planned } from './planFiles.ts';
import type { WriteOutcome } from './recordedTable.ts';

/** The longest record: one of a hundred thousand keys. */
const RECORD_BYTES = 16 * 1024 * 1024;

/** Opens the record of who got which key, which has no secrets. People may add columns and lines to it. */
function openRecord(path: string) {
  const file = openToAppend(path);
  let text = String(readOpened(path, file, RECORD_BYTES));
  const add = (cells: readonly Cell[]) => {
    const line = csvLine(cells);
    writeFully(path, file, Buffer.from(line));
    namingFile(path, () => fsyncSync(file));
    text += line;
  };
  if (text === '') add(['uid', 'team', 'accessKey', 'file', 'changedAt', 'expiresAt']);
  return {
    /** Adds a line, unless the record has one for this change of the key. */
    add(
      { uid, accessKey, createdAt, rotatedAt: changedAt = createdAt, expiresAt }: ApiKey,
      team: string,
      name: string,
    ) {
      const cell = csvLine([accessKey]).trimEnd();
      if (text.split('\n').some((line) => line.includes(cell) && line.includes(changedAt))) return;
      add([uid, { freeText: team }, accessKey, name, changedAt, expiresAt]);
    },
    close: () => closeSync(file),
  };
}

/** A key with new credentials, which are stored nowhere else unencrypted. */
interface NewKey {
  readonly apiKey: ApiKey;
  readonly credentials: Credentials;
  readonly oldValidUntil?: string | undefined;
  /** Stores the key, by a change with this id. Throws only if the key was certainly not stored. */
  readonly store: (id: string) => Promise<WriteOutcome>;
}

/** A key that was handed over: the file with its credentials or, without a file, the credentials. */
export interface HandedOver extends Partial<Credentials>, Pick<NewKey, 'oldValidUntil'> {
  readonly uid: string;
  readonly accessKey: string;
  readonly file?: string;
}

type Handing = Pick<Context, 'terminal' | 'remark' | 'endWith'> & { readonly target: Target };

/** Yields what must be written before the key is stored. A file is deleted only if it certainly was not stored. */
async function* handOverOne(
  { target, remark }: Handing,
  { apiKey, credentials, oldValidUntil, store }: NewKey,
  { file, record }: { readonly file: CredentialsPath | undefined; readonly record: (stored: ApiKey) => void },
): AsyncGenerator<HandedOver> {
  const { accessKey, uid } = apiKey;
  const keep = file === undefined ? 'the credentials shown' : `${file.path}: it has the credentials of the change`;
  const advice = `Check it: ailog keys list ${accessKey}. Until then, keep ${keep}.`;
  const withdraw = () => {
    if (file !== undefined) rmSync(file.path, { force: true });
    else remark('The credentials shown are not valid: nothing was changed.');
  };
  if (file === undefined) yield { uid, accessKey, ...credentials, oldValidUntil };
  await target.uninterrupted(advice, async () => {
    if (file !== undefined) writeCredentials(file.path, { ...credentials, accessKey, uid, url: target.baseUrl });
    const { outcome } = await store(credentialsId({ accessKey, ...credentials })).catch((error) => {
      withdraw();
      throw error;
    });
    if (outcome === 'changed') withdraw();
    else record(apiKey);
    if (outcome !== 'stored') throw failChange(accessKey, outcome, advice);
  });
  if (file !== undefined) yield { uid, accessKey, file: file.shown, oldValidUntil };
}

/** Opens a folder for credentials. @param keys whose files are or will be there @returns what completes its record */
async function openFolder(target: Target, folder: string, keys: readonly { uid: string }[]) {
  makeFolder(folder);
  writeForTeams(folder, target);
  const listed = await readAllowlistEntries(
    target,
    keys.map(({ uid }) => uid),
  );
  const teams = new Map(listed.map(({ uid, entry }) => [uid, entry?.team ?? '']));
  const { add, close } = openRecord(join(folder, 'handed-over.csv'));
  return { record: (key: ApiKey, file: string) => add(key, teams.get(key.uid) ?? '', file), close };
}

/** The keys to hand over, and those that an interrupted run has handed over: the record may lack the last of them. */
interface Work<Key> {
  readonly left: readonly Planned<Key>[];
  readonly done: readonly Planned<ApiKey>[];
  readonly outputDir: string | undefined;
}

/**
 * Hands credentials over, each before its key is stored, then records them: no interruption leaves a key whose
 * credentials nobody has, or a record of no key. The next run adds what is missing; an error ends it.
 */
export async function* handOver<Key extends { readonly uid: string }>(
  context: Handing,
  { left, done: before, outputDir }: Work<Key>,
  create: (key: Key) => Promise<NewKey>,
): AsyncGenerator<HandedOver> {
  const { terminal, target, remark, endWith } = context;
  const folder = outputDir === undefined ? undefined : resolve(terminal.cwd(), outputDir);
  const keys = [...before, ...left].map(({ key }) => key);
  let done = 0;
  let opened: Awaited<ReturnType<typeof openFolder>> | undefined;
  try {
    opened = folder === undefined ? undefined : await openFolder(target, folder, keys);
    for (const { key, file } of before) if (file) opened?.record(key, file.shown);
    for (const { key, file } of left) {
      const record = (stored: ApiKey) => {
        try {
          if (file) opened?.record(stored, file.shown);
        } catch (error) {
          remark(
            `handed-over.csv lacks key ${stored.accessKey}. To add it: run the command again, with --skip-existing.`,
          );
          throw error;
        }
      };
      yield* handOverOne(context, await create(key), { file, record });
      done += 1;
    }
  } catch (error) {
    if (left.length > 1) remark(`Done: ${done} of ${left.length}. The rest is unchanged, but for what follows.`);
    return endWith(error);
  } finally {
    opened?.close();
  }
  if (left.some(({ file }) => file === undefined)) {
    return remark('The credentials are shown only once and stored only encrypted. Hand them over securely.');
  }
  const [only, second] = left;
  if (second) remark(`Files: ${done}. Only you can read them. Hand them over securely, then delete them.`);
  else if (only) remark(`Only you can read ${only.file?.shown}. Hand it over securely, then delete it.`);
  if (folder === undefined) return;
  for (const [name, how] of missingForTeams(folder)) remark(`Put ${name} there too, which ${PAGE} names: ${how}.`);
}

/** The most keys that are shown one by one. */
const MOST_SHOWN = 10;

/** Shows keys with their files: many as their number, and where they are. */
export function showKeys(keys: readonly (Row & { readonly file?: string | undefined })[]): Block {
  const file = keys[0]?.file;
  if (file === undefined || keys.length <= MOST_SHOWN) return { table: keys };
  const folder = dirname(file);
  return `Keys: ${keys.length}, each with a file in ${folder} and a line in ${join(folder, 'handed-over.csv')}.`;
}

export async function* showHandedOver(handed: AsyncIterable<HandedOver>) {
  const files: Parameters<typeof showKeys>[0][number][] = [];
  for await (const { uid, accessKey, file, secret, passphrase, oldValidUntil } of handed) {
    if (file === undefined) yield { facts: { uid, accessKey, secret, passphrase, oldValidUntil } };
    else files.push({ uid, 'access key': accessKey, file, ...(oldValidUntil && { 'old until': oldValidUntil }) });
  }
  if (files.length > 0) yield showKeys(files);
}
