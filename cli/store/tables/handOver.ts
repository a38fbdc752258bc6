import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../../functions/auth/credentialStore.ts';
import { writeCredentials } from '../../shell/files/credentialsFile.ts';
import { namingFile } from '../../shell/files/write.ts';
import type { Context } from '../../shell/terminal/defineCommand.ts';
import type { Row } from '../../shell/terminal/format.ts';
import { type Cell, csvLine } from '../../shell/text/csvLine.ts';
import type { Target } from '../targets/target.ts';
import { readAllowlistEntries } from './allowlistEditor.ts';
import { failChange } from './apiKeysEditor.ts';
import { missingForTeams, PAGE, writeForTeams } from './forTeams.ts';
import type { CredentialsPath, Planned } from './planFiles.ts';
import type { WriteOutcome } from './recordedTable.ts';

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
  /** The end of the credentials before them. */
  readonly oldValidUntil?: string | undefined;
  /** Stores the key. Throws only if the key was certainly not stored. */
  readonly store: () => Promise<WriteOutcome>;
}

/** What was handed over: the file with the credentials, or without one, they themselves. */
export interface HandedOver extends Partial<Credentials>, Pick<NewKey, 'oldValidUntil'> {
  readonly uid: string;
  readonly accessKey: string;
  readonly file?: string;
}

/** What a command that hands over has: its context. */
type Handing = Pick<Context, 'terminal' | 'remark' | 'endWith'> & { readonly target: Target };

/**
 * Hands the credentials of a key over before the key is stored: whoever takes a value from this has written it before
 * this goes on. A file is deleted, and its line in the record taken back, only if the key was certainly not stored.
 * @param folder of the record
 */
async function* handOverOne(
  { target, remark }: Handing,
  { apiKey, credentials, oldValidUntil, store }: NewKey,
  { file, folder }: { readonly file: CredentialsPath | undefined; readonly folder: string | undefined },
): AsyncGenerator<HandedOver> {
  const { accessKey, uid, createdAt, rotatedAt: changedAt = createdAt, expiresAt } = apiKey;
  const keep = file === undefined ? 'the credentials shown' : `${file.path}: it has the credentials of the change`;
  const advice = `Check it: ailog keys list ${accessKey}. Until then, keep ${keep}.`;
  const record = folder === undefined ? undefined : openRecord(join(folder, 'handed-over.csv'));
  const [listed] = folder === undefined ? [] : await readAllowlistEntries(target, [uid]);
  const recorded = async () => {
    record?.append([uid, { freeText: listed?.entry?.team ?? '' }, accessKey, file?.shown, changedAt, expiresAt]);
    return store();
  };
  const withdraw = () => {
    record?.takeBack();
    if (file !== undefined) rmSync(file.path, { force: true });
    else remark('The credentials shown are not valid: nothing was changed.');
  };
  if (file === undefined) yield { uid, accessKey, ...credentials, oldValidUntil };
  await target.uninterrupted(advice, async () => {
    if (file !== undefined) writeCredentials(file.path, { ...credentials, accessKey, uid, url: target.baseUrl });
    const { outcome } = await recorded().catch((error) => {
      withdraw();
      throw error;
    });
    if (outcome === 'changed') withdraw();
    if (outcome !== 'stored') throw failChange(accessKey, outcome, advice);
  });
  if (file !== undefined) yield { uid, accessKey, file: file.shown, oldValidUntil };
}

/**
 * Hands the credentials of keys over, each before its key is stored. In this order, no interruption and no lost answer
 * can leave a key whose credentials nobody has, or that the record lacks. At an error, the rest is unchanged.
 */
export async function* handOver<Key>(
  context: Handing,
  planned: readonly Planned<Key>[],
  outputDir: string | undefined,
  create: (key: Key) => Promise<NewKey>,
): AsyncGenerator<HandedOver> {
  const { terminal, target, remark, endWith } = context;
  const folder = outputDir === undefined ? undefined : resolve(terminal.cwd(), outputDir);
  let done = 0;
  try {
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeForTeams(folder, target);
    }
    for (const { key, file } of planned) {
      yield* handOverOne(context, await create(key), { file, folder });
      done += 1;
    }
  } catch (error) {
    if (planned.length > 1) remark(`Done: ${done} of ${planned.length}. The rest is unchanged, but for what follows.`);
    return endWith(error);
  }
  if (planned.some(({ file }) => file === undefined)) {
    return remark('The credentials are shown only once and stored only encrypted. Hand them over securely.');
  }
  const [only, second] = planned;
  if (second === undefined) remark(`Only you can read ${only?.file?.shown}. Hand it over securely, then delete it.`);
  else remark(`Files: ${done}. Only you can read them. Hand them over securely, then delete them.`);
  if (folder === undefined) return;
  for (const [name, how] of missingForTeams(folder)) remark(`Put ${name} there too, which ${PAGE} names: ${how}.`);
}

/** Shows what is handed over: credentials as facts, at once; files as a table. */
export async function* showHandedOver(handed: AsyncIterable<HandedOver>) {
  const files: Row[] = [];
  for await (const { uid, accessKey, file, secret, passphrase, oldValidUntil } of handed) {
    if (file === undefined) yield { facts: { uid, accessKey, secret, passphrase, oldValidUntil } };
    else files.push({ uid, 'access key': accessKey, file, ...(oldValidUntil && { 'old until': oldValidUntil }) });
  }
  yield { table: files };
}
