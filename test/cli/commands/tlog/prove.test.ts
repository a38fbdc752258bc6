import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import { parseProofFile, verifyProofFile } from '../../../../cli/proof/evidence/proofFile.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { entryHashOf } from '../../../../functions/tlog/entryHash.ts';
import { notes } from '../../../setup/outcome.ts';
import { tamper } from '../logs/entries.ts';
import { openLoggedData } from './loggedData.ts';

const data = await openLoggedData();
afterAll(() => data.engine.stop());
for (let entry = 0; entry < 3; entry += 1) await data.logged({ stage: `entry ${entry}` });

let proofs = 0;
/** Proves an entry under a new name. */
const prove = async (entryId: string, ...more: string[]) => {
  proofs += 1;
  const name = `proof${proofs}`;
  const ran = await data.ailog(['prove', entryId, '--uid', data.team.uid, '-o', name, ...more]);
  return { ...ran, name, files: filesOf(name) };
};
/** The files of a proof, sorted. */
const filesOf = (name: string) =>
  readdirSync(data.folder)
    .filter((file) => file.startsWith(`${name}.`))
    .sort();
const read = (file: string) => readFileSync(join(data.folder, file), 'utf8');
const leafHex = (entry: Entry | undefined) =>
  Buffer.from(entry?.arrival ?? [])
    .toString('hex')
    .slice(12);
const policy = async () => parsePolicy((await data.ailog(['tlog', 'export-policy'])).stdout);

describe('the files of ailog prove', () => {
  test('verify with the exported policy, without anything else', async () => {
    const id = await data.logged();
    const { exitCode, stdout, stderr, name, files } = await prove(id);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(files).toEqual([`${name}.preimage`, `${name}.tlog-proof`]);
    expect(stdout).toContain(`proof       ${name}.tlog-proof\n`);
    const trusted = await policy();
    const entryHash = entryHashOf(read(`${name}.preimage`));
    expect(verifyProofFile(parseProofFile(read(`${name}.tlog-proof`)), entryHash, trusted).size).toBeGreaterThan(3);
  });

  test.each(['tlog-proof', 'preimage'])('are never overwritten: an existing .%s ends the command', async (ending) => {
    const [id] = await data.fixture.entriesOf(data.team.uid);
    const name = `there-${ending}`;
    writeFileSync(join(data.folder, `${name}.${ending}`), 'mine');
    const ran = await data.ailog(['prove', id?.entryId as string, '-o', name]);
    expect(ran).toMatchObject(notes(2, `${name}.${ending} already exists.`));
    expect(filesOf(name)).toEqual([`${name}.${ending}`]);
    expect(read(`${name}.${ending}`)).toBe('mine');
  });
});

describe('an entry that is not in the log', () => {
  test('as it was just uploaded is not there yet, and the exit code is 5', async () => {
    const id = await data.upload();
    const ran = await prove(id);
    expect(ran).toMatchObject({ exitCode: 5, stdout: '', files: [] });
    expect(ran.stderr).toMatch(/^The entry \S+ is not in the transparency log yet\.\nTry again in about \d+ s\.\n$/);
    await data.sequence();
    expect(await prove(id)).toMatchObject({ exitCode: 0 });
  });

  // biome-ignore format: one case a line
  test.each([
    ['receivedAt', (at: number) => ({ receivedAt: at - 20_000 })],
    ['bodySha256', () => ({ bodySha256: 'ab'.repeat(32) })],
    ['locale', () => ({ locale: 'fr' })],
    ['receivedAt to a text', () => ({ receivedAt: 'now\u001b[2J' })],
    ['receivedAt to a number beyond 2^53', () => ({ receivedAt: 12345678901234567890n })],
  ])('because %s of its row was changed: the entry hash of the stored entry is named', async (_name, change) => {
    const id = await data.logged();
    const entry = await data.stored(id);
    await tamper(data.fixture, { uid: data.team.uid, entryId: id }, change(entry.receivedAt));
    const ran = await prove(id);
    expect(ran).toMatchObject({ exitCode: 1, stdout: '', files: [] });
    expect(ran.stderr).toContain(`The row of entry ${id} of UID ${data.team.uid} was changed after it was logged, or copied from another row.`);
    expect(ran.stderr).toContain(leafHex(entry));
    expect(ran.stderr).toContain('ailog logs verify shows which of its attributes contradict each other');
    await data.remove(id);
  });

  // biome-ignore format: one case a line
  test.each<[string, (entry: Entry) => Record<string, unknown>]>([
    ['has no arrival keys', () => ({ slot: undefined, arrival: undefined })],
    ['has no slot', () => ({ slot: undefined })],
    ['has the slot of another minute', ({ receivedAt, slot }) => ({ slot: new Date(receivedAt - 60_000).toISOString().slice(0, 16) + slot?.slice(16) })],
    ['has another time before its entry hash', ({ arrival }) => ({ arrival: Buffer.concat([Buffer.alloc(6, 1), Buffer.from(arrival as Uint8Array).subarray(6)]) })],
  ])('because its row %s is missing, before and after its time', async (_name, change) => {
    const id = await data.upload();
    const entry = await data.stored(id);
    await tamper(data.fixture, { uid: data.team.uid, entryId: id }, change(entry));
    const before = await prove(id);
    const undo = await data.passed();
    const after = await prove(id);
    await undo();
    await tamper(data.fixture, { uid: data.team.uid, entryId: id }, { ...entry });
    for (const ran of [before, after]) {
      expect(ran).toMatchObject({ exitCode: 1, files: [] });
      expect(ran.stderr).toContain(`The entry ${id} of UID ${data.team.uid} is missing in the transparency log, and will`);
      expect(ran.stderr).toContain('It has not the arrival keys that the service stores with it');
    }
  });

  test('because its row was deleted does not exist', async () => {
    const id = await data.logged();
    await data.remove(id);
    const stderr = expect.stringContaining('There is no entry');
    expect(await prove(id)).toMatchObject({ exitCode: 1, stderr, files: [] });
  });
});

