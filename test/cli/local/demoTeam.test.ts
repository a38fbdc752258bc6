import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { demoTeam } from '../../../cli/local/demoTeam.ts';
import { readDemo } from '../../../cli/store/targets/data.ts';
import { inProcess, newKeyFile, signedUpload, type Tables, temporaryFolder, world } from '../../setup/world.ts';

let fixture: Tables;
beforeEach(async () => {
  fixture = await world();
});

const newPath = () => join(temporaryFolder(), 'demo.env');
const URLS = { url: 'http://127.0.0.1:8787', endpoint: 'http://127.0.0.1:8000' };
const found: string[] = [];
const create = (path: string, urls = URLS, keyFile = fixture.environment.CREDENTIALS_KEY_FILE) => {
  found.length = 0;
  return demoTeam(path, { ...fixture, keyFile, ...urls, report: (sentence) => found.push(sentence) });
};

test('the demo team can upload, and its file is private and can be sourced by a shell', async () => {
  const path = newPath();
  const demo = await create(path);
  const team = {
    uid: demo.AILOG_UID,
    accessKey: demo.AILOG_ACCESS_KEY,
    secret: demo.AILOG_SECRET,
    passphrase: demo.AILOG_PASSPHRASE,
  };
  const { json } = await inProcess(fixture.dependencies()).send(signedUpload(team));
  expect(json.code).toBe('00000');
  expect(readDemo(path)).toEqual(demo);
  expect(demo).toMatchObject({ AILOG_URL: URLS.url, AILOG_DYNAMODB_ENDPOINT: URLS.endpoint, AILOG_UID: '1001' });
  expect(readFileSync(path, 'utf8')).toMatch(/^(export AILOG_\w+='[^']+'\n){6}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await fixture.allowlist.get('1001')).toMatchObject({
    status: 'approved',
    team: 'Demo',
    updatedBy: 'npm start',
  });
  expect((await fixture.apiKeys.get(team.accessKey))?.label).toBe('demo');
});

test('a restart keeps the credentials and the status of the team, and writes the new URLs', async () => {
  const path = newPath();
  const before = await create(path);
  await fixture.allowlist.put({ uid: '1001', status: 'suspended' });
  const urls = { url: 'http://127.0.0.1:1', endpoint: 'http://127.0.0.1:2' };
  expect(await create(path, urls)).toEqual({ ...before, AILOG_URL: urls.url, AILOG_DYNAMODB_ENDPOINT: urls.endpoint });
  expect((await fixture.allowlist.get('1001'))?.status).toBe('suspended');
});

test('without its file, the team keeps the status and the key that it has', async () => {
  const before = await create(newPath());
  expect(found).toEqual([]);
  await fixture.allowlist.put({ uid: '1001', status: 'disqualified' });
  const path = newPath();
  expect(await create(path)).toEqual(before);
  expect((await fixture.allowlist.get('1001'))?.status).toBe('disqualified');
  expect(found).toEqual([
    'UID 1001 is disqualified on the allowlist, so its uploads are rejected.',
    `${path} named no key of the tables. It gets the stored one again.`,
  ]);
  expect(readDemo(path)).toEqual(before);
});

test('without its file, a revoked key stays revoked, and an active one goes before it', async () => {
  const first = await create(newPath());
  const key = await fixture.apiKeys.get(first.AILOG_ACCESS_KEY);
  if (!key) throw new Error('no key');
  await fixture.apiKeys.put({ ...key, status: 'revoked' });
  expect(await create(newPath())).toEqual(first);
  expect(found.at(-1)).toBe('The key of UID 1001 is revoked, so its uploads are rejected.');
  expect(await Array.fromAsync(fixture.apiKeys.namesOf('1001'))).toHaveLength(1);

  const other = await fixture.issue('1001', { label: 'demo', createdAt: '2020-01-01T00:00:00.000Z' });
  expect((await create(newPath())).AILOG_ACCESS_KEY).toBe(other.accessKey);
});

test('without its file, a key that an admin issued to the team is not taken for the demo key', async () => {
  const before = await create(newPath());
  await fixture.issue('1001', { label: 'bot', createdAt: '2100-01-01T00:00:00.000Z' });
  expect((await create(newPath())).AILOG_ACCESS_KEY).toBe(before.AILOG_ACCESS_KEY);
});

test('without its allowlist entry, the team is approved again and keeps its key', async () => {
  const path = newPath();
  const before = await create(path);
  await fixture.db.send(new DeleteCommand({ TableName: fixture.names.allowlist, Key: { uid: '1001' } }));
  expect(await create(path)).toEqual(before);
  expect((await fixture.allowlist.get('1001'))?.status).toBe('approved');
});

test('a file that lacks a line, or whose key is not in the table, gets the stored key again', async () => {
  const path = newPath();
  const before = await create(path);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/.*AILOG_SECRET.*\n/, ''));
  expect(readDemo(path)).toBeUndefined();
  expect(await create(path)).toEqual(before);
  writeFileSync(path, text.replace(before.AILOG_ACCESS_KEY, 'ghost'));
  expect(await create(path)).toEqual(before);
  expect(readDemo(newPath())).toBeUndefined();
});

test('a stored key that another key file sealed is replaced by a new one', async () => {
  const { AILOG_ACCESS_KEY } = await create(newPath());
  const renewed = await create(newPath(), URLS, newKeyFile());
  expect(renewed.AILOG_ACCESS_KEY).toMatch(/^ailog_\w{32}$/);
  expect(renewed.AILOG_ACCESS_KEY).not.toBe(AILOG_ACCESS_KEY);
});
