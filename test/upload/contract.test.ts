import { createHash } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCAL_ORIGIN } from '../../cli/local/data.ts';
import { checkLog } from '../../cli/team/checkLog.ts';
import { openReceipt } from '../receipts/openReceipt.ts';
import { type Fixture, openFixture } from '../setup/fixture.ts';
import { inProcess, overHttp, type Transport } from '../setup/transports.ts';
import { headerOf, signedUpload } from '../setup/upload.ts';
import { cases } from './contract.cases.ts';

const transports: [string, (fixture: Fixture) => Promise<Transport> | Transport][] = [
  ['in process', (fixture) => inProcess(fixture.dependencies())],
  ['over HTTP', overHttp],
];

describe.each(transports)('the contract, %s', (_name, open) => {
  let fixture: Fixture;
  let transport: Transport;
  let receiptKeys: string[];
  beforeAll(async () => {
    fixture = await openFixture();
    receiptKeys = await fixture.receiptKeys.ensure(LOCAL_ORIGIN, Date.now(), AbortSignal.timeout(10_000));
    transport = await open(fixture);
  });
  afterAll(() => transport.close());

  test.each(cases)('$name → $status $code', async ({ signed, sent, team: teamState, status, code, msg, entry }) => {
    const team = await fixture.team(teamState);
    const upload = signedUpload(team, signed);

    const before = Date.now();
    const answer = await transport.send(sent ? sent(upload, team) : upload);

    expect(answer.json).toEqual({
      code,
      msg: msg === undefined ? expect.any(String) : msg instanceof RegExp ? expect.stringMatching(msg) : msg,
      requestTime: expect.any(Number),
      data: status === 200 ? 'upload success' : null,
    });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.json.requestTime).toBeGreaterThanOrEqual(before);
    expect(answer.json.requestTime).toBeLessThanOrEqual(Date.now());

    const entries = await fixture.entriesOf(team.uid);
    expect(await fixture.weightOf(`uid#${team.uid}`)).toBe(status === 200 ? 1 : 0);
    if (status !== 200) {
      expect(answer.headers).not.toHaveProperty('ai-log-receipt');
      return expect(entries).toEqual([]);
    }
    const [stored] = entries;
    expect(entries).toHaveLength(1);
    expect(zstdDecompressSync(stored?.body as Uint8Array)).toEqual(upload.body);
    expect(stored).toMatchObject({
      bodySha256: createHash('sha256').update(upload.body).digest('hex'),
      bodyBytes: upload.body.length,
      accessKey: team.accessKey,
      timestamp: headerOf(upload, 'ACCESS-TIMESTAMP'),
      signature: headerOf(upload, 'ACCESS-SIGN'),
      entryId: answer.headers['ai-log-id'],
    });
    expect(answer.headers['ai-log-digest']).toBe(stored?.bodySha256);
    expect(openReceipt(answer.headers['ai-log-receipt'], receiptKeys)).toMatchObject({
      uid: team.uid,
      entryId: stored?.entryId,
      bodySha256: stored?.bodySha256,
    });
    for (const [name, expected] of Object.entries(entry ?? {})) {
      const value = stored?.[name as 'orderId'];
      expect(typeof value === 'number' ? BigInt(value) : value).toBe(expected);
    }
  });
});

/** The codes that depend only on the body. */
const BODY_CODES = ['00000', '40017', '40019', '40020', '413'];

describe('the local check of a log agrees with the service', () => {
  const bodyCases = cases.filter(({ code, sent, team }) => BODY_CODES.includes(code) && !sent && !team);

  test.each(bodyCases)('$name → $status $code', async ({ signed, code, msg }) => {
    const { body } = signedUpload({ uid: '1', accessKey: 'a', secret: 's', passphrase: 'p' }, signed);
    const { objection } = checkLog(body);
    expect(objection?.code ?? '00000').toBe(code);
    if (objection && msg !== undefined) expect(objection.message).toMatch(msg);
  });

  test('the cases cover every code that a body can cause', () => {
    expect(new Set(bodyCases.map(({ code }) => code))).toEqual(new Set(BODY_CODES));
  });
});
