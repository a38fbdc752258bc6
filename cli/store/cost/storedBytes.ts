import { composeEntry, itemBytes } from '../../../functions/ailog/entry.ts';
import type { TableShape } from '../../../functions/tables.ts';
import { arrivalKeys } from '../../../functions/tlog/arrival.ts';
import { exampleLog } from '../../../infra/openapi/exampleLog.ts';
import { tables } from '../../../infra/tables.ts';

const WORDS =
  'price volume trend support resistance momentum funding open interest liquidity spread order book short long hedge risk stop limit entry exit breakout range candle average band divergence signal confidence position leverage margin drawdown correlation BTC ETH SOL'.split(
    ' ',
  );

/** Returns the example log with a prompt that makes it about this many bytes long, like the logs of trading bots. */
export function createSampleLog(bytes: number) {
  let state = 1;
  /** Returns a number from 0 to 1, the same sequence each time (linear congruential generator, Numerical Recipes). */
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let prompt = '';
  const length = bytes - JSON.stringify({ ...exampleLog, input: { prompt: '' } }).length;
  while (prompt.length < length) {
    prompt += next() < 0.25 ? `${(next() * 100_000).toFixed(2)} ` : `${WORDS[Math.floor(next() * WORDS.length)]} `;
  }
  return { ...exampleLog, input: { prompt } };
}

/** Returns the item of an entry for a log of about this many bytes. */
function sampleItem(bytes: number) {
  const log = createSampleLog(bytes);
  const entry = composeEntry(log, {
    uid: '1001',
    accessKey: `ailog_${'0'.repeat(32)}`,
    timestamp: '1763103201300',
    signature: 'A'.repeat(44),
    receivedAt: 1_763_103_201_300,
    locale: 'en-US',
    sourceIp: '203.0.113.255',
    query: '',
    rawBody: Buffer.from(JSON.stringify(log)),
  });
  return { ...entry, ...arrivalKeys(entry) };
}

/** What DynamoDB adds to each stored item, also in an index. Source: its guide, "Estimating storage needs". */
export const ITEM_OVERHEAD_BYTES = 100;

/** Returns the size in bytes of the stored entry for a log of about this many bytes. */
export const storedBytes = (bytes: number): number => itemBytes(sampleItem(bytes));

/** Returns the bytes that the indexes store for an entry: its keys in each of them. */
export function indexedBytes(): number {
  const item = sampleItem(1);
  const { partitionKey, sortKey, indexes = {} }: TableShape = tables.aiLogs;
  return Object.values(indexes).reduce((sum, index) => {
    const names = [partitionKey, sortKey, index.partitionKey, index.sortKey].map((key) => key?.name);
    const keys = Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
    return sum + itemBytes(keys as typeof item) + ITEM_OVERHEAD_BYTES;
  }, 0);
}
