import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../../functions/logLine.ts';
import { createHandler } from '../../functions/sequencer/handler.ts';
import type { Log } from '../../functions/sequencer/sequence.ts';
import { HOUR_MS, LAG_MS, metricsOf, recordWritten, world } from '../setup/world.ts';

const written = recordWritten();
/** A log after its first run. */
const log = await world().sequenced();
await log.run();
afterEach(await log.keep());

/** Runs the handler once. @returns its log line and the metrics in it */
async function run(change: Omit<Partial<Log>, 'table'> = {}, remaining = 60_000) {
  written.clear();
  const write = createLogger({ serviceName: 'test', logLevel: 'INFO' });
  const handler = createHandler({ ...log.options, receiptKey: 1, ...change }, write);
  const error = await handler({}, { getRemainingTimeInMillis: () => remaining }).catch((thrown) => thrown);
  const [line = {}, ...others] = written.lines();
  expect(others).toEqual([]);
  return { error, line, metrics: metricsOf(line) };
}

/** Returns the metrics with these counts. */
const counts = (values: Record<string, number>) =>
  Object.fromEntries(Object.entries(values).map(([name, count]) => [name, `${count} Count service`]));

/** The counts of a run in which nothing happens. */
const NOTHING = { Accepted: 0, TlogAppended: 0, Stragglers: 0, WitnessQuorumMissed: 0 };

test('a run logs its outcome, and emits metrics about it', async () => {
  await log.grow(2);
  const { error, line, metrics } = await run();
  expect(error).toBeUndefined();
  expect(line).toMatchObject({
    level: 'INFO',
    message: 'sequenced',
    appended: 2,
    found: 0,
    superseded: false,
    lag: LAG_MS,
    size: 2,
    quorumMissed: false,
    witnessFailures: {},
    milliseconds: 0,
  });
  expect(metrics).toEqual({
    ...counts({ ...NOTHING, TlogAppended: 2, TlogSize: 2 }),
    TlogLag: `${LAG_MS} Milliseconds service`,
  });
});

test('entries that were missing for two days are counted apart from new ones', async () => {
  const show = log.storeLate();
  log.clock.advance(HOUR_MS);
  await log.run();
  await show();
  log.clock.advance(49 * HOUR_MS);
  expect((await run()).metrics).toMatchObject(counts({ TlogAppended: 0, Stragglers: 1 }));
});

test('a run that another one has overtaken reports neither the age nor the size of the log', async () => {
  await log.grow(1);
  const storage = { ...log.options.storage, replace: async () => false };
  const { line, metrics } = await run({ storage });
  expect(line).toMatchObject({ message: 'sequenced', superseded: true });
  expect(metrics).toEqual(counts(NOTHING));
});

test('a failure that may pass is counted as such, and the run fails', async () => {
  const signers = async () => {
    throw new TypeError('KMS is busy');
  };
  const { error, line, metrics } = await run({ signers });
  expect(error).toBeInstanceOf(TypeError);
  expect(line).toMatchObject({
    level: 'ERROR',
    message: 'failed',
    error: { name: 'TypeError', message: 'KMS is busy', stack: expect.any(String) },
  });
  expect(line).not.toHaveProperty('condition');
  expect(metrics).toEqual(counts({ Accepted: 0, TlogFailed: 1 }));
});

test('a receipt key that cannot be made fails the run, and the log goes on', async () => {
  await log.grow(1);
  written.clear();
  const generate = async () => {
    throw new TypeError('KMS is busy');
  };
  const write = createLogger({ serviceName: 'test', logLevel: 'INFO' });
  const handler = createHandler({ ...log.options, receiptKey: 9, generate }, write);
  await expect(handler({}, { getRemainingTimeInMillis: () => 60_000 })).rejects.toThrow('KMS is busy');
  const lines = written.lines();
  expect(lines.map(({ message }) => message)).toEqual(['sequenced', 'failed']);
  expect(lines[0]).toMatchObject({ appended: 1 });
});

test('a run is aborted two seconds before the function ends, so that it can log', async () => {
  const get = (_path: string, abortSignal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      if (abortSignal.aborted) reject(abortSignal.reason);
      abortSignal.addEventListener('abort', () => reject(abortSignal.reason));
    });
  const storage = { ...log.options.storage, get };
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => timeout.mockRestore());
  for (const remaining of [2010, 0]) {
    const { line, metrics } = await run({ storage }, remaining);
    expect(line).toMatchObject({ message: 'failed', error: { name: expect.stringMatching(/^(Abort|Timeout)Error$/) } });
    expect(metrics).toEqual(counts({ Accepted: 0, TlogFailed: 1 }));
  }
  expect(timeout.mock.calls.slice(0, 1)).toEqual([[10]]);
});

test('a condition that stops the log is named and counted, and the run fails', async () => {
  await log.grow(1);
  await log.run();
  rmSync(join(log.logFolder, 'checkpoint'));
  const { error, line, metrics } = await run();
  expect(error).toMatchObject({ name: 'FatalError' });
  expect(line).toMatchObject({
    level: 'ERROR',
    message: 'stopped',
    condition: 'rolled-back',
    error: { name: 'FatalError' },
  });
  expect(metrics).toEqual(counts({ Accepted: 0, TlogFatal: 1 }));
});
