import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import type { entryFormats } from '../../../../cli/store/exports/exportPage.ts';
import { openLocalData } from '../../../setup/commandLine.ts';
import { says } from '../../../setup/outcome.ts';
import { logText } from '../../../setup/upload.ts';
import { oldTeam, uploadAt } from './entries.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');

const ids: string[] = [];
const local = await openLocalData();
const team = await oldTeam(local.fixture);
// The text of a team that is hardest to bring through a spreadsheet.
const texts = ['plain', '=1+1;"=2"\n-3', '\u202e\u009b\\u{202e}\r\n\u2028', '590480926522704171'];
for (const [index, explanation] of texts.entries()) {
  ids.push(await uploadAt(local.fixture, team, T0 + index * 1000, { explanation, orderId: 590480926522704171n }));
}
afterAll(() => local.engine.stop());

let files = 0;
/** Exports the team's entries and returns the text of the file. */
async function exported(format: keyof typeof entryFormats): Promise<string> {
  const path = join(local.folder, `own-${++files}`);
  await local.ailog(['logs', 'export', '--uid', team.uid, '--format', format, '-o', path]);
  return readFileSync(path, 'utf8');
}

/** Verifies a file with this text. */
const verifying = (text: string, ...args: string[]) =>
  local.ailog(['logs', 'verify', '--file', local.file(`given-${++files}`, text), ...args]);

const linesOf = (text: string) => text.trimEnd().split('\n');
/** Exports the team's entries but for some. */
const exportedWithout = async (first: number, count: number) =>
  linesOf(await exported('jsonl'))
    .toSpliced(first, count)
    .join('\n');
const change = (text: string, index: number, change: (record: Record<string, unknown>) => object) =>
  linesOf(text)
    .map((line, at) => (at === index ? JSON.stringify(change(JSON.parse(line))) : line))
    .join('\n');

