import { expect, test } from 'vitest';
import { bodyCases, type Case, fileCases, load, textCases } from './cases.ts';
import { bodiesOf, costOf, repeated, textsOf, UNITS } from './measure.ts';

/** The most that a text of four times the length may cost: linear work costs four times, quadratic work sixteen. */
const MOST = 8;

/** What reading a text a few times costs: below that, a ratio would only show what else the machine does. */
async function leastCost(): Promise<number> {
  const text = repeated('é', 20_000);
  const costs: number[] = [];
  while (costs.length < 20) costs.push(await costOf(() => text.normalize('NFD').normalize('NFC')));
  return Math.max(...costs);
}
const least = await leastCost();

/** Returns the texts for which the work of a function grows faster than they do. */
async function growing(one: Case, shapes: (text: string) => string[]): Promise<string[]> {
  const tested = await load(one);
  const found: string[] = [];
  for (const unit of UNITS) {
    const longer = shapes(repeated(unit, 4 * one.length));
    for (const [place, text] of shapes(repeated(unit, one.length)).entries()) {
      const cost = (of: string) => costOf(() => one.give(tested, of));
      let ofOne = await cost(text);
      let ofFour = await cost(longer[place] as string);
      // Something else may have taken the time, such as a collection of what earlier cases left.
      for (let turn = 0; turn < 12 && ofFour > MOST * Math.max(ofOne, least); turn += 1) {
        ofOne = Math.min(ofOne, await cost(text));
        ofFour = Math.min(ofFour, await cost(longer[place] as string));
      }
      if (ofFour <= MOST * Math.max(ofOne, least)) continue;
      found.push(`${JSON.stringify(unit)} in ${JSON.stringify(text.slice(0, 30))}: ${ofOne} µs, then ${ofFour} µs`);
      break;
    }
  }
  return found;
}

test.each(textCases)('the work of $name grows with its text, not faster', async (one) => {
  expect(await growing(one, textsOf)).toEqual([]);
});

test.each(bodyCases)('the work of $name grows with the body, not faster', async (one) => {
  expect(await growing(one, bodiesOf)).toEqual([]);
});

test.each(fileCases)('the work of $name grows with the file, not faster', async (one) => {
  expect(await growing(one, textsOf)).toEqual([]);
});
