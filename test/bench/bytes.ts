import { quantile } from '../../cli/shell/text/numbers.ts';
import { type Entry, itemBytes } from '../../functions/ailog/entry.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { eventOf, signedUpload, world } from '../setup/world.ts';
import { corpus } from './corpus.ts';
import { countUnits } from './countUnits.ts';
import { accept } from './handler.ts';
import { headOf } from './measure.ts';

/** The sizes of the logs that are compared. */
const CLASSES = { '10 KB': 10_240, '100 KB': 102_400, natural: 'natural' } as const;

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Uploads a corpus of logs, and counts the write units of each entry as the engine does. */
export async function measureBytes(): Promise<string[]> {
  const fixture = await world();
  const units = countUnits(fixture.db);
  const handle = createHandler(fixture.dependencies());
  const lines = [
    '### Bytes of a corpus of twenty kinds of logs',
    '',
    ...headOf('| logs | item, mean | write units of the item, mean | p10 | p50 | p90 | most |'),
  ];
  const perKind: Record<string, number[]> = {};
  for (const [name, size] of Object.entries(CLASSES)) {
    const team = await fixture.team();
    const upload = (body: string, age: number) =>
      accept(handle, eventOf(signedUpload(team, { body, timestamp: () => Date.now() - age })));
    const logs = corpus(size);
    // The first upload of a team reads one more item.
    await upload(logs[0]?.body as string, 20_000);
    const entries: number[] = [];
    for (const [index, { kind, body }] of logs.entries()) {
      units.reset();
      await upload(body, index);
      // The engine adds the rows in both indexes to the item. Each is one unit.
      const item = units.writes(fixture.names.aiLogs) - 2;
      entries.push(item);
      perKind[kind] = [...(perKind[kind] ?? []), item];
    }
    const items = ((await fixture.entriesOf(team.uid)) as Entry[]).map(itemBytes);
    const at = (share: number) => quantile(entries, share);
    lines.push(
      `| ${name} | ${mean(items).toFixed(0)} bytes | ${mean(entries).toFixed(2)} | ${at(0.1)} | ${at(0.5)} | ${at(0.9)} | ` +
        `${Math.max(...entries)} |`,
    );
  }
  return [
    ...lines,
    '',
    ...headOf(`| kind: write units of the item | ${Object.keys(CLASSES).join(' | ')} |`),
    ...Object.entries(perKind).map(([kind, counts]) => `| ${kind} | ${counts.join(' | ')} |`),
  ];
}
