import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { BUILD_OPTIONS, bundleUpload, UPLOAD_SOURCES } from '../../infra/build/bundle.ts';
import { openFixture } from '../setup/fixture.ts';
import { eventOf } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';
import { logOf, SIZES } from './handler.ts';
import { bareClient } from './imports.ts';
import { median, sideBySide } from './measure.ts';

const ROUNDS = 21;

/** Script of a fresh process: imports a file, then calls its handler if it has one. Prints both times in milliseconds. */
const CHILD = `
  const { EVENT, FILE } = process.env;
  const start = performance.now();
  import(FILE).then(async ({ handler }) => {
    const imported = performance.now();
    const answer = handler && await handler(JSON.parse(EVENT), {});
    const done = performance.now();
    if (answer && answer.statusCode !== 200) throw new Error(answer.body);
    console.log(JSON.stringify({ imported: imported - start, done: done - start }));
    process.exit(0);
  });`;

/** Imports a file in a fresh process and has its handler, if it has one, answer an event. @returns both times in milliseconds */
export function runFresh(
  file: string,
  event: unknown,
  environment: Record<string, string>,
): { imported: number; done: number } {
  const quiet = { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' };
  const env = { ...quiet, ...environment, EVENT: JSON.stringify(event), FILE: file };
  return JSON.parse(execFileSync(process.execPath, ['-e', CHILD], { env, encoding: 'utf8' }));
}

const folder = () => mkdtempSync(join(tmpdir(), 'ailog-bench-'));

/** The share of each package in the bundle, the largest first. */
function sharesOfBundle(): string[] {
  const { metafile } = buildSync({
    ...BUILD_OPTIONS,
    ...UPLOAD_SOURCES,
    format: 'cjs',
    outdir: folder(),
    write: false,
    metafile: true,
  });
  const shares = new Map<string, number>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const [, name = 'the function itself'] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
      shares.set(name, (shares.get(name) ?? 0) + bytesInOutput);
    }
  }
  const all = [...shares.values()].reduce((sum, bytes) => sum + bytes, 0);
  return [...shares]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 12)
    .map(([name, bytes]) => `| ${name} | ${(bytes / 1024).toFixed(1)} KiB | ${Math.round((100 * bytes) / all)} % |`);
}

/** Measures cold starts in fresh processes, from the import to the first accepted upload. */
export async function measureCold(): Promise<string[]> {
  const fixture = await openFixture();
  const team = await fixture.team();
  const body = logOf(SIZES['1.5 KB']);
  const nothing = join(folder(), 'index.cjs');
  writeFileSync(nothing, 'module.exports = {};');
  const cache = folder();
  const fresh = (file: string, more?: Record<string, string>) => () =>
    runFresh(file, eventOf(signedUpload(team, { body })), { ...fixture.environment, ...more });
  const shipped = bundleUpload(folder(), { format: 'cjs' });
  const files = {
    nothing: { what: 'an empty module', run: fresh(nothing) },
    bare: { what: 'the bare DynamoDB client', run: fresh(bareClient(folder())) },
    cjs: { what: 'the function, CommonJS (ships)', run: fresh(shipped) },
    cached: { what: 'the same, with a compile cache', run: fresh(shipped, { NODE_COMPILE_CACHE: cache }) },
    esm: { what: 'the function, ES module', run: fresh(bundleUpload(folder(), { format: 'esm' })) },
  };
  type Name = keyof typeof files;
  const imported = Object.fromEntries(Object.keys(files).map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  const once = (name: Name) => () => {
    const times = files[name].run();
    imported[name].push(times.imported);
    return times.done;
  };
  const done = await sideBySide(ROUNDS, {
    nothing: once('nothing'),
    bare: once('bare'),
    cjs: once('cjs'),
    cached: once('cached'),
    esm: once('esm'),
  });
  const base = median(imported.bare);
  return [
    `### Cold start, median of ${ROUNDS} fresh processes`,
    '',
    '| | import | ratio | first upload accepted after |',
    '|---|---|---|---|',
    ...(Object.keys(files) as Name[]).map((name) => {
      const time = median(imported[name]);
      const accepted = name === 'nothing' || name === 'bare' ? '–' : `${median(done[name]).toFixed(1)} ms`;
      return `| ${files[name].what} | ${time.toFixed(1)} ms | ${(time / base).toFixed(2)} | ${accepted} |`;
    }),
    '',
    '### Contents of the bundle',
    '',
    '| package | minified | share |',
    '|---|---|---|',
    ...sharesOfBundle(),
  ];
}
