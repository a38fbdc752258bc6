import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import type { Context } from 'aws-lambda';
import { buildSync } from 'esbuild';
import { createHandler } from '../../../functions/upload/handler.ts';
import { BUILD_OPTIONS, bundleUpload } from '../../../infra/build/bundle.ts';
import { openFixture } from '../../setup/fixture.ts';
import { eventOf } from '../../setup/transports.ts';
import { signedUpload } from '../../setup/upload.ts';
import { countUnits } from '../countUnits.ts';
import { logOf, SIZES } from '../handler.ts';
import { importTime } from '../imports.ts';
import { median, sideBySide } from '../measure.ts';

const ROUNDS = 200;
const WARM_UP = 200;

/** Bundles the off-the-shelf implementation with the build options of the function. @returns the path of the bundle */
function bundleOffTheShelf(): string {
  const outfile = join(mkdtempSync(join(tmpdir(), 'ailog-bench-')), 'index.cjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, 'upload.ts')],
    outfile,
    ...BUILD_OPTIONS,
    format: 'cjs',
  });
  return outfile;
}

/** Compares the function with the off-the-shelf implementation: time, capacity, bundle, import. */
export async function compareOffTheShelf(): Promise<string[]> {
  const fixture = await openFixture();
  const team = await fixture.team();
  const own = {
    LIMITER_TABLE: `${fixture.names.weights}-limiter`,
    IDEMPOTENCY_TABLE: `${fixture.names.weights}-idempotency`,
  };
  for (const [TableName, name] of [
    [own.LIMITER_TABLE, 'key'],
    [own.IDEMPOTENCY_TABLE, 'id'],
  ] as const) {
    await fixture.db.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: name, AttributeType: 'S' }],
        KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
      }),
    );
  }
  Object.assign(process.env, fixture.environment, own);
  const shelf = await import('./upload.ts');
  const handle = createHandler(fixture.dependencies());
  const candidates = {
    function: (event: ReturnType<typeof eventOf>) => handle(event, {} as Context),
    shelf: (event: ReturnType<typeof eventOf>) =>
      shelf.handler(event as never, { ...({} as Context), getRemainingTimeInMillis: () => 10_000 }),
  };
  const units = { function: countUnits(fixture.db), shelf: countUnits(shelf.db) };

  const lines = [
    '### Comparison with off-the-shelf packages',
    '',
    '| | function | off the shelf | ratio |',
    '|---|---|---|---|',
  ];
  const row = (what: string, ours: number, theirs: number, unit: string, digits = 0) =>
    lines.push(
      `| ${what} | ${ours.toFixed(digits)}${unit} | ${theirs.toFixed(digits)}${unit} | ${(theirs / ours).toFixed(2)} |`,
    );

  for (const [name, bytes] of Object.entries(SIZES).slice(0, 3)) {
    // The document client rejects numbers beyond 2^53, so the order id is a string.
    const body = logOf(bytes).replace('590480926522704171', '"$&"');
    let clock = 0;
    const timed = (candidate: keyof typeof candidates) => async () => {
      clock = (clock + 1) % 20_000;
      const timestamp = Date.now() + clock;
      const event = eventOf(signedUpload(team, { body, timestamp: () => timestamp }));
      const start = performance.now();
      const { statusCode, body: text } = await candidates[candidate](event);
      if (statusCode !== 200) throw new Error(text);
      return performance.now() - start;
    };
    const both = { function: timed('function'), shelf: timed('shelf') };
    const times = await sideBySide(WARM_UP + ROUNDS, both);
    const [ours, theirs] = [times.function, times.shelf].map((all) => median(all.slice(WARM_UP))) as [number, number];
    row(`${name}: time, median of ${ROUNDS}`, ours, theirs, ' ms', 2);
    for (const kind of ['reads', 'writes'] as const) {
      const consumed = { function: 0, shelf: 0 };
      for (const candidate of ['function', 'shelf'] as const) {
        units[candidate].reset();
        await both[candidate]();
        consumed[candidate] = units[candidate][kind]();
      }
      row(`${name}: ${kind === 'reads' ? 'read' : 'write'} units`, consumed.function, consumed.shelf, '', 1);
    }
  }

  const paths = { function: bundleUpload(mkdtempSync(join(tmpdir(), 'ailog-bench-'))), shelf: bundleOffTheShelf() };
  row('bundle', statSync(paths.function).size / 1024, statSync(paths.shelf).size / 1024, ' KiB');
  const environment = { ...fixture.environment, ...own };
  const imports = await sideBySide(21, {
    function: () => importTime(paths.function, environment),
    shelf: () => importTime(paths.shelf, environment),
  });
  row('import, median of 21 processes', median(imports.function), median(imports.shelf), ' ms', 1);
  return lines;
}
