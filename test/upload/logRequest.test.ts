import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../cli/local/engine.ts';
import { type Fixture, openFixture, type Team } from '../setup/fixture.ts';
import { overHttp, type Transport } from '../setup/transports.ts';
import { aiLog, jsonOf, signedUpload, withHeader } from '../setup/upload.ts';

let fixture: Fixture;
let transport: Transport;
let team: Team;
beforeAll(async () => {
  fixture = await openFixture();
  transport = await overHttp(fixture);
  team = await fixture.team();
});
afterAll(() => transport.close());

/** Returns the function's output as parsed lines. Log lines have a `message`, metrics have an `_aws`. */
const linesOf = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
const lines = () => linesOf(transport.output());

test('writes one log line per request with its outcome, and counts it in the metrics', async () => {
  const upload = signedUpload(team);
  const accepted = await transport.send(upload);
  await transport.send(upload);
  await transport.send(withHeader(upload, 'ACCESS-PASSPHRASE', 'wrong'));

  const logs = lines().filter(({ message }) => message);
  expect(logs).toHaveLength(3);
  expect(logs[0]).toMatchObject({
    level: 'INFO',
    message: 'accepted',
    code: '00000',
    status: 200,
    msg: 'success',
    uid: team.uid,
    entryId: accepted.headers['ai-log-id'],
    bytes: upload.body.length,
    duplicate: false,
    coldStart: true,
  });
  expect(Object.keys(logs[0].middlewareMs)).toEqual([
    'requireHeaders',
    'readBody',
    'checkTimestamp',
    'readRecords',
    'authenticate',
    'checkAllowlist',
    'parseJson',
    'validateBody',
    'prepareEntry',
    'enforceWeights',
  ]);
  expect(logs[1]).toMatchObject({ message: 'accepted', duplicate: true, coldStart: false });
  expect(logs[2]).toMatchObject({
    message: 'rejected',
    code: '40012',
    status: 401,
    msg: 'Incorrect ACCESS-PASSPHRASE',
  });

  const metrics = lines().filter(({ _aws }) => _aws);
  const countOf = (name: string) => metrics.filter((line) => name in line).length;
  const names = ['Accepted', 'Duplicate', 'Rejected', 'RejectedByCode', 'ColdStart', 'Latency'];
  expect(names.map(countOf)).toEqual([2, 1, 1, 1, 1, 3]);
  expect(metrics.find((line) => line.RejectedByCode)).toMatchObject({ code: '40012', RejectedByCode: 1 });
});

test('counts a 503 as Unavailable and a 500 as SystemError', async () => {
  const unreachable = `http://127.0.0.1:${await freePort()}`;
  const failing = { AWS_ENDPOINT_URL_DYNAMODB: unreachable, AI_LOGS_TABLE: 'NoSuchTable' };
  for (const [variable, status, metric] of [
    ['AWS_ENDPOINT_URL_DYNAMODB', 503, 'Unavailable'],
    ['AI_LOGS_TABLE', 500, 'SystemError'],
  ] as const) {
    const environment = { ...fixture.environment, [variable]: failing[variable] };
    const other = await overHttp({ ...fixture, environment });
    const answer = await other.send(signedUpload(team));
    await other.close();

    expect([answer.status, answer.json.code]).toEqual([status, '40015']);
    const counted = other.output().match(/"(Unavailable|SystemError)":1/g);
    expect(counted).toEqual([`"${metric}":1`]);
    // Errors of the SDK carry the request and its headers. Only these properties are logged.
    const [{ error }] = linesOf(other.output()).filter(({ message }) => message) as [{ error: object }];
    expect(Object.keys(error).sort()).toEqual(['message', 'name', 'stack']);
  }
});

test('logs the owner of the access key if the key exists', async () => {
  await transport.send(withHeader(signedUpload(team), 'ACCESS-SIGN', 'wrong'));
  await transport.send(withHeader(signedUpload(team), 'ACCESS-KEY', 'unknown'));

  const [wrong, unknown] = lines()
    .filter(({ message }) => message)
    .slice(-2);
  expect(wrong).toMatchObject({ code: '40009', uid: team.uid, accessKey: team.accessKey });
  expect(unknown).not.toMatchObject({ uid: expect.anything() });
  expect(unknown).not.toMatchObject({ accessKey: expect.anything() });
});

/** Returns the last log line so far. It may arrive after the response. */
const lastLog = () => lines().findLast(({ message }) => message);

test('logs the message of an error without what it quotes from the body', async () => {
  const sent: [change: Parameters<typeof signedUpload>[1], answered: RegExp, logged: string][] = [
    [
      { body: jsonOf({ ...aiLog, orderId: 'my order' }) },
      /string, received "my order"$/,
      'Parameter orderId is invalid: it must be an integer from 0 to 9223372036854775807 without fraction or exponent, or the same digits as a string',
    ],
    [
      { body: jsonOf({ ...aiLog, stage: undefined, 'stage of mine': 1 }) },
      / \(the key "stage of mine" is unknown: did you mean "stage"\?\)$/,
      'Parameter stage cannot be empty',
    ],
    [{ body: '{"stage": mine}' }, /"\{"stage": mine\}" is not valid JSON$/, 'Body is not valid JSON: a syntax error'],
    [
      { body: '{"stage": "' },
      /in JSON at position 11 /,
      'Body is not valid JSON: Unterminated string in JSON at position 11 (line 1 column 12)',
    ],
    [{ body: '' }, /it is empty$/, 'Body is not valid JSON: it is empty'],
    [
      { body: '{"__proto__": {}}' },
      /"__proto__" is not allowed$/,
      'Body is not valid JSON: the key "__proto__" is not allowed',
    ],
  ];
  for (const [change, answered, logged] of sent) {
    const { json } = await transport.send(signedUpload(team, change));
    expect(json.msg).toMatch(answered);
    await expect.poll(lastLog).toMatchObject({ message: 'rejected', code: json.code, msg: logged });
  }
  const { json } = await transport.send(withHeader(signedUpload(team), 'locale', 'my locale'));
  expect(json.msg).toContain('"my locale"');
  await expect.poll(lastLog).toMatchObject({ code: '40017', msg: json.msg });
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

  const output = transport.output();
  expect(output).toContain(team.uid);
  const signature = upload.headers.find(([name]) => name === 'ACCESS-SIGN')?.[1] ?? '';
  for (const secret of [team.secret, team.passphrase, signature, aiLog.stage, aiLog.model, aiLog.input.prompt]) {
    expect(output).not.toContain(secret);
  }
});
