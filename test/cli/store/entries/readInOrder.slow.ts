import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import { type EntryPage, entriesReader } from '../../../../cli/store/entries/entriesReader.ts';
import type { EntryFilter, EntryKey } from '../../../../cli/store/entries/entryFilter.ts';
import { readInOrder } from '../../../../cli/store/entries/readPages.ts';
import { localIdentity } from '../../../../cli/store/targets/data.ts';
import { documents } from '../../../../cli/store/targets/openedTarget.ts';
import { world } from '../../../setup/world.ts';

const UIDS = Array.from({ length: 12 }, (_, index) => String(7000 + index));

const fixture = await world();
const TableName = fixture.names.aiLogs;
// The first UID has entries for three pages of DynamoDB (1 MB).
for (const [index, uid] of UIDS.entries()) {
  for (let n = 0; n < (index === 0 ? 9 : 3); n += 1) {
    const entryId = `${1_763_000_000_000 + n}-${randomBytes(16).toString('hex')}`;
    const body = randomBytes(index === 0 ? 300_000 : 40_000);
    await fixture.db.send(new PutCommand({ TableName, Item: { uid, entryId, body } }));
  }
}
const pagesOfScan = paginateScan({ client: fixture.db }, { TableName, ConsistentRead: true });
/** The ids of all entries, as one scan after another finds them. */
const scanned = (await Array.fromAsync(pagesOfScan)).flatMap(({ Items = [] }) =>
  Items.map(({ uid, entryId }) => `${uid} ${entryId}`),
);
const proxy = await fixture.faulty();
const client = new DynamoDBClient({ endpoint: proxy.url, ...localIdentity });
const reader = entriesReader({ db: documents(client), tables: fixture.names });
afterEach(() => {
  for (const uid of UIDS) proxy.heal('query entries', uid);
});

const read = (filter: EntryFilter, after?: EntryKey) => Array.fromAsync(readInOrder(reader, filter, after));
const idsOf = (pages: readonly EntryPage[]) =>
  pages.flatMap(({ entries }) => entries.map(({ uid, entryId }) => `${uid} ${entryId}`));

describe('reading in parallel', () => {
  test('gives every entry once, in the order of a scan', async () => {
    const pages = await read({});
    expect(idsOf(pages)).toEqual(scanned);
    // The embedded engine also counts the entry that did not fit into a page.
    expect(pages.reduce((sum, page) => sum + page.scanned, 0)).toBeGreaterThanOrEqual(scanned.length);
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

  test('continues after every page', async () => {
    const pages = await read({});
    const places = pages.flatMap(({ next }, index) => (next ? [{ next, index }] : []));
    expect(places).toHaveLength(pages.length - 1);
    for (const { next, index } of places) {
      expect(idsOf(await read({}, next))).toEqual(idsOf(pages.slice(index + 1)));
    }
  });

  test('stops when its reader stops', async () => {
    for await (const page of readInOrder(reader, {})) {
      expect(idsOf([page])).toEqual(scanned.slice(0, page.entries.length));
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
});
