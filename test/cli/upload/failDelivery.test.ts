import { expect, test } from 'vitest';
import type { Delivery } from '../../../cli/upload/deliver.ts';
import { concernsCaller, concernsLogOnly, failDelivery } from '../../../cli/upload/deliver.ts';

const DOCTOR = 'ailog doctor finds the reason.';
const delivery = (outcome: Delivery['outcome'], status: number | undefined, { says = 'so', attempts = 1 } = {}) =>
  ({ outcome, attempts, reply: { says, status }, request: { entryId: 'e' } }) as unknown as Delivery;

test.each([
  [400, 'log', undefined],
  [413, 'log', undefined],
  [401, 'caller', DOCTOR],
  [403, 'caller', DOCTOR],
  [404, 'caller', DOCTOR],
  [405, 'caller', DOCTOR],
  [415, 'caller', DOCTOR],
  [429, 'neither', undefined],
  [undefined, 'neither', undefined],
])('a rejection with status %s concerns %s', (status, concerns, advice) => {
  const rejected = delivery('rejected', status);
  expect([concernsLogOnly(rejected), concernsCaller(rejected)]).toEqual([concerns === 'log', concerns === 'caller']);
  expect(failDelivery('a.json', rejected)).toMatchObject({
    outcome: 'rejected',
    message: 'a.json was rejected: so.',
    advice,
  });
});

test('a log that may be stored concerns neither the log nor the caller', () => {
  for (const status of [400, 401]) {
    const unknown = delivery('unknown', status);
    expect([concernsLogOnly(unknown), concernsCaller(unknown)]).toEqual([false, false]);
  }
});

test('the number of attempts is named if there were several', () => {
  const message = 'a.json was rejected after 3 attempts: so.';
  expect(failDelivery('a.json', delivery('rejected', 429, { attempts: 3 }))).toMatchObject({ message });
});

test('the advice to run the doctor is not given twice', () => {
  const says = 'Usual causes: … "ailog doctor" finds the cause';
  expect(failDelivery('a.json', delivery('rejected', 401, { says })).advice).toBeUndefined();
});
