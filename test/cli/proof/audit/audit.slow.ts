import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { arrivalKeys } from '../../../../functions/tlog/arrival.ts';
import { HASHED_ATTRIBUTES } from '../../../../functions/tlog/entryHash.ts';
import type { Head } from '../../../../functions/tlog/tlogTable.ts';
import type { Team } from '../../../setup/fixture.ts';
import { notes } from '../../../setup/outcome.ts';
import { HOUR_MS, MINUTE_MS } from '../../../setup/time.ts';
import { openAuditFixture, RETENTION } from './auditFixture.ts';

const local = await openAuditFixture();
afterAll(() => local.engine.stop());
const key = { createdAt: '2025-01-01T00:00:00.000Z' };
const teams = await Promise.all(Array.from({ length: 4 }, () => local.fixture.team({ key })));
/** Receipts of the uploads, in their order. */
const receipts: string[] = [];
const uploadAll = async () => {
  for (const team of teams) {
    const number = String(receipts.length + 1);
    receipts.push(await local.upload(team, { orderId: number, explanation: `number ${number}` }));
    local.clock.advance(1000);
  }
};
// Entries that are older than the log.
await uploadAll();
local.clock.advance(5 * HOUR_MS);
await local.run();
for (let half = 0; half < 5; half += 1) {
  await uploadAll();
  await local.publish();
  local.clock.advance(30 * MINUTE_MS);
}
await uploadAll();
await local.publish();
/** All entries, oldest first. */
const entries = await local.entries(teams);

const keyOf = ({ uid, entryId }: Pick<Entry, 'uid' | 'entryId'>) => ({ uid, entryId });
/** Expects the kind of the only finding, and the row that it names. */
const only = (kind: string, row: Entry, more = {}) => [expect.objectContaining({ kind, ...keyOf(row), ...more })];
const put = (Item: Record<string, unknown>) =>
  local.fixture.db.send(new PutCommand({ TableName: local.fixture.names.aiLogs, Item }));
const remove = (entry: Pick<Entry, 'uid' | 'entryId'>) =>
  local.fixture.db.send(new DeleteCommand({ TableName: local.fixture.names.aiLogs, Key: keyOf(entry) }));

/** Audits the tables after a change of rows, then takes the change back. A row of undefined attributes lacks them. */
async function auditWith(
  change: { put?: readonly Record<string, unknown>[]; remove?: readonly Entry[] },
  args: readonly string[] = [],
) {
  const before = new Map(entries.map((entry) => [JSON.stringify(keyOf(entry)), entry]));
  for (const entry of change.remove ?? []) await remove(entry);
  for (const row of change.put ?? []) {
    await put(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)));
  }
  const audited = await local.audit(args);
  for (const row of (change.put ?? []) as unknown as Entry[]) {
    if (!before.has(JSON.stringify(keyOf(row)))) await remove(row);
  }
  for (const row of [...(change.put ?? []), ...(change.remove ?? [])] as unknown as Entry[]) {
    const entry = before.get(JSON.stringify(keyOf(row)));
    if (entry) await put(entry as unknown as Record<string, unknown>);
  }
  return audited;
}

/** An entry that was logged in the middle. */
const logged = () => entries[10] as Entry;

test('tables and log that nobody changed are consistent', async () => {
  const { exitCode, result, stderr } = await local.audit();
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(result).toMatchObject({
    ok: true,
    size: 31,
    rows: 28,
    inLog: 28,
    notYetInLog: 0,
    olderThanLog: 4,
    expired: 0,
    duplicates: 0,
    findings: [],
    notChecked: [],
  });
  const shown = await local.ailog(['tlog', 'audit']);
  expect(shown.exitCode).toBe(0);
  expect(shown.stdout).toMatch(/^table +entries: 28, in the log: 28$/m);
  expect(shown.stdout).toMatch(/^backfilled +4: older than the log/m);
  expect(shown.stderr).toBe(
    'The keys are those that the Tlog table names. --policy FILE trusts those of a file instead.\nThe log is consistent, and so are the tables with it.\n',
  );
});

test('a changed entry is named, fuzz.slow.ts changes each attribute: no expiry, or another whole number of days', async () => {
  const entry = logged();
  for (const expiresAt of [undefined, Math.ceil(entry.receivedAt / 1000) + 86_400]) {
    const { result } = await auditWith({ put: [{ ...entry, expiresAt }] });
    const problem = `expiresAt is ${expiresAt ?? 'absent'}, and entries are kept ${RETENTION} days by the log.`;
    expect(result.findings).toEqual(only('expiry', entry, { problem }));
  }
});

