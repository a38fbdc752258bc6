import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { verifierKey } from '../../functions/c2sp/verifierKey.ts';
import type { SequencerEnvironment } from '../../functions/sequencer/config.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { openReceiptKey } from '../../functions/tlog/receiptKeyNote.ts';
import { receiptKeyTable } from '../../functions/tlog/receiptKeyTable.ts';
import { bundle as bundleFunction, SOURCES } from '../../infra/build/bundle.ts';
import { execute, noDeadline, startCloud, temporaryFolder, world } from '../setup/world.ts';

const fixture = await world({ receiptKey: false });
const cloud = await startCloud();
const bundle = bundleFunction(SOURCES.sequencer, temporaryFolder());
const settings: SequencerEnvironment = {
  TLOG_ORIGIN: 'log.example/ailog',
  TLOG_BUCKET: 'bucket',
  CHECKPOINT_KEY_ARNS: 'arn:new,arn:old',
  RECEIPT_SEALING_KEY_ARN: 'arn:seal',
  RECEIPT_KEY: '1',
  SERVICE_NAME: 'test',
};
const environment = { ...fixture.environment, ...cloud.environment, ...settings, PATH: process.env.PATH };

/** How far the clock of the runs is behind: it is in the middle of ten minutes, so no run begins the next ones. */
const BEHIND_MS = (Date.now() % 600_000) + 300_000;

/** Runs the bundle once in a process of its own, as Lambda does. */
async function run(change: Record<string, string> = {}) {
  const program = `const { now } = Date; Date.now = () => now() - ${BEHIND_MS}; require(${JSON.stringify(bundle)}).handler({}, { getRemainingTimeInMillis: () => 60000 }).catch(() => process.exit(1))`;
  const ran = await execute([process.execPath, '-e', program], { env: { ...environment, ...change } });
  const output = ran.stdout + ran.stderr;
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const objects = lines.map((line) => JSON.parse(line));
  return {
    exitCode: ran.exitCode,
    output,
    line: objects.find(({ message }) => message !== undefined),
    metrics: Object.assign({}, ...objects.filter(({ _aws }) => _aws !== undefined)),
  };
}

beforeAll(async () => {
  cloud.setBack(BEHIND_MS);
  const receivedAt = Date.now() - BEHIND_MS - 60_000;
  const entries = Array.from({ length: 3 }, (_, index) => {
    const entry = {
      uid: '1',
      entryId: `${receivedAt}-${index}`,
      receivedAt,
      accessKey: 'k',
      timestamp: String(receivedAt),
      signature: `secret signature ${index}`,
      locale: 'en-US',
      sourceIp: '192.0.2.1',
      bodySha256: 'ab',
      bodyBytes: 1,
    };
    return { ...entry, ...arrivalKeys(entry) };
  });
  const RequestItems = { [fixture.names.aiLogs]: entries.map((Item) => ({ PutRequest: { Item } })) };
  await fixture.db.send(new BatchWriteCommand({ RequestItems }));
});

const read = (path: string) => String(cloud.objects.get(`${settings.TLOG_ORIGIN}/${path}`)?.body);

test('the bundle appends entries and signs; later runs write nothing, and stop at a wrong clock', async () => {
  // It signs with both keys of KMS, certifies its key, and logs one line.
  const { exitCode, line, metrics, output } = await run();
  expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
  expect(line).toMatchObject({
    level: 'INFO',
    message: 'sequenced',
    size: 3,
    superseded: false,
    appended: 3,
    found: 0,
  });
  expect(metrics).toMatchObject({ TlogAppended: 3, Stragglers: 0, WitnessQuorumMissed: 0, TlogSize: 3 });
  expect(metrics.TlogLag).toBeGreaterThanOrEqual(30_000);
  expect(output).not.toContain('secret signature');

  const checkpoint = read('checkpoint');
  const policy = { receipts: [], witnesses: new Map(), quorum: { threshold: 0, members: [] } };
  for (const arn of settings.CHECKPOINT_KEY_ARNS.split(',')) {
    const key = verifierKey(settings.TLOG_ORIGIN, cloud.publicKey(arn));
    expect(openCheckpoint(checkpoint, { ...policy, logs: [{ key }] })).toMatchObject({
      origin: 'log.example/ailog',
      size: 3,
    });
    expect(openReceiptKey(read('receipt-keys/1'), [key])).toMatchObject({ k: 1, origin: 'log.example/ailog' });
  }
  const table = receiptKeyTable(fixture.db, fixture.names.receiptKeys, settings.TLOG_ORIGIN);
  expect(await table.getKey('receipt-key/1', noDeadline())).toBeDefined();

  // A run with nothing to do reads the newest commits.
  cloud.calls();
  expect(await run()).toMatchObject({ exitCode: 0, line: { appended: 0, size: 3 } });
  const calls = cloud.calls();
  expect(calls.filter((call) => /PUT|Sign/.test(call))).toEqual([]);
  expect(calls.length).toBeLessThan(12);

  const before = new Map(cloud.objects);
  for (const ms of [BEHIND_MS + 10_000, BEHIND_MS - 10_000]) {
    cloud.setBack(ms);
    const { exitCode, line, metrics } = await run();
    expect([exitCode, line.condition, metrics.TlogFatal]).toEqual([1, 'clock-differs', 1]);
    expect(line.error.message).toMatch(/^The clock reads \S+Z, and that of the storage \S+Z\.$/);
  }
  expect(cloud.objects).toEqual(before);
  cloud.setBack(BEHIND_MS + 2000);
  expect(await run()).toMatchObject({ exitCode: 0 });
});

test('an environment that is not whole is named as a whole', async () => {
  const { exitCode, output } = await run({ TLOG_BUCKET: '', TLOG_ORIGIN: 'a b', WITNESSES_FILE: '/nowhere' });
  expect(exitCode).toBe(1);
  expect(output).toContain('TLOG_ORIGIN (a name without spaces and "+": A key name is not empty');
  expect(output).toContain('TLOG_BUCKET (a bucket name)');
  expect(output).toContain('WITNESSES_FILE (the path of a tlog-policy: ENOENT');
});
