import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { entriesTable } from '../../functions/ailog/entries.ts';
import { createCredentialStore, fileDecrypt } from '../../functions/auth/credentialStore.ts';
import type { Dependencies } from '../../functions/upload/request.ts';
import {
  aiLog,
  clientAt,
  inProcess,
  jsonOf,
  logText,
  metricsOf,
  NOW,
  newKeyFile,
  recordWritten,
  signedUpload,
  type startFaultProxy,
  type Transport,
  UNREACHABLE,
  withHeader,
  withLog,
  world,
} from '../setup/world.ts';

const written = recordWritten();
let transport: Transport;
const fixture = await world();
const team = await fixture.team();
beforeEach(() => {
  transport = inProcess(withLog(fixture.dependencies()));
  written.clear();
});

test('writes one log line per request with its outcome', async () => {
  const upload = signedUpload(team);
  const start = performance.now();
  const accepted = await transport.send(upload);
  const elapsed = performance.now() - start;
  await transport.send(upload);
  await transport.send(withHeader(upload, 'ACCESS-PASSPHRASE', 'wrong'));

  const [first, second, third, ...others] = written.lines();
  expect(others).toEqual([]);
  const { uid, accessKey } = team;
  expect(first).toMatchObject({
    ...{ level: 'INFO', message: 'accepted', code: '00000', status: 200, msg: 'success', requestId: 'test' },
    ...{ uid, accessKey, entryId: accepted.headers['ai-log-id'], bytes: upload.body.length },
    ...{ duplicate: false, coldStart: true },
  });
  // biome-ignore format: several a line
  expect(Object.keys(first?.middlewareMs)).toEqual([
    'requireHeaders', 'readBody', 'checkTimestamp', 'readRecords', 'authenticate', 'checkAllowlist', 'parseJson',
    'validateBody', 'prepareEntry', 'enforceWeights',
  ]);
  const took: number[] = Object.values(first?.middlewareMs);
  const sum = took.reduce((one, other) => one + other);
  expect(sum).toBeGreaterThan(0);
  // Each is rounded to hundredths.
  expect(sum).toBeLessThan(elapsed + took.length * 0.005);
  for (const milliseconds of took) expect(String(milliseconds)).toMatch(/^\d+(\.\d{1,2})?$/);
  for (const absent of ['error', 'receiptError', 'decryptFailed']) expect(first).not.toHaveProperty(absent);
  expect(second).toMatchObject({ message: 'accepted', duplicate: true, coldStart: false });
  const wrong = { code: '40012', status: 401, msg: 'Incorrect ACCESS-PASSPHRASE' };
  expect(third).toMatchObject({ level: 'INFO', message: 'rejected', coldStart: false, ...wrong });
});

test('counts answers with a warning, and no rejection', async () => {
  const tooLarge = { orderId: '', output: { random: randomBytes(700_000).toString('base64') } };
  for (const change of [{ orderId: '' }, { orderId: 2 ** 60 }, {}, tooLarge]) {
    await transport.send(signedUpload(team, { body: logText(change) }));
  }
  const counted = written.lines().map((line) => [line.status, metricsOf(line).Warned]);
  expect(counted.map(String)).toEqual(['200,1 Count service', '200,1 Count service', '200,', '413,']);
});

test('counts each request, and how long it took', async () => {
  let time = NOW;
  // Each request takes as long as it reads the clock.
  transport = inProcess(withLog(fixture.dependencies({ now: () => time++ })));
  const upload = signedUpload(team, { timestamp: () => NOW });
  await transport.send(upload);
  await transport.send(upload);
  await transport.send(withHeader(upload, 'ACCESS-PASSPHRASE', 'wrong'));

  const once = '1 Count service';
  const lines = written.lines();
  for (const { milliseconds } of lines) expect(milliseconds).toBeGreaterThan(0);
  const [first, second, third] = lines.map(({ milliseconds }) => `${milliseconds} Milliseconds service`);
  expect(lines.map(metricsOf)).toEqual([
    { Accepted: once, ColdStart: once, Latency: first },
    { Accepted: once, Duplicate: once, Latency: second },
    { Rejected: once, RejectedByCode: '1 Count service code', Latency: third },
  ]);
});

