import { composeEntry, itemBytes } from '../../functions/ailog/entry.ts';

const WORDS =
  'price volume trend support resistance momentum funding open interest liquidity spread order book short long hedge risk stop limit entry exit breakout range candle average band divergence signal confidence position leverage margin drawdown correlation BTC ETH SOL'.split(
    ' ',
  );

/** Numbers from 0 to 1 that look random and are the same every time (a linear congruential generator, Numerical Recipes). */
function* randomNumbers(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** A log of about this many bytes: a prompt of words and figures, as a bot of a trading team sends it. */
function sampleLog(bytes: number) {
  const random = randomNumbers();
  const next = () => random.next().value;
  let prompt = '';
  while (prompt.length < bytes - 400) {
    prompt += next() < 0.25 ? `${(next() * 100_000).toFixed(2)} ` : `${WORDS[Math.floor(next() * WORDS.length)]} `;
  }
  return {
    orderId: '590480926522704171',
    stage: 'Decision Making',
    model: 'GPT-5-mini',
    input: { prompt },
    output: { response: 'Sell ETH', confidence: 0.82 },
    explanation: 'BTC is stronger than ETH over the last six hours; funding is neutral, so the pair trade is opened.',
  };
}

/** How many bytes the entry of a log of about this many bytes takes in its table. */
export function storedBytes(bytes: number): number {
  const log = sampleLog(bytes);
  return itemBytes(
    composeEntry(log, {
      uid: '1001',
      accessKey: `ailog_${'0'.repeat(32)}`,
      timestamp: '1763103201300',
      signature: 'A'.repeat(44),
      receivedAt: 1_763_103_201_300,
      locale: 'en-US',
      sourceIp: '203.0.113.255',
      query: '',
      rawBody: Buffer.from(JSON.stringify(log)),
    }),
  );
}
