import { expect, test } from 'vitest';
import { entriesTable } from '../../functions/ailog/entries.ts';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import { isPartitionThrottled } from '../../functions/dependencyFailure.ts';
import { clientAt, noDeadline, type Plan, world } from '../setup/world.ts';
import { received } from './received.ts';

const fixture = await world();
const proxy = await fixture.faulty();

let entries = 0;
const newEntry = (): Entry => {
  entries += 1;
  return composeEntry({ stage: 's', model: 'm' }, { ...received, uid: String(entries) });
};
const deadline = () => noDeadline();

test('an entry is stored once; the second put returns what is stored, with every digit and byte', async () => {
  const { put } = entriesTable(fixture.db, fixture.names.aiLogs);
  const entry = { ...newEntry(), orderId: 590480926522704171n };
  expect(await put(entry, deadline())).toEqual({ outcome: 'created' });
  const again = await put({ ...entry, receivedAt: entry.receivedAt + 1, sourceIp: '192.0.2.2' }, deadline());
  expect(again).toEqual({ outcome: 'existing', stored: { ...entry, body: new Uint8Array(entry.body) } });
});

test.each<[string, Plan, error: string, isPartition: boolean]>([
  [
    'is the throttling of its partition if that was the error each time',
    () => 'throttled by its partition',
    'ProvisionedThroughputExceededException',
    true,
  ],
  [
    'is another error if there was one, because that attempt may have stored the entry',
    (attempt) => (attempt === 2 ? 'an error 500' : 'throttled by its partition'),
    'InternalServerError',
    false,
  ],
  ['is the last one if none was about a partition', () => 'an error 500', 'InternalServerError', false],
])('the error of a put that failed three times: %s', async (_, plan, name, isPartition) => {
  const entry = newEntry();
  proxy.fail('put entry', entry.uid, plan);
  const { put } = entriesTable(clientAt(proxy.url, { maxAttempts: 3 }), fixture.names.aiLogs);
  const error = await put(entry, deadline()).catch((thrown) => thrown);
  expect(error.name).toBe(name);
  expect(isPartitionThrottled(error)).toBe(isPartition);
});
