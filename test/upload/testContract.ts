import { createHash } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { openReceipt } from '../receipts/openReceipt.ts';
import { type Answer, headerOf, signedUpload, type Tables, type Transport, world } from '../setup/world.ts';
import { type Case, cases } from './contract.cases.ts';

/** Tests that the service behind a transport answers cases as the contract says. @param also expected of each answer */
export function testContract(
  open: (fixture: Tables) => Promise<Transport> | Transport,
  chosen: readonly Case[] = cases,
  also: (answer: Answer) => void = () => {},
): void {
  let fixture: Tables;
  let transport: Transport;
  let receiptKeys: string[];
  beforeAll(async () => {
    fixture = await world();
    receiptKeys = [await fixture.makeReceiptKey()];
    transport = await open(fixture);
  });

  test.each(chosen)(
    '$name → $status $code',
    async ({ signed, sent, team: teamState, status, code, msg, entry, warning }) => {
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
      expect(answer.headers['ai-log-warning']).toBe(warning);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.json.requestTime).toBeGreaterThanOrEqual(before);
      expect(answer.json.requestTime).toBeLessThanOrEqual(Date.now());

      also(answer);
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
    },
  );
}
