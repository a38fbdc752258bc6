import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { entriesReader } from '../../../cli/entries/entriesReader.ts';
import type { EntryFilter, EntryKey } from '../../../cli/entries/entryFilter.ts';
import { readParts } from '../../../cli/entries/readParts.ts';
import { localIdentity } from '../../../cli/target/data.ts';
import { documents } from '../../../cli/target/openedTarget.ts';
import { openFaultProxy } from '../../faults/faultProxy.ts';
import { type Fixture, openFixture } from '../../setup/fixture.ts';
import type { IdsPart } from './idsPart.ts';

const TASK = new URL('./idsPart.ts', import.meta.url).href;
const UIDS = Array.from({ length: 12 }, (_, index) => String(7000 + index));

let fixture: Fixture;
let proxy: Awaited<ReturnType<typeof openFaultProxy>>;
let table: Parameters<typeof readParts>[0];
/** The ids of all entries, as one scan after another finds them. */
let scanned: string[];

beforeAll(async () => {
  fixture = await openFixture();
  // The first UID has entries for three pages of DynamoDB (1 MB), and all of them are too large to be read in one
  // thread.
  for (const [index, uid] of UIDS.entries()) {
    for (let n = 0; n < (index === 0 ? 9 : 3); n += 1) {
      const entryId = `${1_763_000_000_000 + n}-${randomBytes(16).toString('hex')}`;
      const body = randomBytes(index === 0 ? 300_000 : 40_000);
      await fixture.db.send(new PutCommand({ TableName: fixture.names.aiLogs, Item: { uid, entryId, body } }));
    }
  }
  const reader = entriesReader(fixture.db, fixture.names.aiLogs);
  scanned = [];
  for (let after: EntryKey | undefined, more = true; more; more = after !== undefined) {
    const page = await reader.page({}, { after });
    scanned.push(...page.entries.map(({ uid, entryId }) => `${uid} ${entryId}`));
    after = page.next;
  }
  proxy = await openFaultProxy(fixture.environment.AWS_ENDPOINT_URL_DYNAMODB);
  const client = new DynamoDBClient({ endpoint: proxy.endpoint, ...localIdentity });
  table = { db: documents(client), tableName: fixture.names.aiLogs };
  return () => proxy.close();
});
afterEach(() => {
  for (const uid of UIDS) proxy.heal('query entries', uid);
});

/** Reads with the task of the tests. */
const read = (filter: EntryFilter, { after, failAt }: { after?: EntryKey; failAt?: string } = {}) =>
  Array.fromAsync(
    readParts<{ failAt?: string }, IdsPart>(table, filter, {
      task: TASK,
      options: { ...(failAt && { failAt }) },
      after,
    }),
  );
const idsOf = (parts: Awaited<ReturnType<typeof read>>) => parts.flatMap(({ part }) => part.ids);

describe('reading in parallel', () => {
  test('gives every entry once, in the order of a scan, and uses workers for a large table', async () => {
    const parts = await read({});
    expect(idsOf(parts)).toEqual(scanned);
    // The embedded engine also counts the entry that did not fit into a page.
    expect(parts.reduce((sum, part) => sum + part.scanned, 0)).toBeGreaterThanOrEqual(scanned.length);
    expect(new Set(parts.map(({ part }) => part.byWorker))).toEqual(new Set([false, true]));
  });

  test('gives the same order when the pages arrive in another', async () => {
    for (const uid of UIDS.filter((_, index) => index % 3 === 0)) {
      proxy.fail('query entries', uid, () => 'a slow response');
    }
    expect(idsOf(await read({}))).toEqual(scanned);
  });

  test('gives chosen UIDs in the order of the filter', async () => {
    const uids = [UIDS[5], UIDS[0], UIDS[11], '404'] as string[];
    const wanted = uids.flatMap((uid) => scanned.filter((id) => id.startsWith(`${uid} `)));
    expect(idsOf(await read({ uids }))).toEqual(wanted);
    expect(await read({ uids: [] })).toEqual([]);
  });

  test('continues behind every part that says where', async () => {
    const parts = await read({});
    const places = parts.flatMap(({ next }, index) => (next ? [{ next, index }] : []));
    expect(places.length).toBeGreaterThanOrEqual(UIDS.length);
    for (const { next, index } of places) {
      expect(idsOf(await read({}, { after: next }))).toEqual(idsOf(parts.slice(index + 1)));
    }
  });

  test('throws the error of the task, whichever thread it is in', async () => {
    for (const id of [scanned[0], scanned.at(-1)] as string[]) {
      await expect(read({}, { failAt: id })).rejects.toThrow(`Failed at ${id}`);
    }
  });

  test('stops when its reader stops', async () => {
    for await (const { part } of readParts<object, IdsPart>(table, {}, { task: TASK, options: {} })) {
      expect(part.ids).toEqual(scanned.slice(0, 2));
      break;
    }
  });
});

describe('while DynamoDB throttles', () => {
  test('reads everything all the same, with pauses', async () => {
    let throttled = 0;
    for (const uid of UIDS) {
      proxy.fail('query entries', uid, () => (++throttled % 12 < 8 && throttled < 40 ? 'throttled' : undefined));
    }
    expect(idsOf(await read({}))).toEqual(scanned);
    expect(throttled).toBeGreaterThan(40);
  });

  test('throws another error of DynamoDB at once', async () => {
    let [attempts, calls] = [0, 0];
    proxy.fail('query entries', UIDS[3] as string, (attempt) => {
      attempts = Math.max(attempts, attempt);
      calls += 1;
      return 'an error 500';
    });
    await expect(read({})).rejects.toMatchObject({ name: 'InternalServerError' });
    // Only the SDK tries again.
    expect(calls).toBe(attempts);
  });
});