describe('rows', () => {
  test('a removed one is named by its place; by an export or a receipt, by its id', async () => {
    const entry = logged();
    await local.ailog(['logs', 'export', '-o', 'before.jsonl']);
    await local.ailog(['statement', '--uid', entry.uid, '-o', 'before.statement']);
    const { exitCode, result } = await auditWith({ remove: [entry] });
    expect(exitCode).toBe(1);
    expect(result.findings).toEqual([
      {
        kind: 'removed',
        index: expect.any(Number),
        problem: expect.stringMatching(
          /^An entry was logged at index \d+, between checkpoints\/\d+ \(.*\) and checkpoints\/\d+ \(.*\), and no row of the table has it\.$/,
        ),
      },
    ]);
    for (const known of [
      'before.jsonl',
      'before.statement',
      local.file('receipt.txt', receipts[10] as string),
      local.file('receipt.note', Buffer.from(receipts[10] as string, 'base64')),
    ]) {
      const named = await auditWith({ remove: [entry] }, ['--known', known]);
      expect(named.result.findings).toEqual(only('removed', entry));
    }
  });

  test('a statement that was changed is an error that names the line', async () => {
    const [{ uid }] = entries as [Entry];
    rmSync(join(local.folder, 'team.statement'), { force: true });
    await local.ailog(['statement', '--uid', uid, '-o', 'team.statement']);
    const text = readFileSync(join(local.folder, 'team.statement'), 'utf8');
    expect(text).toContain('"locale":');
    const file = local.file('changed.statement', text.replace('"locale":', '"local":'));
    expect(await local.audit(['--known', file])).toMatchObject(
      notes(2, /^Line 2 of .*changed\.statement: The line has /),
    );
  });

  test('an edited one: an export tells the former value of each attribute', async () => {
    rmSync(join(local.folder, 'export.jsonl'), { force: true });
    await local.ailog(['logs', 'export', '-o', 'export.jsonl']);
    const names = HASHED_ATTRIBUTES.filter((name) => !['uid', 'entryId', 'query'].includes(name));
    const rows = names.map((name, at) => {
      const entry = entries[6 + at] as Entry;
      return { name, entry, row: { ...entry, [name]: typeof entry[name] === 'number' ? 7 : 'x' } as Entry };
    });
    const { result } = await auditWith({ put: rows.map(({ row }) => ({ ...row })) }, ['--known', 'export.jsonl']);
    for (const { name, entry, row } of rows) {
      const attributes = [{ name, logged: entry[name], stored: row[name] }];
      expect(result.findings).toContainEqual(expect.objectContaining({ kind: 'edited', ...keyOf(entry), attributes }));
    }
  });

  test('an inserted one that the log should have by now shows that it stands still', async () => {
    const get = new GetCommand({ TableName: local.fixture.names.tlog, Key: { id: 'head' }, ConsistentRead: true });
    const receivedAt = ((await local.fixture.db.send(get)).Item as Head).cursor + MINUTE_MS;
    const entry = {
      ...logged(),
      entryId: `${receivedAt}-${'1'.repeat(32)}`,
      timestamp: String(receivedAt),
      receivedAt,
    };
    const { result } = await auditWith({ put: [{ ...entry, ...arrivalKeys(entry) }] });
    // The clock of the target is months ahead.
    const stalled = 'Entries that should be in the log by now: 1. The log stands still.';
    expect([result.notYetInLog, result.notChecked]).toEqual([1, [stalled]]);
  });

  test('a receipt for an entry that never came into the log', async () => {
    const entry = logged();
    const { exitCode, result } = await local.audit(['--known', local.file('promise.txt', await promise(entry))]);
    expect(exitCode).toBe(1);
    expect(result.findings).toEqual([expect.objectContaining({ kind: 'promised', uid: entry.uid })]);
    // A copy may be older than the deadline of the receipt.
    await local.ailog(['tlog', 'export-policy', '-o', 'copy.policy']);
    const copy = ['--log', local.log, '--policy', 'copy.policy', '--known', 'promise.txt'];
    expect((await local.audit(copy)).exitCode).toBe(1);
    const checkpoint = join(local.log, 'checkpoint');
    const { atime, mtime } = statSync(checkpoint);
    utimesSync(checkpoint, atime, new Date(entry.receivedAt + 15 * MINUTE_MS));
    const copied = await local.audit(copy);
    utimesSync(checkpoint, atime, mtime);
    expect([copied.exitCode, copied.result.notYetInLog]).toEqual([0, 1]);
  });

  test('receipts in a result file of ailog upload', async () => {
    const upload = { url: 'https://x', accessKey: 'k', state: 'stored', digest: 'd', entryId: 'e' };
    const of = { ...upload, at: '2025-11-14T06:53:22.000Z' };
    const lines = [receipts[5], undefined, receipts[7]].map((receipt, at) =>
      JSON.stringify({ file: `${at}.json`, ...of, receipt }),
    );
    local.file('results.jsonl', lines.join('\n'));
    const { exitCode, result } = await local.audit(['--known', 'results.jsonl']);
    expect([exitCode, result.receiptsInLog]).toEqual([0, 2]);
    const { stdout } = await local.ailog(['tlog', 'audit', '--known', 'results.jsonl']);
    expect(stdout).toMatch(/^receipts +2 of those given with --known are in the log$/m);
    const removed = await auditWith({ remove: [entries[5] as Entry] }, ['--known', 'results.jsonl']);
    expect(removed.result.findings).toEqual(only('removed', entries[5] as Entry));
  });

  // biome-ignore format: one case a line
  test.each([
    ['has nothing that could be compared', () => '{"file":"a","url":"b","accessKey":"k","state":"unknown","digest":"d","entryId":"e","at":"t"}\n', /has no receipt and no entry\.\nGive a receipt, a result file/],
    ['has a line that is no result', () => '{"file":"a","url":"b","state":"stored","receipt":null}\n', /^Line 1 of \S+ is not a result of an upload: its accessKey is missing\./],
    ['is an export without entries', () => '{}\n', /has no receipt and no entry/],
    ['has a receipt that was changed', () => Buffer.from(String(Buffer.from(receipts[5] as string, 'base64')).replace(/\n\d+-/, '\n1763112660000-')).toString('base64'), /is not a receipt that can be trusted: The signature/],
  ])('a file that %s ends the audit', async (_name, make, says) => {
    const { exitCode, stderr } = await local.ailog(['tlog', 'audit', '--known', local.file('none', make())]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(says)]);
  });
});