describe('ailog logs verify --file', () => {
  test.each(['jsonl', 'csv'] as const)('an unchanged export as %s', async (format) => {
    const { stdout, stderr, exitCode } = await verifying(await exported(format));
    expect([exitCode, stderr]).toEqual([
      0,
      'Checked: 4, failed: 0, not checked: 0.\nCompared with the table: 0 missing in the file, 0 extra, 0 different.\n',
    ]);
    expect(linesOf(stdout)).toEqual(
      ids.map((id) => `ok      ${team.uid}  ${id}  digest ok, fields ok, signature ok, time ok, table ok`),
    );
  });

  test('a CSV that a spreadsheet saved with semicolons and a byte-order mark', async () => {
    const [head = '', ...rest] = linesOf(await exported('csv'));
    const first = rest[0] as string;
    const saved = `\ufeff${head.replaceAll(',', ';')}\n${first.replaceAll(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ';')}\n`;
    const { stdout, exitCode } = await verifying(saved, '--until', '2025-11-14T09:00:01Z');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('table ok')]);
  });

  const forged = logText({ explanation: 'forged' });
  const forgedDigest = createHash('sha256').update(forged).digest('hex');

  // biome-ignore format: one case a line
  test.each<[name: string, alter: (text: string) => string, stdout: RegExp, stderr: RegExp]>([
    ['a missing entry', (text) => linesOf(text).toSpliced(1, 1).join('\n'), /^FAILED {2}\d+ {2}\S+ {2}table wrong: missing in the file$/m, /: 1 missing in the file, 0 extra, 0 different\./],
    ['a repeated entry', (text) => `${text}${linesOf(text)[0]}\n`, /line 5 .*table wrong: repeated in the file$/m, /0 missing in the file, 1 extra, 0 different/],
    ['another model', (text) => change(text, 0, (record) => ({ ...record, model: 'GPT-6' })), /line 1 .*fields wrong: model, .*table wrong: different model$/m, /0 extra, 1 different/],
    ['another address', (text) => change(text, 0, (record) => ({ ...record, sourceIp: '198.51.100.7' })), /signature ok, time ok, table wrong: different sourceIp$/m, /1 different/],
    ['another body', (text) => change(text, 1, (record) => ({ ...record, body: forged, bodySha256: forgedDigest, bodyBytes: forged.length })), /signature wrong: not signed with this key, time ok, table wrong: different bodySha256, bodyBytes, body$/m, /1 different/],
    ['no body', (text) => change(text, 0, (record) => ({ ...record, body: null })), /digest wrong: the body is damaged, .*different body$/m, /1 different/],
    ['an entry that was never stored', (text) => change(text, 3, (record) => ({ ...record, entryId: `${T0 + 9000}-${'0'.repeat(32)}` })), /digest wrong: entryId, .*table wrong: not in the table$/m, /1 extra/],
    ['a line that is not JSON', (text) => text.replace('{', '{{'), /^FAILED {4}.*line 1 .*this line is not an entry$/m, /1 extra/],
    ['an order id that a spreadsheet shortened', (text) => change(text, 0, (record) => ({ ...record, orderId: '5.90481E+17' })), /fields wrong: orderId.*different orderId$/m, /1 different/],
  ])('%s', async (_name, alter, stdout, stderr) => {
    const ran = await verifying(alter(await exported('jsonl')));
    expect(ran).toEqual({ exitCode: 1, stdout: expect.stringMatching(stdout), stderr: expect.stringMatching(stderr) });
  });

  test('an entry that was deleted from the table', async () => {
    const text = await exported('jsonl');
    const other = await oldTeam(local.fixture);
    const entryId = await uploadAt(local.fixture, other, T0);
    const own = (await local.ailog(['logs', 'export', '--uid', other.uid])).stdout;
    const Key = { uid: other.uid, entryId };
    await local.fixture.db.send(new DeleteCommand({ TableName: local.fixture.names.aiLogs, Key }));
    const { stdout, exitCode } = await verifying(`${text}${own}`);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('signature ok, time ok, table wrong: not in the table');
  });

  test('entries after the file was exported are not missing, unless --until says how far it should reach', async () => {
    const text = await exportedWithout(2, 2);
    const { exitCode, stderr } = await verifying(text);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('and not counted as missing: 2. --until sets')]);
    expect((await verifying(text, '--until', '2025-11-14T09:00:02Z')).exitCode).toBe(0);
    expect((await verifying(text, '--until', '2025-11-15')).stderr).toContain('2 missing in the file');
  });

  test('an altered entry counts as the last entry of the file, by its time in the table', async () => {
    const text = await exportedWithout(1, 2);
    const later = change(text, 1, (record) => ({ ...record, receivedAt: '2025-11-15T09:00:00.000Z', model: 'GPT-6' }));
    for (const altered of [change(text, 1, (record) => ({ ...record, model: 'GPT-6' })), later]) {
      const { exitCode, stderr } = await verifying(altered);
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(/: 2 missing in the file, 0 extra, 1 different\.\n$/),
      ]);
    }
  });

  test('--json names line and checks', async () => {
    const ran = await verifying(await exportedWithout(0, 1), '--json');
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { line: 1, entryId: ids[1], ok: true, checks: { table: 'ok' } },
      { line: 2, entryId: ids[2], ok: true },
      { line: 3, entryId: ids[3], ok: true },
      { entryId: ids[0], ok: false, checks: { table: 'wrong: missing in the file' } },
    ]);
  });

  test.each([
    ['', 'is empty.'],
    ['hello\n', 'is not an export.\nailog logs export writes JSON lines, or CSV whose first line begins with uid.'],
    ['uid,entryId\n1,"x\n', 'is not CSV: '],
  ])('rejects a file with the text %j', async (text, stderr) => {
    expect(await verifying(text)).toEqual(says(2, expect.stringContaining(stderr)));
  });
});
