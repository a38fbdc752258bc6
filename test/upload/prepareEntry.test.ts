import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { composeEntry, itemBytes } from '../../functions/ailog/entry.ts';
import { ITEM_LIMIT_BYTES } from '../../functions/ailog/limits.ts';
import { arrivalKeys, arrivalSlot, SHARDS } from '../../functions/tlog/arrival.ts';
import { prepareEntry } from '../../functions/upload/middleware/checkLog.ts';
import { shortLog } from '../../infra/openapi/exampleLog.ts';
import { received } from '../ailog/received.ts';

const { before } = prepareEntry({ entryRetentionDays: undefined });

/** Prepares the entry of a body that does not compress. @returns the size of the entry with its keys of the index */
async function prepare(rawBody: Buffer): Promise<number> {
  const { uid, accessKey, timestamp, signature, receivedAt, locale, sourceIp } = received;
  const request = {
    event: {
      ...{ caller: { uid, accessKey }, access: { timestamp, signature }, receivedAt, locale, rawBody, log: shortLog },
      requestContext: { identity: { sourceIp } },
    },
  } as Parameters<NonNullable<typeof before>>[0];
  await before?.(request);
  return request.event.entry ? itemBytes(request.event.entry) : 0;
}

test('an entry must fit into an item together with its keys of the index', async () => {
  const bytes = randomBytes(ITEM_LIMIT_BYTES);
  const entry = composeEntry(shortLog, { ...received, rawBody: bytes.subarray(1000) });
  // The shard in the partition of the index has one digit or two, by the hash of the entry.
  const keys = { ...arrivalKeys(entry), slot: arrivalSlot(entry.receivedAt, SHARDS - 1) };
  const size = itemBytes({ ...entry, ...keys });
  const fitting = bytes.subarray(1000 - (ITEM_LIMIT_BYTES - size));
  // One of some bodies has a shard of two digits.
  let longest = 0;
  for (let n = 0; n < 50 && longest !== ITEM_LIMIT_BYTES; n += 1) {
    fitting[0] = n;
    longest = await prepare(fitting);
  }
  expect(longest).toBe(ITEM_LIMIT_BYTES);
  await expect(prepare(bytes.subarray(bytes.length - fitting.length - 2))).rejects.toMatchObject({ status: 413 });
});
