import { BatchWriteCommand, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { localWorld } from '../../../setup/world.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');

const local = await localWorld();
const team = await local.oldTeam();
const entryId = await local.uploadAt(team, T0, { orderId: '42' });

const logs = (...args: string[]) => local.ailog(['logs', ...args]);

describe('a rival cannot bury the log of another team', () => {
  test('900 uploads that name its order', async () => {
    const rival = await local.oldTeam();
    const [template] = await local.entriesOf(team.uid);
    const items = Array.from({ length: 900 }, (_, n) => ({
      ...template,
      uid: rival.uid,
      entryId: `${T0 + 1 + n}-${'a'.repeat(32)}`,
      stage: n === 0 ? 'Oldest' : 'Decision',
    }));
    for (let from = 0; from < items.length; from += 25) {
      const puts = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
      await local.db.send(new BatchWriteCommand({ RequestItems: { [local.names.aiLogs]: puts } }));
    }
    const { stdout, stderr } = await logs('list', '--order', '42');
    const uids = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(' ')[0]);
    expect(uids).toEqual([team.uid, ...Array.from({ length: 20 }, () => rival.uid)]);
    expect(stderr).toBe(
      `Shown: the newest 20 of each team. Not shown: 880 of UID ${rival.uid}. --limit N shows more.\n`,
    );
    const { stdout: json } = await logs('list', '--order', '42', '--limit', '1', '--json');
    expect(JSON.parse(json)).toMatchObject([{ entryId }, { entryId: `${T0 + 900}-${'a'.repeat(32)}` }]);
    // A filter is applied after a page was read, so that the only match can be many pages away.
    const { stdout: oldest } = await logs('list', '--uid', rival.uid, '--stage', 'Oldest', '--json');
    expect(JSON.parse(oldest)).toMatchObject([{ entryId: `${T0 + 1}-${'a'.repeat(32)}` }]);
    const { stdout: most } = await logs('list', '--uid', rival.uid, '--stage', 'Decision', '--limit', '150', '--json');
    expect(JSON.parse(most)).toHaveLength(150);
  });
});

describe('rows that only somebody with access to the table can write', () => {
  const everyReader = [
    ['list'],
    ['list', '--json'],
    ['verify'],
    ['export'],
    ['export', '--format', 'csv'],
    ['list', 'eth'],
  ];

  // biome-ignore format: one case a line
  test.each<[string, Record<string, unknown>]>([
    ['no time of receipt', { receivedAt: undefined }],
    ['a time of receipt that is not a time', { receivedAt: NumberValue.from('1e100') }],
    ['no time of signing', { timestamp: undefined }],
    ['a length beyond every native number', { bodyBytes: NumberValue.from('1'.repeat(38)) }],
    ['an order id that is not an integer', { orderId: 1.5 }],
    ['no fields at all', Object.fromEntries(['receivedAt', 'orderId', 'stage', 'model', 'explanation', 'body', 'bodySha256', 'bodyBytes', 'accessKey', 'timestamp', 'signature', 'locale', 'sourceIp'].map((name) => [name, undefined]))],
    ['fields of other types', { stage: { a: 1 }, model: 5, explanation: ['x'], body: 'text', signature: true, locale: null }],
  ])('%s do not end a command', async (_name, change) => {
    const own = await local.oldTeam();
    const id = await local.uploadAt(own, T0);
    await local.tamper({ uid: own.uid, entryId: id }, change);
    for (const [command = '', ...args] of [...everyReader, ['show', id]]) {
      const { exitCode, stderr } = await logs(command, ...args, '--uid', own.uid);
      expect([0, 1], `${command}: ${stderr}`).toContain(exitCode);
    }
    expect((await logs('verify', '--uid', own.uid)).exitCode).toBe(1);
  });

  test('a number that no native number can hold does not end a command', async () => {
    const own = await local.oldTeam();
    const id = await local.uploadAt(own, T0);
    const fixture = local;
    await fixture.tamper({ uid: own.uid, entryId: id }, { junk: NumberValue.from('1.23456789012345678901') });
    expect((await logs('verify', '--uid', own.uid)).exitCode).toBe(0);
  });

  test.each([
    ['behind ~', '~~'],
    ['behind every other', '\u{10ffff}'.repeat(256)],
    ['with control characters', '\u001b[2J\u202e'],
  ])('an entry id that sorts %s: every command ends, and names it safely', async (_name, id) => {
    const own = await local.oldTeam();
    const [template] = await local.entriesOf(team.uid);
    const Item = { ...template, uid: own.uid, entryId: id };
    await local.db.send(new PutCommand({ TableName: local.names.aiLogs, Item }));
    const { stdout, exitCode } = await logs('list', '--limit', '1000');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`\n${own.uid} `);
    expect(stdout).toContain(`\n${team.uid} `);
    const verified = await logs('verify', '--uid', own.uid);
    expect([verified.exitCode, verified.stdout]).toEqual([1, expect.stringContaining('digest wrong: entryId')]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach the terminal
    expect(`${stdout}${verified.stdout}`).not.toMatch(/[\u001b\u202e]/);
  });

  test('a stage of 390 000 characters stays short in every list, and --wide or --full shows it', async () => {
    const own = await local.oldTeam();
    const id = await local.uploadAt(own, T0);
    await local.tamper({ uid: own.uid, entryId: id }, { stage: `${'x'.repeat(390_000)}END`, body: undefined });
    for (const args of [['list'], ['show', id], ['list', 'xxx']]) {
      const cut = await logs(...args, '--uid', own.uid);
      expect(cut.stdout.length, args[0]).toBeLessThan(8_000);
      if (args[1] !== 'xxx')
        expect((await logs(...args, '--uid', own.uid, args[0] === 'show' ? '--full' : '--wide')).stdout).toContain(
          'END',
        );
    }
    expect((await logs('list', '--uid', own.uid)).stderr).toBe('Cut to fit: stage. --wide shows the whole text.\n');
  });
});
