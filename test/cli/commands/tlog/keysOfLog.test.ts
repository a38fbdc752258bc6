import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { laterReceiptKeys, policyText } from '../../../../cli/proof/inclusion/trustedKeys.ts';
import { folderFiles } from '../../../../cli/store/targets/tlogFiles.ts';
import { parseNote } from '../../../../functions/c2sp/note.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey, hexId } from '../../../../functions/c2sp/verifierKey.ts';
import { readReceiptKeys } from '../../../../functions/receipts/signingKey.ts';
import type { ReceiptKeys } from '../../../../functions/tlog/tlogTable.ts';
import { newSigner, newWitness } from '../../../c2sp/keys.ts';
import { notes, shows } from '../../../setup/outcome.ts';
import { openLoggedData } from './loggedData.ts';

const data = await openLoggedData();
afterAll(() => data.engine.stop());
const { db, names } = data.fixture;
const readKeys = async () => (await readReceiptKeys(db, names.tlog, AbortSignal.timeout(5000))) as ReceiptKeys;
const writeKeys = (Item: ReceiptKeys) => db.send(new PutCommand({ TableName: names.tlog, Item }));
const run = (command: string, ...args: string[]) => data.ailog(['tlog', command, ...args]);
// The fixture has a receipt key before the log begins.
await data.logged();

test('each receipt key but the first is named with the time of its leaf, and nothing is wrong', async () => {
  for (const command of ['status', 'audit', 'export-policy']) {
    const { exitCode, stderr } = await run(command);
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('Was it rotated then?')]);
  }
  expect(await run('rotate-receipt-key', '--overlap', '0', '--yes')).toMatchObject({ exitCode: 0 });
  await data.sequence();
  const { stdout } = await run('export-policy');
  const [, made] = parsePolicy(stdout).receipts;
  const id = hexId(made?.id ?? 0);
  const asks = new RegExp(
    `^The receipt key ${id} came into the log at index 4, by \\d{4}-\\S+Z, says the storage\\. Was it rotated then\\? If not, see .*docs/runbook/tlog-keys\\.md\\.$`,
    'm',
  );
  for (const command of ['status', 'audit', 'export-policy']) {
    const ran = await run(command);
    expect([command, ran.exitCode, ran.stderr]).toEqual([command, 0, expect.stringMatching(asks)]);
    const json = JSON.parse((await run(command, '--json')).stdout);
    expect(json.laterReceiptKeys).toEqual([
      { id, index: 4, at: expect.stringMatching(/^\d{4}-/), source: 'the storage' },
    ]);
  }
});

test('if witnesses cosigned the checkpoint over a key, its time is theirs', async () => {
  const { keys } = await data.head();
  const witness = newWitness('w.example');
  const seconds = 1_763_000_000;
  const signed = readFileSync(join(data.logFolder, 'checkpoints/5'), 'utf8');
  const cosigned = join(data.logFolder, 'cosigned/5');
  mkdirSync(dirname(cosigned));
  writeFileSync(cosigned, signed + witness.cosign(parseNote(signed).text, seconds));
  const witnesses = `witness w ${formatVerifierKey(witness.key)}\nquorum w\n`;
  const policy = parsePolicy(policyText({ keys: keys.map(({ key }) => key), witnesses }));
  const [later] = await laterReceiptKeys(keys, folderFiles(data.logFolder), policy);
  rmSync(dirname(cosigned), { recursive: true });
  expect(later).toMatchObject({ at: new Date(seconds * 1000).toISOString(), source: 'the witnesses' });
});

test('a key that somebody wrote among the receipt keys is named', async () => {
  const keys = await readKeys();
  const verifierKey = formatVerifierKey(newSigner('localhost/ailog/receipts').key);
  const planted = { verifierKey, createdAt: '2025-01-01T00:00:00.000Z' };
  const { stdout } = await run('export-policy');
  // biome-ignore format: one case a line
  for (const change of [{ previous: [...keys.previous, planted] }, { current: { ...keys.current, verifierKey } }]) {
    await writeKeys({ ...keys, ...change });
    const policy = await run('export-policy');
    expect(policy).toMatchObject({ exitCode: 1, stdout, stderr: expect.stringContaining(`has the key ${verifierKey}, and the log does not`) });
    expect(await run('status')).toMatchObject(notes(1, verifierKey));
    expect(await run('audit')).toMatchObject(shows(1, `The key ${verifierKey} has no leaf in the log.`));
  }
  await writeKeys(keys);
});

test('a head whose keys somebody removed once: they are found in the log, and each command names it', async () => {
  const { keys } = await data.head();
  const { stdout } = await run('export-policy');
  await data.changeHead({ keys: [] });
  await data.logged();
  expect((await data.head()).keys).toHaveLength(1);
  const says = `does not say that the key ${keys[1]?.key} is at index 1 of the log`;
  expect(await run('export-policy')).toMatchObject({ exitCode: 1, stdout, stderr: expect.stringContaining(says) });
  expect(await run('status')).toMatchObject(notes(1, says));
  const audit = await run('audit', '--json');
  const { keys: found, findings } = JSON.parse(audit.stdout) as { keys: number; findings: { kind: string }[] };
  expect([audit.exitCode, found, findings.map(({ kind }) => kind)]).toEqual([1, 3, ['key', 'key', 'key']]);
  expect(audit.stdout).toContain(says);
  const id = await data.logged();
  expect(await data.ailog(['prove', id, '-o', 'p'])).toMatchObject({ exitCode: 0 });

  // Put back as they were, all is well.
  await data.changeHead({ keys });
  expect(await run('status')).toMatchObject({ exitCode: 0 });
});

test('a key that neither the head nor the item names is named by its index', async () => {
  const { keys } = await data.head();
  const items = await readKeys();
  await data.changeHead({ keys: keys.slice(0, 1) });
  await writeKeys({ ...items, previous: [] });
  const says = 'The log has a key at index 1 that neither the Tlog table nor the policy names.';
  const status = await run('status');
  const audit = await run('audit');
  const policy = await run('export-policy');
  await data.changeHead({ keys });
  await writeKeys(items);
  expect(status).toMatchObject(notes(1, says));
  expect(audit).toMatchObject(shows(1, says));
  expect(policy).toMatchObject(notes(1, says));
});
