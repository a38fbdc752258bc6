import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { noDeadline, overHttp, signedUpload, world } from '../setup/world.ts';

const fixture = await world();
const transport = await overHttp(fixture);

test('rejects a UID from the next request on after its removal, and accepts it again once it is approved', async () => {
  const team = await fixture.team();
  const upload = async () => (await transport.send(signedUpload(team))).json.code;
  expect(await upload()).toBe('00000');

  await fixture.db.send(new DeleteCommand({ TableName: fixture.names.allowlist, Key: { uid: team.uid } }));
  expect(await upload()).toBe('40022');

  await fixture.allowlist.put({ uid: team.uid, status: 'suspended' });
  expect(await upload()).toBe('40022');

  await fixture.allowlist.put({ uid: team.uid, status: 'approved' });
  expect(await upload()).toBe('00000');
});

test('rejects a key from the next request on after its revocation, or its move to a UID that is not on the allowlist', async () => {
  const team = await fixture.team();
  const upload = async () => (await transport.send(signedUpload(team))).json.code;
  expect(await upload()).toBe('00000');
  const key = await fixture.apiKeys.get(team.accessKey, noDeadline());
  if (!key) throw new Error('the key is not in the table');

  await fixture.apiKeys.put({ ...key, status: 'revoked' });
  expect(await upload()).toBe('40006');

  const stranger = `${team.uid}9`;
  const { secret, passphrase } = team;
  const credentials = await fixture.seal({ secret, passphrase }, { accessKey: key.accessKey, uid: stranger });
  await fixture.apiKeys.put({ ...key, uid: stranger, credentials });
  expect(await upload()).toBe('40022');
});
