import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, openFixture } from '../setup/fixture.ts';
import { type Answer, overHttp, type Transport } from '../setup/transports.ts';
import { burst } from './burst.ts';

const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;

describe('300 parallel uploads with a quota of 100', () => {
  let fixture: Fixture;
  const transports: Transport[] = [];
  beforeAll(async () => {
    fixture = await openFixture({ uidQuota: 100 });
    transports.push(await overHttp(fixture), await overHttp(fixture));
  });
  afterAll(() => Promise.all(transports.map((transport) => transport.close())));

  test.each([
    ['one process', 1],
    ['two processes', 2],
  ])('through %s store and count exactly 100', async (_name, processes) => {
    const team = await fixture.team();
    const answers = await burst(transports.slice(0, processes), team, 300);

    expect(count(answers, 200)).toBe(100);
    expect(count(answers, 429)).toBe(200);
    expect(await fixture.entriesOf(team.uid)).toHaveLength(100);
    expect(await fixture.weightOf(`uid#${team.uid}`)).toBe(100);
  });
});