/** Uploads a log at the time of another one, and deletes it before a sequencer sees it. @returns its receipt */
async function promise(entry: Entry): Promise<string> {
  const team = teams.find(({ uid }) => uid === entry.uid) as Team;
  const back = local.clock.now() - entry.receivedAt;
  local.clock.advance(-back);
  const receipt = await local.upload(team, { stage: 'soon gone' });
  local.clock.advance(back);
  const all = await local.entries(teams);
  const gone = all.find(({ stage }) => stage === 'soon gone') as Entry;
  await remove(gone);
  return receipt;
}

describe('entries that are gone', () => {
  test('are not explained by a row that says that it expires earlier', async () => {
    const [early, ...removed] = entries.slice(5, 12);
    const expiresAt = Math.ceil((early as Entry).receivedAt / 1000) + 86_400;
    const { exitCode, result } = await auditWith({ put: [{ ...early, expiresAt }], remove: removed });
    expect([exitCode, result.expired]).toEqual([1, 0]);
    expect(result.findings.map(({ kind }) => kind).sort()).toEqual(['expiry', ...removed.map(() => 'removed')]);
  });

  test('are explained by the retention that the log announces, and named if --known names them', async () => {
    const short = await openAuditFixture({ retention: 30 });
    const team = await short.fixture.team({ key });
    await short.run();
    for (let upload = 0; upload < 3; upload += 1) {
      await short.upload(team, { explanation: `number ${upload}` });
      await short.publish();
    }
    const [first, second] = (await short.entries([team])) as [Entry, Entry];
    await short.ailog(['logs', 'export', '-o', 'before.jsonl']);
    const { db, names } = short.fixture;
    await db.send(new DeleteCommand({ TableName: names.aiLogs, Key: keyOf(first) }));
    const expired = await short.audit();
    expect([expired.exitCode, expired.result.expired, expired.result.findings]).toEqual([0, 1, []]);
    const named = await short.audit(['--known', 'before.jsonl']);
    expect([named.exitCode, named.result.findings]).toEqual([0, only('expired', first)]);
    await db.send(new PutCommand({ TableName: names.aiLogs, Item: { ...second, expiresAt: undefined } }));
    const { result } = await short.audit();
    expect(result.findings).toEqual(only('expiry', second));
    await short.engine.stop();
  });
});
