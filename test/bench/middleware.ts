import { setTimeout as sleep } from 'node:timers/promises';
import { createCredentialStore, fileDecrypt } from '../../functions/auth/credentialStore.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { parseJsonText } from '../../functions/upload/middleware/parseJson.ts';
import { openFixture } from '../setup/fixture.ts';
import { eventOf } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';
import { accept, logOf, SIZES } from './handler.ts';
import { median } from './measure.ts';

const ROUNDS = 300;

/** Bodies of each size that the parsers are compared with. */
const PARSED = 101;

/** Counts calls and round trips. Calls in flight at the same time are one round trip. */
function countCalls() {
  const count = { calls: 0, trips: 0 };
  let inFlight = 0;
  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    count.calls += 1;
    if (inFlight === 0) count.trips += 1;
    inFlight += 1;
    try {
      return await call();
    } finally {
      inFlight -= 1;
    }
  };
  return { count, counted };
}

/**
 * Compares the body parser with `JSON.parse`, by CPU. It calls a function for each value, which takes most of its time.
 */
function compareParsers(): string[] {
  const cpuOf = (parse: (text: string) => unknown, text: string) => {
    const before = process.cpuUsage();
    parse(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const rows = Object.entries(SIZES).map(([name, bytes]) => {
    const text = logOf(bytes);
    const times = { bare: [] as number[], parser: [] as number[] };
    for (let round = 0; round < PARSED; round += 1) {
      times.bare.push(cpuOf(JSON.parse, text));
      times.parser.push(cpuOf(parseJsonText, text));
    }
    const [bare, parser] = [median(times.bare), median(times.parser)];
    return `| ${name} | ${bare.toFixed(2)} ms | ${parser.toFixed(2)} ms | ${(parser / bare).toFixed(1)} |`;
  });
  return ['', '### The body parser, CPU', '', '| log | JSON.parse | parser | ratio |', '|---|---|---|---|', ...rows];
}

/** Measures each middleware by name, and counts the round trips of an upload. */
export async function measureMiddleware(): Promise<string[]> {
  const fixture = await openFixture();
  const team = await fixture.team();
  const { count, counted } = countCalls();
  fixture.db.middlewareStack.add((next) => (args) => counted(() => next(args)), {
    step: 'initialize',
    name: 'counted',
  });
  const decrypt = fileDecrypt(fixture.environment.CREDENTIALS_KEY_FILE);
  // Simulates the call to KMS, which takes longer than the calls in parallel with it.
  const credentialStore = createCredentialStore((...sealed) => counted(() => sleep(20).then(() => decrypt(...sealed))));
  const handle = createHandler(fixture.dependencies({ credentialStore }));
  const upload = async (body: string) => {
    const event = eventOf(signedUpload(team, { body }));
    const start = performance.now();
    await accept(handle, event);
    return { ...event.middlewareMs, all: performance.now() - start };
  };

  const trips: string[] = [];
  for (const what of ['the first upload with a key', 'each later upload']) {
    Object.assign(count, { calls: 0, trips: 0 });
    await upload(logOf(SIZES['1.5 KB']));
    trips.push(`| ${what} | ${count.calls} | ${count.trips} |`);
  }

  const columns: Record<string, number>[] = [];
  for (const bytes of Object.values(SIZES)) {
    const body = logOf(bytes);
    const rounds: Record<string, number>[] = [];
    for (let i = 0; i < ROUNDS; i += 1) rounds.push(await upload(body));
    const names = Object.keys(rounds[0] ?? {});
    const column = Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => round[name] ?? 0))]));
    columns.push(column);
  }
  const middlewares = Object.keys(columns[0] ?? {});
  return [
    '### Calls to the tables and to KMS, and sequential round trips',
    '',
    '| | calls | round trips |',
    '|---|---|---|',
    ...trips,
    '',
    `### Middlewares, milliseconds, median of ${ROUNDS} uploads`,
    '',
    `| middleware | ${Object.keys(SIZES).join(' | ')} |`,
    `|---|${'---|'.repeat(columns.length)}`,
    ...middlewares.map(
      (middleware) => `| ${middleware} | ${columns.map((column) => column[middleware]?.toFixed(2)).join(' | ')} |`,
    ),
    ...compareParsers(),
  ];
}
