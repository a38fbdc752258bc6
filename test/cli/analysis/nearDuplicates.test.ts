import { describe, expect, test } from 'vitest';
import { growingRows } from '../../../cli/analysis/growingRows.ts';
import { joinLabels } from '../../../cli/analysis/labels.ts';
import { SIGNATURE_BYTES } from '../../../cli/analysis/minHash.ts';
import { findLeaders } from '../../../cli/analysis/nearDuplicates.ts';

/** Returns a signature of which the last places are another's. */
const signature = (own: number, other = own, places = 0) =>
  Uint8Array.from({ length: SIGNATURE_BYTES }, (_, place) => (place < SIGNATURE_BYTES - places ? own : other));

/** Returns the leaders of texts with these signatures. */
function leadersOf(
  rows: readonly Uint8Array[],
  {
    order = rows.map((_, index) => index),
    textLabels = rows.map((_, index) => index),
    short = [] as readonly number[],
  } = {},
) {
  const signatures = growingRows(SIGNATURE_BYTES);
  for (const row of rows) signatures.push(row);
  const leaders = findLeaders({
    order: Uint32Array.from(order),
    textLabels: Uint32Array.from(textLabels),
    isComparable: (index) => !short.includes(index),
    signatures,
    threshold: 0.5,
  });
  return [...leaders];
}

describe('the leader of a text', () => {
  test('is the earliest text that is similar enough', () => {
    // Half of the places equal is a little less than a similarity of 0.5, because some are equal by chance.
    expect(leadersOf([signature(1), signature(1, 2, 63), signature(1, 3, 64), signature(9)])).toEqual([0, 0, 2, 3]);
    expect(leadersOf([signature(1), signature(1, 2, 63)], { order: [1, 0] })).toEqual([1, 1]);
  });

  test('is similar to the text itself, not only to one that is similar to it', () => {
    const [first, second, third] = [signature(1), signature(1, 2, 60), signature(1, 2, 100)];
    expect(leadersOf([first, second, third])).toEqual([0, 0, 2]);
    expect(leadersOf([second, first, third])).toEqual([0, 0, 0]);
  });

  test('of equal texts is that of the first of them', () => {
    const [first, second] = [signature(1), signature(1, 2, 10)];
    expect(leadersOf([first, second, second], { textLabels: [0, 1, 1] })).toEqual([0, 0, 0]);
    expect(leadersOf([first, second, second], { textLabels: [0, 1, 1], order: [2, 1, 0] })).toEqual([2, 2, 2]);
    // Equal texts are looked up once, so that the texts behind them have other places.
    const far = signature(9);
    expect(leadersOf([first, first, far, second], { textLabels: [0, 0, 2, 3] })).toEqual([0, 0, 2, 0]);
    expect(leadersOf([first, first, second, far], { textLabels: [0, 0, 2, 3] })).toEqual([0, 0, 0, 3]);
  });

  test('of a short text is an equal one', () => {
    const rows = [signature(1), signature(1), signature(1), signature(1)];
    expect(leadersOf(rows, { textLabels: [0, 1, 1, 3], short: [1, 2] })).toEqual([0, 1, 1, 0]);
  });

  test('is found among many texts, each of them once', () => {
    const rows = Array.from({ length: 200 }, (_, index) => signature(index, 200 + (index % 50), 8));
    const near = rows.map((row) => Uint8Array.from(row, (byte, place) => (place < 8 ? byte ^ 0xff : byte)));
    expect(leadersOf([...rows, ...near])).toEqual([...rows.keys(), ...rows.keys()]);
  });
});

test('labels that a chain of others connects are joined to the smallest index', () => {
  const labels = (...of: number[]) => Uint32Array.from(of);
  expect([...joinLabels([labels(0, 1, 2, 3, 4, 5)], 6)]).toEqual([0, 1, 2, 3, 4, 5]);
  expect([...joinLabels([labels(0, 1, 2, 1, 4, 4), labels(0, 1, 2, 3, 3, 5)], 6)]).toEqual([0, 1, 2, 1, 1, 1]);
  expect([...joinLabels([labels(0, 0, 2, 3), labels(0, 1, 1, 3), labels(0, 1, 2, 2)], 4)]).toEqual([0, 0, 0, 0]);
  expect([...joinLabels([], 2)]).toEqual([0, 1]);
});
