import { zstdDecompressSync } from 'node:zlib';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../functions/ailog/entry.ts';
import { apiErrors } from '../../functions/errors.ts';
import {
  type Answer,
  headerOf,
  inProcess,
  runs,
  signedUpload,
  type Tables,
  type Team,
  type Upload,
  withHeader,
  world,
} from '../setup/world.ts';
import { anyBody, anyHeaders, anyQuery, headerText } from './hostile.ts';

/** Requests that are sent simultaneously. Each run of a property sends one batch. */
const BATCH = 20;
const batch = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: BATCH, size: 'max' });
/** A batch has 10 requests on average, so each property sends 1500 in `npm test` and 40 000 in the full run. */
const options = runs(150, 4000);
const LONG = 1_800_000;

const CODES = new Map<string, Set<number>>();
for (const { code, status } of Object.values(apiErrors)) CODES.set(code, (CODES.get(code) ?? new Set()).add(status));

let requests = 0;

/** Expects the envelope, a code of the error catalogue with its status, no 5xx, and no secret. */
function expectEnvelope({ status, headers, json, text }: Answer, secrets: readonly string[]) {
  requests += 1;
  expect(status, text).toBeLessThan(500);
  expect(Object.keys(json)).toEqual(['code', 'msg', 'requestTime', 'data']);
  expect(headers['content-type']).toBe('application/json');
  expect(Number.isInteger(json.requestTime)).toBe(true);
  if (status === 200) expect(json).toMatchObject({ code: '00000', msg: 'success', data: 'upload success' });
  else {
    expect(CODES.get(json.code)).toContain(status);
    expect(json.msg).not.toBe('');
    expect(json.data).toBeNull();
  }
  for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/);
  for (const secret of secrets) expect(text).not.toContain(secret);
}

/** Returns every item of a table. */
async function itemsOf({ db }: Tables, TableName: string): Promise<Record<string, unknown>[]> {
  const pages = await Array.fromAsync(paginateScan({ client: db }, { TableName, ConsistentRead: true }));
  return pages.flatMap(({ Items = [] }) => Items);
}

/** Expects that requests which were rejected left nothing. */
async function expectNothingStored(fixture: Tables) {
  expect(await itemsOf(fixture, fixture.names.aiLogs)).toEqual([]);
  expect(await itemsOf(fixture, fixture.names.weights)).toEqual([]);
}

describe('without valid authentication', async () => {
  const fixture = await world();
  const transport = inProcess(fixture.dependencies());
  const good = await fixture.team();
  const [revoked, unlisted] = [
    await fixture.team({ key: { status: 'revoked' } }),
    await fixture.team({ status: null }),
  ];
  /** Callers who may not upload. */
  const callers: Readonly<Record<string, Team>> = {
    'an unknown key': { ...good, accessKey: 'ailog_stranger' },
    'a wrong secret': { ...good, secret: 'guessed' },
    'a wrong passphrase': { ...good, passphrase: 'guessed' },
    'a revoked key': revoked,
    'a team that is not on the allowlist': unlisted,
  };

  const request = fc.record({
    caller: fc.constantFrom(...Object.keys(callers)),
    body: anyBody,
    query: anyQuery,
    // Headers overwritten after signing.
    changed: fc.dictionary(
      fc.constantFrom('ACCESS-KEY', 'ACCESS-SIGN', 'ACCESS-PASSPHRASE', 'ACCESS-TIMESTAMP', 'locale', 'Content-Type'),
      fc.option(headerText, { nil: undefined, freq: 6 }),
      { maxKeys: 2, noNullPrototype: true },
    ),
    more: anyHeaders,
  });

  test(
    'every request gets an error in the envelope, stores no entry and consumes no weight',
    async () => {
      const seen = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(batch(request), async (all) => {
          const answers = await Promise.all(
            all.map(({ caller, body, query, changed, more }) => {
              let upload: Upload = { ...signedUpload(callers[caller] as Team, { body }), query };
              for (const [name, value] of Object.entries(changed)) upload = withHeader(upload, name, value);
              return transport.send({ ...upload, headers: [...more, ...upload.headers] });
            }),
          );
          for (const answer of answers) {
            expectEnvelope(answer, [good.secret, good.passphrase]);
            expect(answer.status).not.toBe(200);
            seen.set(answer.json.code, (seen.get(answer.json.code) ?? 0) + 1);
          }
        }),
        options,
      );
      await expectNothingStored(fixture);
      // The requests reached each middleware that rejects them.
      expect([...seen.keys()]).toEqual(
        expect.arrayContaining(['40001', '40005', '40006', '40007', '40009', '40012', '40017', '40022']),
      );
    },
    LONG,
  );
});

