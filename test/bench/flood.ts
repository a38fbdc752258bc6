import type { Context } from 'aws-lambda';
import { createHandler } from '../../functions/upload/handler.ts';
import { openFixture } from '../setup/fixture.ts';
import { eventOf } from '../setup/transports.ts';
import { signedUpload, withHeader } from '../setup/upload.ts';
import { countUnits } from './countUnits.ts';

const REQUESTS = 2000;

/** Measures what a flood with unknown access keys costs: with a new key for each request, and with the same key. */
export async function measureFlood(): Promise<string[]> {
  const fixture = await openFixture();
  const units = countUnits(fixture.db);
  const team = await fixture.team();
  const handle = createHandler(fixture.dependencies());
  const lines = [
    `### Floods with unknown access keys, ${REQUESTS} requests each`,
    '',
    '| access keys | read units per request | time per request |',
    '|---|---|---|',
  ];
  const floods = { 'a new one each time': (i: number) => `ailog_unknown${i}`, 'the same one': () => 'ailog_unknown' };
  for (const [name, keyOf] of Object.entries(floods)) {
    units.reset();
    const start = performance.now();
    for (let i = 0; i < REQUESTS; i += 1) {
      const { statusCode, body } = await handle(
        eventOf(withHeader(signedUpload(team), 'ACCESS-KEY', keyOf(i))),
        {} as Context,
      );
      if (statusCode !== 401) throw new Error(body);
    }
    const ms = (performance.now() - start) / REQUESTS;
    lines.push(`| ${name} | ${(units.reads() / REQUESTS).toFixed(3)} | ${ms.toFixed(2)} ms |`);
  }
  return lines;
}
