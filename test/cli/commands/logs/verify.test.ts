import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import type { ApiKey } from '../../../../functions/auth/apiKeys.ts';
import { sign } from '../../../../functions/auth/signature.ts';
import { aiLog, jsonOf, localWorld, MINUTE_MS, type Team } from '../../../setup/world.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');
const BIG = 590480926522704171n;

const local = await localWorld();

const logs = (...args: string[]) => local.ailog(['logs', ...args]);

describe('ailog logs verify', () => {
  const keyOf = async ({ accessKey }: Team) => {
    const key = await local.apiKeys.get(accessKey);
    if (!key) throw new Error('no key');
    return key;
  };
  const changeKey = async (team: Team, change: Partial<ApiKey>) =>
    local.db.send(new PutCommand({ TableName: local.names.apiKeys, Item: { ...(await keyOf(team)), ...change } }));
  /** Seals credentials that never signed anything for the key of a team. */
  const otherCredentials = (team: Team) => local.seal({ secret: 'other', passphrase: 'other' }, team);
  const at = (ms: number) => new Date(T0 + ms).toISOString();

  const forged = jsonOf({ ...aiLog, explanation: 'forged' });
  const body = zstdCompressSync(Buffer.from(forged));
  const bodySha256 = createHash('sha256').update(forged).digest('hex');
  /** Another body with everything that its writer can compute. */
  const forgery = { body, bodySha256, bodyBytes: Buffer.byteLength(forged) };
  const signedWithX = sign('x', { timestamp: String(T0), body: Buffer.from(forged) });

  /** A change of the entry, or of anything else. */
  type Attack = Record<string, unknown> | ((team: Team) => Promise<unknown>);
  const UNSIGNED = { signature: 'wrong: not signed with this key' };
  const UNREADABLE = { signature: "not checked: the key's credentials cannot be decrypted (Error)" };

  // biome-ignore format: one case a line
  const cases: [name: string, attack: Attack, findings: Record<string, string>][] = [
    ['an unchanged entry', {}, {}],
    ['another body', { body }, { digest: 'wrong: bodySha256, bodyBytes', ...UNSIGNED }],
    ['another body with its digest', forgery, UNSIGNED],
    ['another body, signed with another secret', { body, signature: signedWithX }, { digest: 'wrong: bodySha256, bodyBytes, entryId', ...UNSIGNED }],
    ['a body that cannot be decompressed', { body: Buffer.from('no zstd') }, { digest: 'wrong: the body is damaged', fields: 'not checked: the body is damaged', signature: 'not checked: the body is damaged' }],
    ['no body', { body: undefined }, { digest: 'wrong: the body is damaged', fields: 'not checked: the body is damaged', signature: 'not checked: the body is damaged' }],
    ['a body that is not a log', { body: zstdCompressSync(Buffer.from('[]')) }, { digest: 'wrong: bodySha256, bodyBytes', fields: 'wrong: the body is not an AI log', ...UNSIGNED }],
    ['another order', { orderId: BIG + 1n }, { fields: 'wrong: orderId' }],
    ['no order', { orderId: undefined }, { fields: 'wrong: orderId' }],
    ['half an order', { orderId: 1.5 }, { fields: 'wrong: orderId' }],
    ['another model', { model: 'GPT-6' }, { fields: 'wrong: model' }],
    ['no stage', { stage: undefined }, { fields: 'wrong: stage' }],
    ['another time', { timestamp: String(T0 + 1) }, { digest: 'wrong: entryId', ...UNSIGNED }],
    ['no time', { timestamp: undefined }, { digest: 'wrong: entryId', signature: 'wrong: timestamp is missing', time: 'wrong: timestamp is not a time' }],
    ['a query', { query: 'a=b' }, { signature: 'wrong: it has a query, which no signature covers' }],
    ['no signature', { signature: undefined }, { digest: 'wrong: entryId', signature: 'wrong: signature is missing' }],
    ['a signature that is not text', { signature: 5 }, { digest: 'wrong: entryId', signature: 'wrong: signature is not text' }],
    ['no access key', { accessKey: undefined }, { digest: 'wrong: entryId', signature: 'wrong: accessKey is missing', time: 'not checked: the key is unknown' }],
    ['an unknown access key', { accessKey: 'ailog_gone' }, { digest: 'wrong: entryId', signature: 'wrong: there is no such access key', time: 'not checked: the key is unknown' }],
    ['no time of receipt', { receivedAt: undefined }, { time: 'wrong: receivedAt is missing' }],
    ['a time of receipt that is not a time', { receivedAt: 'yesterday' }, { time: 'wrong: receivedAt is not a time' }],
    ['received 30 s after it was signed', { receivedAt: T0 + 30_000 }, {}],
    ['received later than the service accepts', { receivedAt: T0 + 31_000 }, { time: 'wrong: received 31 s after it was signed' }],
    ['received earlier than the service accepts', { receivedAt: T0 - 31_000 }, { time: 'wrong: received 31 s before it was signed' }],
    ['a key that was issued later', (team) => changeKey(team, { createdAt: at(MINUTE_MS) }), { time: 'wrong: received before the key was issued' }],
    ['a key that was issued within the tolerance', (team) => changeKey(team, { createdAt: at(30_000) }), {}],
    ['a key that does not say when it was issued', (team) => changeKey(team, { createdAt: '' }), { time: 'not checked: the key does not say when it was issued' }],
    ['a key that had been revoked', (team) => changeKey(team, { status: 'revoked', updatedAt: at(-MINUTE_MS) }), { time: 'wrong: received after the key was revoked' }],
    ['a key that had been revoked, then was changed', (team) => changeKey(team, { status: 'revoked', updatedAt: at(9 * MINUTE_MS), history: [{ id: '1', at: at(-MINUTE_MS), change: 'revoked', to: 'revoked' }, { id: '2', at: at(9 * MINUTE_MS), change: 'edited', to: 'revoked' }] }), { time: 'wrong: received after the key was revoked' }],
    ['a key that had expired', (team) => changeKey(team, { expiresAt: at(-MINUTE_MS) }), { time: 'wrong: received after the key expired' }],
    ['a key that had expired within the tolerance', (team) => changeKey(team, { expiresAt: at(-30_000) }), {}],
    ['a key that expired since', (team) => changeKey(team, { expiresAt: at(MINUTE_MS) }), {}],
    ['a key that does not say when it was revoked', (team) => changeKey(team, { status: 'revoked', updatedAt: 'x' }), { time: 'not checked: the key does not say when it was revoked' }],
    ['a key that does not say when it expires', (team) => changeKey(team, { expiresAt: 'soon' }), { time: 'not checked: the key does not say when it expires' }],
    ['a key that is revoked', (team) => local.ailog(['keys', 'revoke', team.accessKey, '--yes']), {}],
    ['a key that was rotated since', (team) => local.ailog(['keys', 'rotate', team.accessKey, '--grace', '0', '--yes']), {}],
    ['credentials that were replaced twice since', async (team) => {
      const { credentials } = await keyOf(team);
      const [second, third] = [await otherCredentials(team), await otherCredentials(team)];
      await changeKey(team, { credentials: third, rotatedAt: at(3 * MINUTE_MS), earlier: [{ credentials, replacedAt: at(MINUTE_MS) }, { credentials: second, replacedAt: at(3 * MINUTE_MS) }] });
    }, {}],
    ['credentials that had been replaced', async (team) => {
      const { credentials } = await keyOf(team);
      await changeKey(team, { credentials: await otherCredentials(team), rotatedAt: at(-MINUTE_MS), earlier: [{ credentials, replacedAt: at(-MINUTE_MS) }] });
    }, { time: 'wrong: received after the credentials that signed it were replaced' }],
    ['credentials in their grace period', async (team) => {
      const { credentials } = await keyOf(team);
      await changeKey(team, { credentials: await otherCredentials(team), rotatedAt: at(-MINUTE_MS), earlier: [{ credentials, replacedAt: at(-MINUTE_MS), validUntil: at(MINUTE_MS) }] });
    }, {}],
    ['credentials that did not exist yet', async (team) => {
      await changeKey(team, { rotatedAt: at(MINUTE_MS), earlier: [{ credentials: await otherCredentials(team), replacedAt: at(MINUTE_MS) }] });
    }, { time: 'wrong: received before the credentials that signed it existed' }],
    ['earlier credentials that did not exist yet', async (team) => {
      const { credentials } = await keyOf(team);
      const [first, third] = [await otherCredentials(team), await otherCredentials(team)];
      await changeKey(team, { credentials: third, rotatedAt: at(3 * MINUTE_MS), earlier: [{ credentials: first, replacedAt: at(MINUTE_MS) }, { credentials, replacedAt: at(3 * MINUTE_MS) }] });
    }, { time: 'wrong: received before the credentials that signed it existed' }],
    ['credentials that do not say when they were replaced', async (team) => {
      const { credentials } = await keyOf(team);
      await changeKey(team, { credentials: await otherCredentials(team), rotatedAt: at(MINUTE_MS), earlier: [{ credentials, replacedAt: 'x' }] });
    }, { time: 'not checked: the key does not say when its credentials were replaced' }],
    ['a key that was given to another UID', (team) => changeKey(team, { uid: '9' }), { signature: 'wrong: the key belongs to UID 9' }],
    ['a key whose credentials cannot be decrypted', (team) => changeKey(team, { credentials: Buffer.alloc(64) }), UNREADABLE],
    ['a key of which only other credentials cannot be decrypted', async (team) => {
      const { credentials } = await keyOf(team);
      await changeKey(team, { credentials: Buffer.alloc(64), rotatedAt: at(MINUTE_MS), earlier: [{ credentials, replacedAt: at(MINUTE_MS) }] });
    }, {}],
  ];

  test.each(cases)('%s', async (_name, attack, findings) => {
    const team = await local.oldTeam();
    const entryId = await local.uploadAt(team, T0);
    await (typeof attack === 'function' ? attack(team) : local.tamper({ uid: team.uid, entryId }, attack));
    const checks = { digest: 'ok', fields: 'ok', signature: 'ok', time: 'ok', ...findings };
    const texts = Object.values(checks);
    const failed = texts.some((text) => text.startsWith('wrong'));
    const unchecked = !failed && texts.some((text) => text.startsWith('not checked'));

    const ran = await logs('verify', '--uid', team.uid);
    const outcome = failed ? 'FAILED' : unchecked ? 'PARTLY' : 'ok    ';
    const listed = Object.entries(checks).map(([name, text]) => `${name} ${text}`);
    expect(ran.stdout).toBe(`${outcome}  ${team.uid}  ${entryId}  ${listed.join(', ')}\n`);
    expect(ran.exitCode).toBe(failed ? 1 : unchecked ? 5 : 0);
    expect(ran.stderr).toBe(`Checked: 1, failed: ${Number(failed)}, not checked: ${Number(unchecked)}.\n`);
  });

  test('a replaced body fails after a rotation, whatever time it claims', async () => {
    const team = await local.oldTeam();
    const entryId = await local.uploadAt(team, T0);
    await local.tamper({ uid: team.uid, entryId }, forgery);
    await local.ailog(['keys', 'rotate', team.accessKey, '--yes']);
    const { stdout, exitCode } = await logs('verify', '--uid', team.uid);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(UNSIGNED.signature)]);
  });

  test('a failure outweighs what could not be checked', async () => {
    const [good, bad] = [await local.oldTeam(), await local.oldTeam()];
    const unchecked = await local.uploadAt(good, T0);
    await changeKey(good, { credentials: Buffer.alloc(64) });
    const entryId = await local.uploadAt(bad, T0);
    await local.tamper({ uid: bad.uid, entryId }, { model: 'GPT-6' });
    const { exitCode, stderr } = await logs('verify', '--uid', bad.uid, '--uid', good.uid);
    expect([exitCode, stderr]).toEqual([1, 'Checked: 2, failed: 1, not checked: 1.\n']);
    expect((await logs('show', entryId, '--uid', bad.uid)).exitCode).toBe(1);
    expect((await logs('show', unchecked, '--uid', good.uid)).exitCode).toBe(5);
  });

  test('of many entries, the first 20 and those that are not right are shown, and --verbose shows each', async () => {
    const team = await local.oldTeam();
    let last = '';
    for (let n = 0; n < 24; n += 1) last = await local.uploadAt(team, T0 + n * MINUTE_MS);
    await local.tamper({ uid: team.uid, entryId: last }, { model: 'GPT-6' });
    const { stdout, stderr, exitCode } = await logs('verify', '--uid', team.uid);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual([...Array(20).fill('ok'), 'FAILED']);
    expect(lines.at(-1)).toContain(last);
    expect(stderr).toContain('Not shown, because nothing is wrong with them: 3. --verbose shows them.\n');
    const all = await logs('verify', '--uid', team.uid, '--verbose');
    expect([all.stdout.trim().split('\n').length, exitCode, all.exitCode]).toEqual([24, 1, 1]);
    expect(all.stderr).not.toContain('Not shown');
    await changeKey(team, { createdAt: '' });
    const unchecked = (await logs('verify', '--uid', team.uid)).stdout.trim().split('\n');
    expect(unchecked.map((line) => line.split(' ')[0])).toEqual([...Array(23).fill('PARTLY'), 'FAILED']);
  });
});
