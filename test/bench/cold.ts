import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { quantile } from '../../cli/shell/text/numbers.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { BUILD_OPTIONS, bundle, bundleUpload, SOURCES } from '../../infra/build/bundle.ts';
import { eventOf, signedUpload, type Team, world } from '../setup/world.ts';
import { entryAt } from './entries.ts';
import { logOf, SIZES } from './handler.ts';
import { startKmsStandIn } from './kmsStandIn.ts';
import { headOf, median, sideBySide } from './measure.ts';

/** Fresh processes of each candidate. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 41);

/** Loads a bundle as Lambda does, and calls its handler. Times are milliseconds since the process started. */
const CHILD = `
  const { EVENT, FILE } = process.env;
  const load = async () => (FILE.endsWith('.mjs') ? import(FILE) : require(FILE));
  const started = performance.now();
  load().then(async ({ handler }) => {
    const imported = performance.now();
    const answer = await handler(JSON.parse(EVENT), {});
    const accepted = performance.now();
    const { user, system } = process.cpuUsage();
    if (answer.statusCode !== 200) throw new Error(answer.body);
    process.stderr.write(JSON.stringify({ imported: imported - started, accepted, cpu: (user + system) / 1000 }));
    process.exit(0);
  });`;

/** What a fresh process took, in milliseconds. */
export interface ColdStart {
  /** The import of the bundle. */
  readonly imported: number;
  /** From the start of the process to the accepted upload. */
  readonly accepted: number;
  /** CPU time of the process until then. */
  readonly cpu: number;
}

/** Loads a bundle in a fresh process and has its handler answer an event. */
export async function runFresh(file: string, event: unknown, environment: Record<string, string>): Promise<ColdStart> {
  const env = { ...environment, EVENT: JSON.stringify(event), FILE: file };
  const { stderr } = await promisify(execFile)(process.execPath, ['-e', CHILD], { env, encoding: 'utf8' });
  return JSON.parse(stderr);
}

/** The esbuild options that select the sources of the baseline. */
const BARE = { ...SOURCES.upload, entryPoints: ['test/bench/bareFunction.ts'] };

const folder = () => mkdtempSync(join(tmpdir(), 'ailog-bench-'));

/** Bundles the function as an ES module, for comparison. CommonJS packages in it call require. @returns its path */
function bundleAsModule(): string {
  const outfile = join(folder(), 'index.mjs');
  const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  buildSync({ ...BUILD_OPTIONS, ...SOURCES.upload, format: 'esm', banner: { js }, outfile });
  return outfile;
}

/** The event of the baseline: the item of an upload as JSON. */
function bareEvent(team: Team, body: string) {
  const signature = Buffer.from(`${performance.now()}`.padEnd(32)).toString('base64');
  const log = { ...JSON.parse(body), orderId: '590480926522704171' };
  const { uid, accessKey } = team;
  const { body: compressed, ...entry } = entryAt(Date.now(), log, { uid, accessKey, signature }, body);
  const { slot, arrival } = arrivalKeys(entry);
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    item: { ...entry, orderId: String(entry.orderId), slot },
    arrival: base64(arrival),
    body: base64(compressed),
  };
}

/** Measures cold starts in fresh processes, from the start of the process to the first accepted upload. */
export async function measureCold(): Promise<string[]> {
  const fixture = await world();
  const { CREDENTIALS_KEY_FILE: keyFile, ...tables } = fixture.environment;
  const kms = await startKmsStandIn(keyFile);
  const team = await fixture.team();
  const body = logOf(SIZES['1.5 KB']);
  const upload = () => ({
    ...eventOf(signedUpload(team, { body })),
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  });
  const fresh = (file: string, event: () => unknown, more?: Record<string, string>) => () =>
    runFresh(file, event(), { ...tables, ...kms.environment, ...more });
  const bare = () => bareEvent(team, body);
  const shipped = bundleUpload(folder());
  const candidates = {
    bare: { what: 'the same calls, bare', run: fresh(bundle(BARE, folder()), bare) },
    cjs: { what: 'the function, CommonJS', run: fresh(bundleUpload(folder()), upload) },
    esm: { what: 'the function, ES module', run: fresh(bundleAsModule(), upload) },
    cached: {
      what: 'the function, with a compile cache',
      run: fresh(shipped, upload, { NODE_COMPILE_CACHE: folder() }),
    },
  };
  type Name = keyof typeof candidates;
  const names = Object.keys(candidates) as Name[];
  const starts = Object.fromEntries(names.map((name) => [name, [] as ColdStart[]])) as Record<Name, ColdStart[]>;
  const once = (name: Name) => async () => {
    const start = await candidates[name].run();
    starts[name].push(start);
    return start.accepted;
  };
  // The first round fills the compile cache and the file cache.
  const turns = { bare: once('bare'), cjs: once('cjs'), esm: once('esm'), cached: once('cached') };
  await sideBySide(1, turns);
  for (const name of names) starts[name].length = 0;
  await sideBySide(ROUNDS, turns);
  await kms.stop();

  const of = (name: Name, figure: keyof ColdStart) => starts[name].map((start) => start[figure]);
  const ratio = (name: Name, figure: keyof ColdStart) =>
    (median(of(name, figure)) / median(of('bare', figure))).toFixed(2);
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  return [
    `### Cold start, ${ROUNDS} fresh processes each, alternately`,
    '',
    ...headOf('| | import | accepted, median | ratio | accepted, p95 | CPU, median | ratio |'),
    ...names.map((name) =>
      [
        `| ${candidates[name].what}`,
        ms(median(of(name, 'imported'))),
        ms(median(of(name, 'accepted'))),
        ratio(name, 'accepted'),
        ms(quantile(of(name, 'accepted'), 0.95)),
        ms(median(of(name, 'cpu'))),
        `${ratio(name, 'cpu')} |`,
      ].join(' | '),
    ),
  ];
}
