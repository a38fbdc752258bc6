import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from '../setup/fixture.ts';
import { type Door, overHttp } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';

let world: World;
let door: Door;
beforeAll(async () => {
  world = await openWorld();
  door = await overHttp(world);
});
afterAll(() => door.close());

test('a UID that is taken off the allowlist is rejected from the next request on, and let in again when it is back', async () => {
  const team = await world.team();
  const upload = async () => (await door.send(signedUpload(team))).json.code;
  expect(await upload()).toBe('00000');

  await world.db.send(new DeleteCommand({ TableName: world.names.allowlist, Key: { uid: team.uid } }));
  expect(await upload()).toBe('40022');

  await world.allowlist.put({ uid: team.uid, status: 'suspended' });
  expect(await upload()).toBe('40022');

  await world.allowlist.put({ uid: team.uid, status: 'approved' });
  expect(await upload()).toBe('00000');
});

test('a key that is revoked, or handed to a UID that is not listed, is rejected from the next request on', async () => {
  const team = await world.team();
  const upload = async () => (await door.send(signedUpload(team))).json.code;
  expect(await upload()).toBe('00000');
  const key = await world.apiKeys.get(team.accessKey, AbortSignal.timeout(1000));
  if (!key) throw new Error('the key is not in the table');

  await world.apiKeys.put({ ...key, status: 'revoked' });
  expect(await upload()).toBe('40006');

  const stranger = `${team.uid}9`;
  const { secret, passphrase } = team;
  const credentials = await world.seal({ secret, passphrase }, { accessKey: key.accessKey, uid: stranger });
  await world.apiKeys.put({ ...key, uid: stranger, credentials });
  expect(await upload()).toBe('40022');
});
