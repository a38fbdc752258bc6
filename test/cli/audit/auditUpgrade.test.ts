import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Entry } from '../../../functions/ailog/entry.ts';
import type { Team } from '../../setup/fixture.ts';
import { HOUR_MS, MINUTE_MS } from '../../setup/time.ts';
import { type AuditFixture, openAuditFixture, START } from './auditFixture.ts';

/** A table with rows without arrival attributes that are older than its transparency log. */
let local: AuditFixture;
let team: Team;
let oldest: Entry;
beforeAll(async () => {
  local = await openAuditFixture();
  team = await local.fixture.team({ key: { createdAt: '2025-01-01T00:00:00.000Z' } });
  oldest = await storeWithoutArrival();
  await storeWithoutArrival();
  local.clock.advance(MINUTE_MS);
  await local.run();
  for (let hour = 0; hour < 2; hour += 1) {
    await local.upload(team);
    local.clock.advance(HOUR_MS - MINUTE_MS);
    await local.publish();
  }
});
afterAll(() => local.engine.stop());

const tableName = () => local.fixture.names.aiLogs;
const put = (Item: Entry) => local.fixture.db.send(new PutCommand({ TableName: tableName(), Item }));
const remove = ({ uid, entryId }: Entry) =>
  local.fixture.db.send(new DeleteCommand({ TableName: tableName(), Key: { uid, entryId } }));

/** Stores an entry without arrival attributes, as the demo does. */
async function storeWithoutArrival(): Promise<Entry> {
  await local.upload(team, { stage: 'old' });
  const { slot, arrival, ...entry } = (await local.entries([team])).at(-1) as Entry;
  await put(entry);
  local.clock.advance(1000);
  return entry;
}

test('rows without arrival attributes from before the log are in it, and none is a finding', async () => {
  const { exitCode, result } = await local.audit();
  expect([exitCode, result.findings, result.notYetInLog, result.olderThanLog]).toEqual([0, [], 0, 2]);
});

test('a row without arrival attributes from after the log began is named', async () => {
  const receivedAt = START + 10 * MINUTE_MS;
  const forged = { ...oldest, receivedAt, entryId: `${receivedAt}-${'0'.repeat(32)}` };
  await put(forged);
  const { result } = await local.audit();
  await remove(forged);
  expect(result.findings.map(({ kind, entryId }) => [kind, entryId])).toEqual(
    expect.arrayContaining([
      ['arrival', forged.entryId],
      ['unlogged', forged.entryId],
    ]),
  );
});

test('a leaf that may be older than the log may have expired: not checked', async () => {
  const checkpoints = join(local.log, 'checkpoints');
  for (const name of readdirSync(checkpoints)) utimesSync(join(checkpoints, name), START / 1000, START / 1000);
  await remove(oldest);
  const { exitCode, result } = await local.audit();
  expect([exitCode, result.findings]).toEqual([5, []]);
  expect(result.notChecked).toEqual([
    expect.stringMatching(/^1 log entries .* they have expired, or somebody removed them/),
  ]);
  const [, second] = await local.entries([team]);
  await remove(second as Entry);
  await put(oldest);
  expect((await local.audit()).result.findings.map(({ kind }) => kind)).toEqual(['removed']);
});