test('a changed body or copy is named, and the files prove what was logged', async () => {
  const id = await data.logged();
  await tamper(data.fixture, { uid: data.team.uid, entryId: id }, { model: 'GPT-6' });
  const ran = await prove(id);
  expect(ran).toMatchObject({ exitCode: 1, files: expect.arrayContaining([`${ran.name}.tlog-proof`]) });
  expect(ran.stderr).toContain('The row was changed after it was logged: fields wrong: model.');
});

test('an entry that came into the log late is LATE, and the exit code is 6', async () => {
  const id = await data.logged();
  const came = (await data.stored(id)).receivedAt / 1000 + 75 * 60;
  for (const path of ['checkpoint', `checkpoints/${(await data.head()).size}`])
    utimesSync(join(data.logFolder, path), came, came);
  const ran = await prove(id);
  expect(ran).toMatchObject({ exitCode: 6, files: expect.arrayContaining([`${ran.name}.tlog-proof`]) });
  expect(ran.stdout).toMatch(/^in the log {2}index \d+, by \S+Z, says the organisers' storage. LATE: 1 h (4|5) min/m);
  expect(ran.stderr).toContain('It came into the log late. Ask why');
});

// biome-ignore format: one case a line
test.each([
  ['a tile of hashes', (size: number) => `tile/0/000.p/${size}`, /do not match|must be|do not lead to checkpoints/],
  ['the checkpoint', () => 'checkpoint', /cannot be trusted/],
])('%s that was changed ends the command without a file', async (_name, pathOf, stderr) => {
  const [first] = await data.fixture.entriesOf(data.team.uid);
  const path = join(data.logFolder, pathOf((await data.head()).size));
  const bytes = readFileSync(path);
  const changed = Buffer.from(bytes);
  for (let at = 50; at < changed.length; at += 32) changed[at] = (changed[at] as number) ^ 1;
  writeFileSync(path, changed);
  const ran = await prove(first?.entryId as string);
  writeFileSync(path, bytes);
  expect(ran).toMatchObject({ exitCode: 1, files: [], stderr: expect.stringMatching(stderr) });
});

test('--json has the place in the log and the names of the files', async () => {
  const [first] = await data.fixture.entriesOf(data.team.uid);
  const { stdout, name } = await prove(first?.entryId as string, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    uid: data.team.uid,
    entryId: first?.entryId,
    status: 'logged',
    index: expect.any(Number),
    entryHash: leafHex(first),
    proof: `${name}.tlog-proof`,
  });
});

test('before the first run of the sequencer there is no log', async () => {
  const [first] = await data.fixture.entriesOf(data.team.uid);
  const { db, names } = data.fixture;
  const head = await data.head();
  await db.send(new DeleteCommand({ TableName: names.tlog, Key: { id: 'head' } }));
  const ran = await prove(first?.entryId as string);
  await db.send(new PutCommand({ TableName: names.tlog, Item: head }));
  expect(ran).toMatchObject({ exitCode: 5, files: [] });
  expect(ran.stderr).toContain('There is no transparency log of the local data yet.');
});
