import { beforeEach, describe, expect, test } from 'vitest';
import { overHttp, type PARTITION_FAULTS, signedUpload, type Team, world } from '../setup/world.ts';

let team: Team;
const fixture = await world();
const proxy = await fixture.faulty();
const transport = await overHttp(proxy);
beforeEach(async () => {
  team = await fixture.team();
});

/** Returns how often each metric of failures has been counted since a point in the output. */
const countedSince = (start: number) => {
  const output = transport.output().slice(start);
  const countOf = (name: string) => output.match(new RegExp(`"${name}":1`, 'g'))?.length ?? 0;
  return {
    PartitionThrottled: countOf('PartitionThrottled'),
    Unavailable: countOf('Unavailable'),
    SystemError: countOf('SystemError'),
  };
};

/** Sends an upload. @returns the response, and the metrics of failures that it was counted in */
async function sendAndCount(upload = signedUpload(team)) {
  const start = transport.output().length;
  const answer = await transport.send(upload);
  await expect.poll(() => transport.output().slice(start)).toContain('"RejectedByCode":1');
  return { answer, counted: countedSince(start) };
}

const byTeam = { PartitionThrottled: 1, Unavailable: 0, SystemError: 0 };
const byService = { PartitionThrottled: 0, Unavailable: 1, SystemError: 0 };
const msg = 'Too many requests: one UID cannot store more per second, retry in 1 s';

describe.each(['throttled by its partition', 'throttled by its partition of an index'] as const)(
  'a put that is %s',
  (fault: keyof typeof PARTITION_FAULTS) => {
    test('gets a 429 that no rollback alarm counts, and is accepted later', async () => {
      proxy.fail('put entry', team.uid, () => fault);
      const upload = signedUpload(team);
      const { answer, counted } = await sendAndCount(upload);
      expect(answer).toMatchObject({ status: 429, json: { code: '429', msg, data: null } });
      expect(answer.headers['retry-after']).toBe('1');
      expect(counted).toEqual(byTeam);
      expect(await fixture.entriesOf(team.uid)).toEqual([]);

      proxy.heal('put entry', team.uid);
      expect((await transport.send(upload)).status).toBe(200);
    });

    test('leaves other teams alone', async () => {
      proxy.fail('put entry', team.uid, () => fault);
      expect((await transport.send(signedUpload(team))).status).toBe(429);
      expect((await transport.send(signedUpload(await fixture.team()))).status).toBe(200);
    });

    test('gets a 503 if an earlier attempt may have stored the entry', async () => {
      // The answer of the first attempt is lost. On real DynamoDB, a throttled partition rejects before it checks the
      // condition.
      proxy.fail('put entry', team.uid, (attempt) => (attempt === 1 ? 'applied, then a reset' : fault));
      const { answer, counted } = await sendAndCount();
      expect(answer).toMatchObject({ status: 503, json: { code: '40015' } });
      expect(counted).toEqual(byService);
      expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
    });
  },
);

test('the counter of one UID that its partition throttles gets a 429', async () => {
  proxy.fail('consume uid', team.uid, () => 'throttled by its partition');
  const { answer, counted } = await sendAndCount();
  expect(answer).toMatchObject({ status: 429, json: { msg } });
  expect(counted).toEqual(byTeam);
});

test.each(['throttled', 'throttled as a table', 'throttled by its partition and by the account'] as const)(
  'a put that is %s is the failure of the service',
  async (fault) => {
    proxy.fail('put entry', team.uid, () => fault);
    const { answer, counted } = await sendAndCount();
    expect(answer).toMatchObject({ status: 503, json: { code: '40015' } });
    expect(counted).toEqual(byService);
  },
);