test(
  'a signed request with any body is rejected and not stored, or stored byte for byte',
  async () => {
    const fixture = await world({ uidQuota: 900_000_000, ipQuota: 900_000_000 });
    const transport = inProcess(fixture.dependencies());
    const team = await fixture.team();
    const stored = new Map<string, Buffer>();
    let accepted = 0;
    let clock = 0;
    await fc.assert(
      fc.asyncProperty(batch(fc.record({ body: anyBody, more: anyHeaders })), async (all) => {
        await Promise.all(
          all.map(async ({ body, more }) => {
            clock += 1;
            const timestamp = Date.now() - 20_000 + (clock % 40_000);
            const upload = signedUpload(team, { body, timestamp: () => timestamp });
            const noise = more.filter(([name]) => !/^(access-|locale|content-)/i.test(name));
            const answer = await transport.send({ ...upload, headers: [...noise, ...upload.headers] });
            expectEnvelope(answer, [team.secret, team.passphrase]);
            expect([200, 400, 413]).toContain(answer.status);
            if (answer.status !== 200) return;
            accepted += 1;
            stored.set(answer.headers['ai-log-id'] as string, body);
          }),
        );
      }),
      options,
    );
    const entries = (await itemsOf(fixture, fixture.names.aiLogs)) as unknown as Entry[];
    expect(entries).toHaveLength(stored.size);
    for (const { entryId, body } of entries) expect(zstdDecompressSync(body)).toEqual(stored.get(entryId));
    expect(await fixture.weightOf(`uid#${team.uid}`)).toBe(accepted);
    expect(accepted).toBeGreaterThan(50);
  },
  LONG,
);

describe('a valid upload with one changed byte', async () => {
  const fixture = await world();
  const transport = inProcess(fixture.dependencies());
  const team = await fixture.team();

  /** Overwrites, drops or inserts one byte at a relative position (0 … 1). */
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    byte: fc.nat(255),
    how: fc.constantFrom('overwrite', 'drop', 'insert'),
  });
  const edited = (bytes: Buffer, { at, byte, how }: { at: number; byte: number; how: string }) => {
    const index = Math.floor(at * bytes.length);
    const inserted = how === 'drop' ? [] : [byte];
    const rest = bytes.subarray(how === 'insert' ? index : index + 1);
    return Buffer.from([...bytes.subarray(0, index), ...inserted, ...rest]);
  };
  /** Changes the body of an upload, or one of its headers. */
  const changePart = (upload: Upload, part: string, change: (bytes: Buffer) => Buffer): Upload => {
    if (part === 'body') return { ...upload, body: change(upload.body) };
    return withHeader(upload, part, change(Buffer.from(headerOf(upload, part) as string)).toString('latin1'));
  };
  /** An upload as the function sees it: headers without surrounding space. */
  const seen = ({ headers, body }: Upload) =>
    JSON.stringify([headers.map(([name, value]) => [name, value.trim()]).sort(), body.toString('hex')]);

  test.each(['body', 'ACCESS-TIMESTAMP', 'ACCESS-SIGN', 'ACCESS-KEY', 'ACCESS-PASSPHRASE'])(
    'in %s is rejected and not stored',
    async (part) => {
      await fc.assert(
        fc.asyncProperty(batch(edit), async (edits) => {
          await Promise.all(
            edits.map(async (one) => {
              const upload = signedUpload(team);
              const changed = changePart(upload, part, (bytes) => edited(bytes, one));
              if (seen(changed) === seen(upload)) return;
              const answer = await transport.send(changed);
              expectEnvelope(answer, [team.secret]);
              expect(answer.status).toBe(401);
            }),
          );
        }),
        options.numRuns > 1000 ? { ...options, numRuns: 1000 } : { ...options, numRuns: 25 },
      );
      await expectNothingStored(fixture);
    },
    LONG,
  );
});

test('the tests above sent a minimum number of requests', () => {
  console.log(`Seed ${options.seed}: ${requests} requests`);
  expect(requests).toBeGreaterThan(2000);
});
