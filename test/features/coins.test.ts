import { expect, test } from 'vitest';
import { coinOf, coinsIn } from '../../functions/features/coins.ts';

// biome-ignore format: one case a line
test.each([
  ['a word, in any case', 'sell Btc, then ether', 'BTC ETH'],
  ['a symbol, and the number in front of one', 'ETHUSDT 1000PEPEUSDT sol/usdt', 'ETH PEPE SOL'],
  ['a capital within a word', 'goLongBTC flowBTC newETH', 'BTC ETH'],
  ['an escape in front', String.raw`\nbtc \\tsol`, 'BTC SOL'],
  ['a name of two letters, also at the end', '"zk":1 OP', 'ZK OP'],
  ['other alphabets', '看多比特币，卖以太 эфир БИТКОИН 이더리움', 'BTC ETH'],
  ['a text that is shorter than a name', 'e', ''],
  ['words that only contain or begin with one', 'method solid dots linked arc opinion near-term abtc', 'NEAR'],
])('finds the coins in a text: %s', (_name, text, coins) => {
  expect([...(coinsIn([text], 24) ?? [])].join(' ')).toBe(coins);
});

test('finds the coins of several texts, unless there are too many', () => {
  expect([...(coinsIn(['BTC', 'ETH'], 2) ?? [])]).toEqual(['BTC', 'ETH']);
  expect(coinsIn(['BTC', 'ETH SOL'], 2)).toBeUndefined();
});

test('a symbol has up to 40 characters', () => {
  expect([40, 41].map((length) => coinOf('BTC'.padEnd(length)))).toEqual(['BTC', undefined]);
});
