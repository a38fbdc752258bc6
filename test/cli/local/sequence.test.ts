import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readLocalRun } from '../../../cli/local/localSettings.ts';
import { localRunOptions, startSequencer } from '../../../cli/local/sequence.ts';
import { folderStorage } from '../../../cli/local/tlogFolder.ts';
import type { Signer } from '../../../functions/c2sp/note.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { newWitness } from '../../c2sp/keys.ts';
import { noDeadline, startWitness, type Tables, temporaryFolder, UNREACHABLE, world } from '../../setup/world.ts';

const bytes = (text: string) => Buffer.from(text);
const newFolder = () => temporaryFolder();
const signal = noDeadline();

describe('the files of the local log', () => {
  const folder = newFolder();
  const storage = folderStorage(folder);
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');

  test('are created once; another content under the same name is found and not written', async () => {
    expect(await storage.get('tile/0/000', signal)).toBeUndefined();
    expect(await storage.create('tile/0/000', bytes('a'), signal)).toBe('created');
    expect(await storage.create('tile/0/000', bytes('a'), signal)).toBe('same');
    expect(await storage.create('tile/0/000', bytes('b'), signal)).toBe('different');
    expect(read('tile/0/000')).toBe('a');
    expect((await storage.get('tile/0/000', signal))?.bytes).toEqual(bytes('a'));
  });

  test('are replaced only if they are as they were read', async () => {
    expect(await storage.replace('checkpoint', bytes('1'), 'etag', signal)).toBe(false);
    expect(existsSync(join(folder, 'checkpoint'))).toBe(false);
    expect(await storage.replace('checkpoint', bytes('1'), undefined, signal)).toBe(true);
    const { etag } = (await storage.get('checkpoint', signal)) ?? {};
    expect(await storage.replace('checkpoint', bytes('2'), undefined, signal)).toBe(false);
    expect(await storage.replace('checkpoint', bytes('2'), etag, signal)).toBe(true);
    expect(await storage.replace('checkpoint', bytes('3'), etag, signal)).toBe(false);
    expect(read('checkpoint')).toBe('2');
  });

  test('are listed after one of them, in the order of their names', async () => {
    for (const name of ['2', '3', '1']) await storage.create(`commits/${name}`, bytes(name), signal);
    expect(await storage.list('commits/', 'commits/1', signal)).toEqual(['commits/2', 'commits/3']);
    expect(await storage.list('none/', '', signal)).toEqual([]);
  });

  test('leave no unfinished file behind', () => {
    expect(readdirSync(join(folder, '.unfinished'))).toEqual([]);
  });

  test('that cannot be read are an error', async () => {
    await storage.create('tile/1/000', bytes('a'), signal);
    await expect(storage.get('tile', signal)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(storage.create('tile', bytes('a'), signal)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});

describe('the sequencer of the local run', () => {
  let fixture: Tables;
  beforeAll(async () => {
    fixture = await world();
  });
  const logOf = (folder: string, checkpointKeys?: string) => ({
    db: fixture.db,
    tables: fixture.names,
    folder,
    keyFile: fixture.environment.CREDENTIALS_KEY_FILE,
    ...(checkpointKeys !== undefined && { checkpointKeys }),
  });

  test('signs with each key of the setting, and with the same keys after a restart', async () => {
    const idsOf = async (setting?: string) => {
      const signers = await localRunOptions(logOf(newFolder(), setting)).signers(signal);
      return signers.map(({ key }) => key.publicKey.toString());
    };
    const one = await idsOf('1');
    const two = await idsOf('2');
    expect(one).not.toEqual(two);
    expect(await idsOf()).toEqual(one);
    expect(await idsOf('1,2')).toEqual([...one, ...two]);
  });

  test('publishes the first checkpoint at once, and ends when it is stopped', async () => {
    const folder = newFolder();
    const stop = startSequencer(logOf(folder), (message) => expect.unreachable(message));
    await expect.poll(() => existsSync(join(folder, 'checkpoint'))).toBe(true);
    await stop();
    expect(readFileSync(join(folder, 'checkpoint'), 'utf8')).toMatch(/^localhost\/ailog\n\d+\n/);
  });

  test('asks the witnesses that it is given, and names the one that does not cosign', async () => {
    const own = await world();
    const log = { ...logOf(newFolder()), db: own.db, tables: own.names, keyFile: own.environment.CREDENTIALS_KEY_FILE };
    const [signer] = await localRunOptions(log).signers(signal);
    const witness = await startWitness('w.example', (signer as Signer).key);
    const away = formatVerifierKey(newWitness('away.example').key);
    const path = join(log.folder, 'witnesses.policy');
    const lines = [`witness w ${formatVerifierKey(witness.key)} ${witness.url}`, `witness away ${away} ${UNREACHABLE}`];
    writeFileSync(path, [...lines, 'quorum w'].join('\n'));
    const { witnesses } = readLocalRun([`--witnesses=${path}`], {});
    const said = Promise.withResolvers<string>();
    const stop = startSequencer({ ...log, witnesses }, said.resolve);
    expect(await said.promise).toMatch(/^the witness away did not cosign\. TypeError: /);
    await stop();
    expect(readFileSync(join(log.folder, 'checkpoint'), 'utf8')).toContain('\n— w.example ');
  });

  test('reports an error', async () => {
    const said = Promise.withResolvers<string>();
    const tables = { ...fixture.names, receiptKeys: 'Missing' };
    const stop = startSequencer({ ...logOf(newFolder()), tables }, said.resolve);
    expect(await said.promise).toBe('Requested resource not found');
    await stop();
  });
});
