import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { createHandler } from '../../functions/upload/handler.ts';
import { bundleUpload } from '../../infra/build/bundle.ts';
import { eventOf, signedUpload, world } from '../setup/world.ts';
import { runFresh } from './cold.ts';
import { logOf, measureUploads, prepareUpload, SIZES } from './handler.ts';
import { headOf, median, sideBySide } from './measure.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COLD_ROUNDS = 41;

/** What takes the place of the signer of receipts, to show what receipts cost. */
const NO_RECEIPTS =
  "export const createReceiptSigner = () => ({ preload() {}, prepare() {}, issue: async () => '' });\n";

/**
 * Builds the bundle of a git revision, with its own sources. Its packages are those that are installed, or its own if
 * its lockfile names others. @param receipts false: the function signs none @returns its path
 */
async function bundleOf(revision: string, receipts: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ailog-revision-'));
  const sources = join(folder, 'sources');
  mkdirSync(sources);
  const paths = ['functions', 'infra', 'package.json', 'package-lock.json'];
  const archive = execFileSync('git', ['archive', revision, ...paths], { cwd: ROOT, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', sources], { input: archive });
  if (!receipts) writeFileSync(join(sources, 'functions/receipts/receiptSigner.ts'), NO_RECEIPTS);
  const lockfile = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lockfile(sources) === lockfile(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
  else execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: sources, shell: process.platform === 'win32' });
  const { bundleUpload: build } = await import(pathToFileURL(join(sources, 'infra/build/bundle.ts')).href);
  return build(join(folder, 'bundle'));
}

/**
 * Compares the bundle with that of the git revision in BENCH_REVISION, by default the last commit: cold, warm and size.
 * With BENCH_RECEIPTS=off, that of the revision signs no receipts.
 */
export async function compareRevision(): Promise<string[]> {
  const { BENCH_REVISION: revision = 'HEAD', BENCH_RECEIPTS: receipts } = process.env;
  const fixture = await world();
  const team = await fixture.team();
  const bundles = {
    before: await bundleOf(revision, receipts !== 'off'),
    now: bundleUpload(mkdtempSync(join(tmpdir(), 'ailog-bundle-'))),
  };
  const cold = (bundle: string) => async () => {
    const event = eventOf(signedUpload(team, { body: logOf(SIZES['1.5 KB']) }));
    return (await runFresh(bundle, event, fixture.environment)).accepted;
  };
  const coldTimes = await sideBySide(COLD_ROUNDS, { before: cold(bundles.before), now: cold(bundles.now) });

  Object.assign(process.env, fixture.environment);
  // Each bundle has a team of its own, so that it never receives an entry that the other has stored.
  const warm = async (bundle: string) => {
    const { handler } = createRequire(bundle)(bundle) as { handler: ReturnType<typeof createHandler> };
    return prepareUpload(handler, await fixture.team(), logOf(SIZES['10 KB']));
  };
  const { before, now } = await measureUploads({ before: await warm(bundles.before), now: await warm(bundles.now) });
  const row = (name: string, before: readonly number[], now: readonly number[]) =>
    `| ${name} | ${median(before).toFixed(2)} ms | ${median(now).toFixed(2)} ms | ${(median(now) / median(before)).toFixed(3)} |`;
  const size = (bundle: string) => statSync(bundle).size / 1024;
  return [
    `### The bundle compared with that of ${revision}${receipts === 'off' ? ', without receipts' : ''}`,
    '',
    ...headOf('| | before | now | ratio |'),
    row(`first upload accepted, median of ${COLD_ROUNDS} fresh processes`, coldTimes.before, coldTimes.now),
    row(`warm upload of 10 KB, median of ${now.time.length}`, before.time, now.time),
    row('the same, CPU', before.cpu, now.cpu),
    `| size | ${size(bundles.before).toFixed(0)} KiB | ${size(bundles.now).toFixed(0)} KiB | ${(size(bundles.now) / size(bundles.before)).toFixed(3)} |`,
  ];
}
