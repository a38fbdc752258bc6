import { constants, zstdCompressSync } from 'node:zlib';
import type { Context } from 'aws-lambda';
import { quantile } from '../../cli/shell/text/numbers.ts';
import { type Entry, itemBytes } from '../../functions/ailog/entry.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { openFixture } from '../setup/fixture.ts';
import { eventOf } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';
import { corpus } from './corpus.ts';
import { countUnits } from './countUnits.ts';
import { median } from './measure.ts';

const ROUNDS = 9;

/** The levels of zstd that are compared. The levels between and above them are no better. */
const LEVELS = [1, 3, 5, 6, 9, 12, 15, 19];

/** The sizes of the logs that are compared. */
const CLASSES = { '10 KB': 10_240, '100 KB': 102_400, natural: 'natural' } as const;

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Compresses some bodies with a level. @returns the mean size, and CPU milliseconds for each body */
function compress(bodies: readonly Buffer[], level: number): { bytes: number; cpu: number } {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 };
  const before = process.cpuUsage();
  const sizes = bodies.map((body) => zstdCompressSync(body, { params }).length);
  const { user, system } = process.cpuUsage(before);
  return { bytes: mean(sizes), cpu: (user + system) / 1000 / bodies.length };
}

/** Compares the levels of zstd by the bytes that a level saves per millisecond of CPU, from the level before it. */
function compareLevels(): string[] {
  return Object.entries(CLASSES).flatMap(([name, size]) => {
    const bodies = corpus(size).map(({ body }) => Buffer.from(body));
    const cpu = LEVELS.map(() => [] as number[]);
    const bytes: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, level] of LEVELS.entries()) {
        const result = compress(bodies, level);
        bytes[index] = result.bytes;
        if (round > 0) cpu[index]?.push(result.cpu);
      }
    }
    const times = cpu.map(median);
    return [
      '',
      `| ${name}: level | bytes, mean | CPU | bytes saved per CPU millisecond, from the level before |`,
      '|---|---|---|---|',
      ...LEVELS.map((level, index) => {
        const [size, time] = [bytes[index] as number, times[index] as number];
        const saved = index === 0 ? '–' : ((bytes[index - 1] as number) - size) / (time - (times[index - 1] as number));
        return `| ${level} | ${size.toFixed(0)} | ${time.toFixed(2)} ms | ${typeof saved === 'string' ? saved : saved.toFixed(0)} |`;
      }),
    ];
  });
}

/** Uploads the corpus and counts the write units of each entry as the engine does. */
async function countCorpus(): Promise<string[]> {
  const fixture = await openFixture();
  const units = countUnits(fixture.db);
  const handle = createHandler(fixture.dependencies());
  const lines = [
    '',
    '| logs | item, mean | write units of the item, mean | p10 | p50 | p90 | most |',
    '|---|---|---|---|---|---|---|',
  ];
  const perKind: Record<string, number[]> = {};
  for (const [name, size] of Object.entries(CLASSES)) {
    const team = await fixture.team();
    const upload = async (body: string, age: number) => {
      const event = eventOf(signedUpload(team, { body, timestamp: () => Date.now() - age }));
      const { statusCode, body: answer } = await handle(event, {} as Context);
      if (statusCode !== 200) throw new Error(answer);
    };
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
  const sizes = Object.keys(CLASSES);
  return [
    ...lines,
    '',
    `| kind: write units of the item | ${sizes.join(' | ')} |`,
    `|---|${'---|'.repeat(sizes.length)}`,
    ...Object.entries(perKind).map(([kind, counts]) => `| ${kind} | ${counts.join(' | ')} |`),
  ];
}

/** Measures the corpus of logs: zstd's levels, and the write units of its entries. */
export const measureBytes = async (): Promise<string[]> => [
  '### Bytes of a corpus of twenty kinds of logs',
  ...compareLevels(),
  ...(await countCorpus()),
];
