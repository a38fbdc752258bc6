import type { Context } from 'aws-lambda';
import prices from '../../cli/ops/prices.json' with { type: 'json' };
import { type Entry, itemBytes } from '../../functions/ailog/entry.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { openFixture } from '../setup/fixture.ts';
import { eventOf } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';
import { countUnits } from './countUnits.ts';
import { logOf, SIZES } from './handler.ts';

/** What one upload consumes, as the engine counts it: read and write units by table, and the size of its item. */
export async function measureCapacity(): Promise<string[]> {
  const fixture = await openFixture();
  const units = countUnits(fixture.db);
  const { names } = fixture;
  const handle = createHandler(fixture.dependencies());
  const lines = [
    '### Capacity units of one upload',
    '',
    '| log | stored as | read (2 tables) | write: weights | write: entry | write in all | tables, $ per million |',
    '|---|---|---|---|---|---|---|',
  ];
  for (const [name, bytes] of Object.entries(SIZES)) {
    const team = await fixture.team();
    const upload = async (age: number) => {
      const event = eventOf(signedUpload(team, { body: logOf(bytes), timestamp: () => Date.now() - age }));
      const { statusCode, body } = await handle(event, {} as Context);
      if (statusCode !== 200) throw new Error(body);
    };
    // The first one reads one item more, to learn whose key it is.
    await upload(1000);
    units.reset();
    await upload(0);
    const [reads, weights, put] = [units.reads(), units.writes(names.weights), units.writes(names.aiLogs)];
    const price = reads * prices.dynamodb.millionReadUnits + (weights + put) * prices.dynamodb.millionWriteUnits;
    const [entry] = (await fixture.entriesOf(team.uid)) as [Entry];
    lines.push(
      `| ${name} | ${itemBytes(entry)} bytes | ${reads} | ${weights} | ${put} | ${weights + put} | ${price.toFixed(2)} |`,
    );
  }
  const { gateway, lambda } = prices;
  lines.push(
    '',
    `A million requests cost $${gateway.millionRequests.toFixed(2)} at the gateway and $${lambda.millionRequests.toFixed(2)} at Lambda besides, ` +
      `and $${(lambda.armGigabyteSecond * 1000).toFixed(4)} for each millisecond that the function takes with 1 GB.`,
  );
  return lines;
}
