import { hash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import { featureRow, ROW_VERSION } from '../../functions/features/featureRow.ts';
import { received } from '../ailog/received.ts';

const prose = 'The spread narrows while open interest falls, so a short position pays before the funding hour.';
const log = { stage: 'Decision', model: 'GPT-5', input: { price: 91_250.5 }, output: { text: prose } };
const bodyOf = (change: object) => JSON.stringify({ ...log, explanation: 'RSI at 56.2: buy.', ...change });
const twice = `{ "input" : {"\\u0061":"\\n"}, ${bodyOf({}).slice(1, -1)}, "stage":"Idea" }`;
const lists = { list: [...prose.split(' '), [prose]], json: ` {"a":"\\u0062uy ${prose}"}` };
const hashes = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 1a2b3c4d '.repeat(8);
const chinese = { output: '过去一小时比特币放量跌破关键支撑', explanation: '看多𠀀𠀁𐓘𐓙𐓚𐓛𐓘𐓙𐓚𐓛𐓘𐓙𐓚' };
const marks = 'Вода ΣΑΣ か\u3099\u3099 b\u034fuy e\u034fth n\u034fow 🅑uy';
const deep = `{"stage":"a","model":"b","output":${'['.repeat(1001)}${']'.repeat(1001)}}`;

const rawBody = Buffer.from(bodyOf({}));
const entry = composeEntry(JSON.parse(bodyOf({})), { ...received, rawBody });

// biome-ignore format: one case a line
test.each([
  ['50115318', 'an ordinary log', bodyOf({})],
  ['e6360283', 'a model without a version, and an order', bodyOf({ model: 'GPT', orderId: '590480926522704171' })],
  ['9edf941d', 'a log without data', bodyOf({ input: {}, output: {} })],
  ['c052b095', 'an output without an input', bodyOf({ input: {} })],
  ['9324f5ed', 'a short text', bodyOf({ output: { side: 'buy' }, explanation: 'Hold.' })],
  ['fa431241', 'escapes, and names that occur twice', twice],
  ['83282293', 'lists, and JSON in a string', bodyOf({ output: lists })],
  ['60684fd8', 'words with digits', bodyOf({ explanation: `abcd1efgh2ijkl fu1nd2i3ng a1b2 ab12 0.3BTC ${prose}` })],
  ['b2c21658', 'hashes', bodyOf({ explanation: hashes })],
  ['8cfd3437', 'digits in most words', bodyOf({ output: 'th1e2 fu1nd2i3ng r4a5t6e tu7rn8e9d ab12 '.repeat(5) })],
  ['960eb407', 'Chinese, and letters beyond U+FFFF', bodyOf(chinese)],
  ['4fbd12d5', 'letters that look alike, marks and hidden characters', bodyOf({ explanation: marks })],
  ['f364fec1', 'a trade', bodyOf({ orderId: 7, output: { symbol: 'cmt_ethusdt', action: '买入', xbt: 1 } })],
  ['a4f0ed90', 'a body that is nested too deeply', deep],
])('the row of version 8 has the digest %s: %s', (digest, _name, body) => {
  const bytes = Buffer.from(body);
  const withBody: Entry = { ...entry, body: zstdCompressSync(bytes), bodySha256: hash('sha256', bytes) };
  const text = JSON.stringify(featureRow(withBody), (_key, value) => (typeof value === 'bigint' ? `${value}` : value));
  expect([ROW_VERSION, hash('sha256', text).slice(0, 8)]).toEqual([8, digest]);
});