describe('failures of the service', () => {
  let proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  beforeAll(async () => {
    proxy = await fixture.faulty();
    proxy.fail('put entry', team.uid, () => 'throttled by its partition');
  });

  const entriesAt = (endpoint: string) => entriesTable(clientAt(endpoint, { maxAttempts: 1 }), fixture.names.aiLogs);
  const THROTTLED = 'ProvisionedThroughputExceededException';
  const noTable = () => ({ entries: entriesTable(fixture.db, 'NoSuchTable') });
  const otherKey = () => ({ credentialStore: createCredentialStore(fileDecrypt(newKeyFile())) });
  test.each<[string, number, string[], string, () => Partial<Dependencies>]>([
    ['a table that does not exist', 500, ['SystemError'], 'ResourceNotFoundException', noTable],
    ['an unreachable table', 503, ['Unavailable'], 'Error', () => ({ entries: entriesAt(UNREACHABLE) })],
    ['a full partition', 429, ['PartitionThrottled'], THROTTLED, () => ({ entries: entriesAt(proxy.url) })],
    ['credentials that another key has sealed', 500, ['SystemError'], 'Error', otherKey],
  ])('%s is logged and counted, as %i', async (_, status, metrics, name, change) => {
    transport = inProcess(withLog(fixture.dependencies(change())));
    expect((await transport.send(signedUpload(team))).status).toBe(status);

    const [line] = written.lines();
    expect(line).toMatchObject({ level: 'ERROR', message: 'rejected', status, coldStart: true });
    expect(line?.decryptFailed).toBe(change === otherKey ? true : undefined);
    // Errors of the SDK carry the request and its headers. Only these properties are logged.
    expect(line?.error).toEqual({ name, message: expect.any(String), stack: expect.stringContaining(name) });
    const names = ['Rejected', 'RejectedByCode', ...metrics, 'ColdStart', 'Latency'];
    expect(Object.keys(metricsOf(line ?? {})).sort()).toEqual(names.sort());
  });

  test('a resend is logged with what somebody changed, and counted on its own', async () => {
    const upload = signedUpload(team);
    const { headers } = await inProcess(fixture.dependencies()).send(upload);
    const Key = { uid: team.uid, entryId: headers['ai-log-id'] as string };
    await fixture.tamper(Key, { stage: 'another' });
    written.clear();
    expect((await transport.send(upload)).status).toBe(500);

    const [line] = written.lines();
    const message = `The stored entry ${Key.entryId} does not have the stage of its request.`;
    expect(line).toMatchObject({
      level: 'ERROR',
      uid: team.uid,
      entryId: Key.entryId,
      error: { name: 'EntryEdited', message },
    });
    expect(line).not.toHaveProperty('duplicate');
    expect(Object.keys(metricsOf(line ?? {})).sort()).toEqual(
      ['Rejected', 'RejectedByCode', 'EntryEdited', 'ColdStart', 'Latency'].sort(),
    );
  });

  test('an upload without a receipt is accepted, and counted', async () => {
    const withoutKey = await world({ receiptKey: false });
    const other = await withoutKey.team();
    await inProcess(withLog(withoutKey.dependencies())).send(signedUpload(other));

    const [line = {}, ...others] = written.lines();
    expect(line).toMatchObject({ level: 'INFO', message: 'accepted', receiptError: { name: 'Error' } });
    expect([line.receiptError.message, others]).toEqual([expect.stringMatching(/receipt key/), []]);
    expect(Object.keys(metricsOf(line))).toEqual(['Accepted', 'ReceiptMissing', 'ColdStart', 'Latency']);
  });
});

test('logs the owner of the access key if the key exists', async () => {
  await transport.send(withHeader(signedUpload(team), 'ACCESS-SIGN', 'wrong'));
  await transport.send(withHeader(signedUpload(team), 'ACCESS-KEY', 'unknown'));

  const [wrong, unknown] = written.lines();
  expect(wrong).toMatchObject({ code: '40009', uid: team.uid, accessKey: team.accessKey });
  expect(unknown).not.toHaveProperty('uid');
  expect(unknown).not.toHaveProperty('accessKey');
});

test('logs no part of a value that was sent as an access key, which may be a secret', async () => {
  for (const value of [team.secret, team.passphrase]) {
    await transport.send(withHeader(signedUpload(team), 'ACCESS-KEY', value));
    expect(written.lines().at(-1)).toMatchObject({
      msg: `Invalid ACCESS-KEY: a value of ${value.length} characters is unknown here, revoked or expired`,
    });
    expect(JSON.stringify(written.lines())).not.toContain(value.slice(0, 8));
  }
});

test('logs the message of an error without what it quotes from the body', async () => {
  const INTEGER =
    'an integer from 0 to 9223372036854775807 without fraction or exponent, or the same digits as a string';
  const noJson = (why: string) => `Body is not valid JSON: ${why}`;
  const noEnd = 'a string without an end at position 10 (line 1, column 11)';
  const ofOrder = `Parameter orderId is invalid: it must be ${INTEGER}`;
  const unknown = jsonOf({ ...aiLog, stage: undefined, 'stage of mine': 1 });
  for (const [body, answered, logged] of [
    [jsonOf({ ...aiLog, orderId: 'my order' }), /string, received "my order"$/, ofOrder],
    [unknown, / \(the key "stage of mine" is unknown: did you mean "stage"\?\)$/, 'Parameter stage cannot be empty'],
    ['{"stage": mine}', /, received "mine"$/, noJson('expected a value at position 10 (line 1, column 11)')],
    ['{"stage": "', /a string without an end at position 10 /, noJson(noEnd)],
    ['', /it is empty$/, noJson('it is empty')],
    ['{"__proto__": {}}', /"__proto__" is not allowed$/, noJson('the key "__proto__" is not allowed')],
  ] as const) {
    const { json } = await transport.send(signedUpload(team, { body }));
    expect(json.msg).toMatch(answered);
    expect(written.lines().at(-1)).toMatchObject({ message: 'rejected', code: json.code, msg: logged });
  }
  const { json } = await transport.send(withHeader(signedUpload(team), 'locale', 'my locale'));
  expect(json.msg).toContain('"my locale"');
  expect(written.lines().at(-1)).toMatchObject({ code: '40017', msg: json.msg });
});

test('never logs a secret, a signature, a passphrase or any part of the body', async () => {
  const upload = signedUpload(team);
  await transport.send(upload);
  await transport.send(signedUpload(team, { body: '{"stage": "Decision Making", broken' }));
  await transport.send(signedUpload(team, { body: JSON.stringify({ ...aiLog, orderId: 'Decision Making' }) }));
  await transport.send(
    signedUpload(team, { body: jsonOf({ ...aiLog, stage: undefined, 'Decision Making stage': 1 }) }),
  );
  await transport.send({ ...upload, body: Buffer.from('Decision Making') });

  expect(written.lines()).toHaveLength(5);
  expect(written.text()).toContain(team.uid);
  const signature = upload.headers.find(([name]) => name === 'ACCESS-SIGN')?.[1] ?? '';
  for (const secret of [team.secret, team.passphrase, signature, aiLog.stage, aiLog.model, aiLog.input.prompt]) {
    expect(written.text()).not.toContain(secret);
  }
});
