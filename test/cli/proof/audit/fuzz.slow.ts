/**
 * Edits every attribute of every kind of item that the audit reads, one at a time: the audit never says that the log and
 * the tables are consistent. tampering.slow.ts has deletions and insertions.
 */
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { HASHED_ATTRIBUTES } from '../../../../functions/tlog/entryHash.ts';
import { HOUR_MS, MINUTE_MS } from '../../../setup/time.ts';
import { openAuditFixture } from './auditFixture.ts';

type Item = Record<string, unknown>;

const local = await openAuditFixture();
afterAll(() => local.engine.stop());
const key = { createdAt: '2025-01-01T00:00:00.000Z' };
const teams = await Promise.all(Array.from({ length: 5 }, () => local.fixture.team({ key })));
await local.run();
for (let round = 0; round < 20; round += 1) {
  for (const team of teams) {
    await local.upload(team, { orderId: String(round + 1), explanation: `${round} of ${team.uid}` });
    local.clock.advance(1000);
  }
  await local.publish();
  local.clock.advance(15 * MINUTE_MS);
}
await local.publish();
const entries = await local.entries(teams);

const tableOf = (id: 'aiLogs' | 'tlog') => local.fixture.names[id];
/** Stores an item. @returns false if DynamoDB refuses it: the key of an index is of another type */
const put = (id: 'aiLogs' | 'tlog', item: Item): Promise<boolean> =>
  local.fixture.db
    .send(
      new PutCommand({
        TableName: tableOf(id),
        Item: Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)),
      }),
    )
    .then(
      () => true,
      (error) => {
        if (error.name !== 'ValidationException') throw error;
        return false;
      },
    );
const remove = (id: 'aiLogs' | 'tlog', Key: Item) =>
  local.fixture.db.send(new DeleteCommand({ TableName: tableOf(id), Key }));
const read = async (id: string): Promise<Item> =>
  (await local.fixture.db.send(new GetCommand({ TableName: tableOf('tlog'), Key: { id } }))).Item as Item;
const keyOf = ({ uid, entryId }: Pick<Entry, 'uid' | 'entryId'>) => ({ uid, entryId });

/** Returns other values of the kind of a value, of another kind, and none. */
function editsOf(value: unknown): unknown[] {
  if (typeof value === 'number') return [value + 1, value - 1, value + HOUR_MS, 'x', 2.5, undefined];
  if (typeof value === 'string') {
    const last = value.at(-1) === '0' ? '1' : '0';
    return [value.slice(0, -1) + last, `${value}0`, 7, undefined];
  }
  if (value instanceof Uint8Array) {
    const flipped = (at: number) => Buffer.from(value.map((byte, index) => (index === at ? byte ^ 1 : byte)));
    return [flipped(0), flipped(value.length - 1), Buffer.from(value.subarray(1)), 'x', undefined];
  }
  return ['x', undefined];
}

test('data that nobody edited is consistent', async () => {
  const { exitCode, result } = await local.audit();
  expect([exitCode, result.findings]).toEqual([0, []]);
  expect(entries).toHaveLength(100);
});

