import type { Context } from 'aws-lambda';
import prices from '../../cli/store/cost/prices.json' with { type: 'json' };
import { type Entry, itemBytes } from '../../functions/ailog/entry.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { openFixture } from '../setup/fixture.ts';
import { eventOf } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';
import { countUnits } from './countUnits.ts';
import { logOf, SIZES } from './handler.ts';

/**
 * Measures the capacity of one upload as the engine counts it: read and write units by table, and the size of the item.
 */
export async function measureCapacity(): Promise<string[]> {
  const fixture = await openFixture();
  const units = countUnits(fixture.db);
  const { names } = fixture;
  const handle = createHandler(fixture.dependencies());
  const lines = [
    '### Capacity units of one upload',
    '',
    '| log | stored as | read (2 tables) | write: weights | write: entry | writes in total | tables, $ per million |',
    '|---|---|---|---|---|---|---|',
  ];
  for (const [name, bytes] of Object.entries(SIZES)) {
    const team = await fixture.team();
    const upload = async (age: number) => {
      const event = eventOf(signedUpload(team, { body: logOf(bytes), timestamp: () => Date.now() - age }));
      const { statusCode, body } = await handle(event, {} as Context);
      if (statusCode !== 200) throw new Error(body);
    };
    // The first upload reads one more item, to find the owner of the key.
    await upload(1000);
    units.reset();
    await upload(0);
    const [reads, weights, put] = [units.reads(), units.writes(names.weights), units.writes(names.aiLogs)];
    const price = reads * prices.dynamodb.reads.dollars + (weights + put) * prices.dynamodb.writes.dollars;
    const [entry] = (await fixture.entriesOf(team.uid)) as [Entry];
    lines.push(
      `| ${name} | ${itemBytes(entry)} bytes | ${reads} | ${weights} | ${put} | ${weights + put} | ${price.toFixed(2)} |`,
    );
  }
  const { gateway, lambda } = prices;
  lines.push(
    '',
    `In addition, a million requests cost $${gateway.requests.dollars.toFixed(2)} at the gateway and $${lambda.requests.dollars.toFixed(2)} at Lambda, ` +
      `plus $${(lambda.compute.dollars * 1000).toFixed(4)} for each millisecond of execution with 1 GB.`,
  );
  return lines;
}
