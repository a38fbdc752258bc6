import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createKeyFile, demoTeam } from '../../../cli/local/demo.ts';
import { readDemo } from '../../../cli/target/data.ts';
import { type Fixture, openFixture } from '../../setup/fixture.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';
import { inProcess } from '../../setup/transports.ts';
import { signedUpload } from '../../setup/upload.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});

const newPath = () => join(temporaryFolder(), 'demo.env');
const URLS = { url: 'http://127.0.0.1:8787', endpoint: 'http://127.0.0.1:8000' };
const create = (path: string, urls = URLS) =>
  demoTeam(path, { ...fixture, keyFile: fixture.environment.CREDENTIALS_KEY_FILE, ...urls });

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
  expect(await fixture.allowlist.get('1001', AbortSignal.timeout(5000))).toMatchObject({
    status: 'approved',
    team: 'Demo',
    updatedBy: 'npm start',
  });
  expect((await fixture.apiKeys.get(team.accessKey, AbortSignal.timeout(5000)))?.label).toBe('demo');
});

test('a restart keeps the credentials and the status of the team, and writes the new URLs', async () => {
  const path = newPath();
  const before = await create(path);
  await fixture.allowlist.put({ uid: '1001', status: 'suspended' });
  const urls = { url: 'http://127.0.0.1:1', endpoint: 'http://127.0.0.1:2' };
  expect(await create(path, urls)).toEqual({
    ...before,
    AILOG_URL: urls.url,
    AILOG_DYNAMODB_ENDPOINT: urls.endpoint,
  });
  expect((await fixture.allowlist.get('1001', AbortSignal.timeout(5000)))?.status).toBe('suspended');
});

test('a file that lacks a line, or whose key is not in the table, gets a new key', async () => {
  const path = newPath();
  const { AILOG_ACCESS_KEY } = await create(path);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/.*AILOG_SECRET.*\n/, ''));
  expect(readDemo(path)).toBeUndefined();
  expect((await create(path)).AILOG_ACCESS_KEY).not.toBe(AILOG_ACCESS_KEY);
  writeFileSync(path, text.replace(AILOG_ACCESS_KEY, 'ghost'));
  const renewed = await create(path);
  expect(renewed.AILOG_ACCESS_KEY).toMatch(/^ailog_\w{32}$/);
  expect(readDemo(path)).toEqual(renewed);
  expect(readDemo(newPath())).toBeUndefined();
});

test('a key file is random, private, and never replaced', () => {
  const [path, other] = [newPath(), newPath()];
  createKeyFile(path);
  createKeyFile(other);
  const key = readFileSync(path, 'utf8');
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(key).not.toBe(readFileSync(other, 'utf8'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  createKeyFile(path);
  expect(readFileSync(path, 'utf8')).toBe(key);
});
