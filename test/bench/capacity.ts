import { type Entry, itemBytes } from '../../functions/ailog/entry.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { eventOf, signedUpload, world } from '../setup/world.ts';
import { countUnits } from './countUnits.ts';
import { accept, logOf, SIZES } from './handler.ts';
import { headOf, median, timeOf } from './measure.ts';

const WARM_UP = 100;
const ROUNDS = 200;

/** Measures one upload: calls, units as the engine counts them, size of the item, time and CPU time of a warm one. */
export async function measureCapacity(): Promise<string[]> {
  const fixture = await world();
  const units = countUnits(fixture.db);
  const { names } = fixture;
  const handle = createHandler(fixture.dependencies());
  const lines = [
    '### Capacity of one upload',
    '',
    ...headOf(
      '| log | calls | read units | write units: counters | entry and indexes | stored | time, median | CPU, mean |',
    ),
  ];
  for (const [name, bytes] of Object.entries(SIZES)) {
    const team = await fixture.team();
    const body = logOf(bytes);
    let age = 0;
    const upload = async () => {
      // Each has a timestamp of its own.
      age += 1;
      const event = eventOf(signedUpload(team, { body, timestamp: () => Date.now() - (age % 20_000) }));
      return timeOf(() => accept(handle, event));
    };
    for (let round = 0; round < WARM_UP; round += 1) await upload();
    units.reset();
    await upload();
    const counts = [units.calls(), units.reads(), units.writes(names.weights), units.writes(names.aiLogs)];
    const before = process.cpuUsage();
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await upload());
    const { user, system } = process.cpuUsage(before);
    const [entry] = (await fixture.entriesOf(team.uid)) as [Entry];
    lines.push(
      `| ${name} | ${counts.join(' | ')} | ${itemBytes(entry)} bytes | ${median(times).toFixed(1)} ms | ${((user + system) / 1000 / ROUNDS).toFixed(1)} ms |`,
    );
  }
  return lines;
}
