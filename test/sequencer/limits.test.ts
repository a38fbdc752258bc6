import { expect, test } from 'vitest';
import { concurrently } from '../../functions/sequencer/concurrently.ts';
import { readSequencerConfig } from '../../functions/sequencer/config.ts';
import { isDailyDue } from '../../functions/sequencer/dailyReconciliation.ts';
import { hoursFrom, isHourlyDue } from '../../functions/sequencer/hourlyReconciliation.ts';
import { tableVariable } from '../../functions/tables.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 1_795_000_000_000;

test.each([
  ['an hour after the last one', HOUR, HOUR, true],
  ['a millisecond earlier', HOUR - 1, HOUR - 1, false],
  ['16 minutes after one that did not end', 5 * HOUR, 16 * MINUTE, true],
  ['while one may still run', 5 * HOUR, 16 * MINUTE - 1, false],
])('the hourly reconciliation, %s: due is %s', (_when, sinceDone, sinceBegun, due) => {
  expect(isHourlyDue({ hourly: { doneAt: NOW - sinceDone, begunAt: NOW - sinceBegun } }, NOW)).toBe(due);
});

test('the daily reconciliation is due after a day, and until it has ended', () => {
  const daily = (sinceDone: number) => ({ daily: { begunAt: 0, doneAt: NOW - sinceDone } });
  expect(isDailyDue(daily(24 * HOUR), NOW)).toBe(true);
  expect(isDailyDue(daily(24 * HOUR - 1), NOW)).toBe(false);
  const progress = { until: 0, size: 0, segments: [], files: [] };
  expect(isDailyDue({ daily: { ...daily(0).daily, progress } }, NOW)).toBe(true);
});

test('without a mark, the hourly reconciliation starts at the cursor, and reads the whole log', () => {
  expect(hoursFrom({ cursor: NOW, marks: [] })).toEqual({ cursor: NOW, size: 0 });
});

test('work runs at most a number at a time, and its results keep the order', async () => {
  let running = 0;
  let most = 0;
  const work = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < 10 - item; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 2;
  };
  expect(await concurrently([0, 1, 2, 3, 4, 5], 3, work)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(most).toBe(3);
});

test('after an error, no further work starts', async () => {
  const started: number[] = [];
  const work = async (item: number) => {
    started.push(item);
    await Promise.resolve();
    throw new Error(`item ${item}`);
  };
  await expect(concurrently([0, 1, 2, 3, 4], 2, work)).rejects.toThrow('item 0');
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1]);
});

test('the configuration names every variable that is missing or wrong', () => {
  const wanted = {
    LOG_ORIGIN: 'log.example/ailog',
    LOG_BUCKET: 'bucket',
    [tableVariable('aiLogs')]: 'logs',
    [tableVariable('log')]: 'log',
    CHECKPOINT_KEY_ARNS: 'arn:new,arn:old',
    RECEIPT_SEALING_KEY_ARN: 'arn:seal',
  };
  expect(readSequencerConfig({ ...wanted, WITNESSES: '' })).toEqual({
    origin: 'log.example/ailog',
    bucket: 'bucket',
    tables: { aiLogs: 'logs', log: 'log' },
    checkpointKeyArns: ['arn:new', 'arn:old'],
    receiptSealingKeyArn: 'arn:seal',
    witnesses: undefined,
  });
  expect(readSequencerConfig({ ...wanted, WITNESSES: 'quorum none\n' }).witnesses).toMatchObject({ quorum: 'none' });
  expect(() => readSequencerConfig({ LOG_ORIGIN: 'a b', WITNESSES: 'quorum' })).toThrow(
    new Error(
      'Environment variables missing or wrong: ' +
        'LOG_ORIGIN (a name without spaces and "+": A key name is not empty and has neither spaces nor "+": "a b".), ' +
        `LOG_BUCKET (a bucket name), ${tableVariable('aiLogs')} (a table name), ${tableVariable('log')} (a table name), ` +
        'CHECKPOINT_KEY_ARNS (ARNs of KMS keys with commas between them), ' +
        'RECEIPT_SEALING_KEY_ARN (the ARN of a KMS key), ' +
        'WITNESSES (a tlog-policy: Line 1 of the policy: expected one name.)',
    ),
  );
});