// All edits of each attribute, as many rounds as one has edits. Each goes to an entry of its own.
test.each([0, 1, 2, 3, 4, 5])(
  'one attribute of an entry is edited (round %i): every edited entry is named',
  async (round) => {
    const names = Object.keys(entries[0] as Entry) as (keyof Entry)[];
    const edited = names.flatMap((name, at) => {
      const entry = entries[20 + at] as Entry;
      const edits = editsOf(entry[name]);
      if (round >= edits.length) return [];
      const row = { ...entry, [name]: edits[round] };
      // A row needs its keys. Another key is another row, and this one is gone.
      return typeof row.uid === 'string' && typeof row.entryId === 'string' ? [{ entry, row, name }] : [];
    });
    const stored: typeof edited = [];
    for (const one of edited) {
      await remove('aiLogs', keyOf(one.entry));
      if (await put('aiLogs', one.row)) stored.push(one);
    }
    const { exitCode, result } = await local.audit();
    for (const { entry, row } of edited) {
      await remove('aiLogs', keyOf(row as Entry));
      await put('aiLogs', entry as unknown as Item);
    }
    const kindsOf = ({ uid, entryId }: Entry) =>
      result.findings.filter((one) => one.uid === uid && one.entryId === entryId).map(({ kind }) => kind);
    const unnamed = stored.filter(({ name, row }) => {
      const kinds = kindsOf(row);
      const isHashed = (HASHED_ATTRIBUTES as readonly string[]).includes(name);
      return isHashed ? !kinds.includes('edited') : kinds.length === 0;
    });
    const rows = new Set(stored.map(({ row }) => JSON.stringify(keyOf(row))));
    const others = result.findings.filter(({ uid, entryId }) => uid && !rows.has(JSON.stringify({ uid, entryId })));
    expect(stored.length).toBeGreaterThan(round < 4 ? 8 : 1);
    expect([exitCode, unnamed.map(({ name }) => name), others]).toEqual([1, [], []]);
  },
);

describe('one attribute of the Tlog table', () => {
  /**
   * Attributes that nothing in the log says, so that the audit only checks their kind or bounds. What an edit of one
   * makes the sequencer do shows in the log: entries that are missing, late or there twice.
   */
  const FREE: Readonly<Record<string, string>> = {
    'head.version': 'orders the writes',
    'head.claim': 'identifies a write',
    'head.writtenAt': 'a clock; bounded by cursor, checkpoints and now',
    'head.cursor': 'a clock; bounded by the last mark and writtenAt',
    'head.looked': 'where the second look goes on; the audit compares all entries itself',
    'head.marks.0': 'without its oldest mark, the sequencer only reads more',
    'head.marks.0.cursor': 'a clock; bounded by its neighbours',
    'receipt-keys.current.createdAt': 'a note for admins',
    'receipt-keys.current.sealedPrivateKey': 'only KMS can open it; without it, uploads have no receipt',
  };

  /** Yields all values in an item by their paths; of a list, those of its first element. */
  function* placesIn(value: unknown, path: string): Generator<readonly [string, unknown]> {
    const isOpen = typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
    if (path.includes('.')) yield [path, value];
    if (!isOpen) return;
    const inner = Array.isArray(value) ? value.slice(0, 1).map((one) => ['0', one] as const) : Object.entries(value);
    for (const [name, one] of inner) yield* placesIn(one, `${path}.${name}`);
  }

  /** Returns an item with another value at a path. */
  function edited(item: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
    if (name === undefined) return value;
    const change = (inner: unknown) => edited(inner, rest, value);
    if (Array.isArray(item)) {
      return item.map((one, at) => (String(at) === name ? change(one) : one)).filter((one) => one !== undefined);
    }
    const { [name]: old, ...others } = item as Item;
    const made = change(old);
    return made === undefined ? others : { ...others, [name]: made };
  }

  test.each(['head', 'receipt-keys'])(
    '%s, each value in it: never consistent, but for those that are named',
    async (id) => {
      const item = await read(id);
      const unseen = new Set<string>();
      let audits = 0;
      for (const [path, value] of placesIn(item, id)) {
        if (path === `${id}.id`) continue;
        for (const edit of editsOf(value).slice(0, 2)) {
          await put('tlog', edited(item, path.split('.').slice(1), edit) as Item);
          audits += 1;
          if ((await local.audit()).exitCode === 0) unseen.add(path);
        }
      }
      await put('tlog', item);
      expect(audits).toBeGreaterThan(8);
      expect([...unseen].sort()).toEqual(
        Object.keys(FREE)
          .filter((path) => path.startsWith(`${id}.`))
          .sort(),
      );
    },
  );
});
