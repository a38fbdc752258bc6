import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { localIdentity } from '../../../../cli/store/targets/data.ts';
import { serverClockOf } from '../../../../functions/serverClock.ts';
import { startServer } from '../../../setup/server.ts';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');

/** The next answer of the service: its time in seconds from `NOW`; undefined: it does not say. */
let answer: { status: number; second: number | undefined };
const { url: endpoint } = await startServer((_request, response) => {
  response.sendDate = false;
  const date = answer.second === undefined ? {} : { date: new Date(NOW + answer.second * 1000).toUTCString() };
  response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0', ...date }).end('{}');
});
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

/** A call: the time of this machine in milliseconds from `NOW`, and the answer. */
type Call = readonly [at: number, second: number | undefined, status?: number];

/** Returns the correction after some calls. */
async function correctionAfter(...calls: readonly Call[]) {
  const client = new DynamoDBClient({ endpoint, ...localIdentity, maxAttempts: 1 });
  const clock = serverClockOf(client);
  for (const [at, second, status = 200] of calls) {
    vi.setSystemTime(NOW + at);
    answer = { status, second };
    await client.send(new ListTablesCommand({})).catch(() => {});
  }
  client.destroy();
  return { correction: clock.correction(), now: clock.now() };
}

// biome-ignore format: one case a line
test.each<[string, readonly Call[], number]>([
  ['the same time', [[0, 0]], 0],
  ['the same second', [[999, 0]], 0],
  ['a minute ahead', [[0, 60]], 60_000],
  ['a minute behind, at most', [[0, -60]], -59_000],
  ['a minute behind, as exactly as two answers tell', [[0, -60], [700, -60]], -59_700],
  ['a minute ahead, as exactly as two answers tell', [[700, 60], [300, 60]], 59_700],
  ['an answer that rejects the request', [[0, 60, 400]], 60_000],
  ['an answer that does not say, after one that does', [[0, 60], [0, undefined]], 60_000],
  ['a clock that was set since the first answer', [[0, 60], [0, 0]], 0],
])('%s: the correction', async (_name, calls, correction) => {
  const [at] = calls.at(-1) ?? [0];
  expect(await correctionAfter(...calls)).toEqual({ correction, now: NOW + at + correction });
});

test('before an answer says the time, nobody knows it', async () => {
  expect(await correctionAfter()).toEqual({ correction: 0, now: undefined });
  expect(await correctionAfter([0, undefined])).toEqual({ correction: 0, now: undefined });
});
