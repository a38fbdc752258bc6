import { hash } from 'node:crypto';
import { closeSync, readFileSync, rmSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { byUid } from '../../shell/text/uid.ts';
import { type Engine, quoted } from '../../store/duckdb/duckdb.ts';
import { allowlistEditor } from '../../store/tables/allowlistEditor.ts';
import type { Target } from '../../store/targets/target.ts';
import { explainOrders, noteOutside, type OrderFile, readLists } from '../orders/importOrders.ts';
import { daysOf, type Period } from '../orders/period.ts';
import { findLeaders } from '../rows/near.ts';
import type { Manifest, Problem, RowStore } from '../rows/rowStore.ts';
import { storedLeaders } from '../rows/rowTables.ts';
import { derive, digestOf } from './derivedFiles.ts';
import { runJob } from './figuresJob.ts';
import { makeFigures, type ReviewLimits, readContested, readTeams } from './reviewTeams.ts';

/** The competition's time limit from an order to its log, in milliseconds. */
export const WITHIN_MS = 60_000;

/** The rows of all teams, as the table `entries` of an engine. */
export interface ReviewedRows {
  readonly engine: Engine;
  /** The entries that have no row, or another one than the table says. */
  readonly problems: readonly Pick<Problem, 'uid' | 'entryId' | 'hasRow'>[];
  /**
   * True if there is a table `leaves` too, the leaves of the transparency log. Undefined: the logs are too many to look
   * up each.
   */
  readonly hasLeaves: boolean | undefined;
  /** Where the rows are, and figures are kept. Undefined: nothing is kept. */
  readonly stored?: { readonly store: RowStore; readonly manifest: Manifest };
}

/**
 * What a review is about. By default, the period is the days of the orders; without orders, that of any log. Figures of
 * one team, `ownUid`, are not kept.
 */
export interface ReviewOptions extends Omit<ReviewLimits, 'tolerance'> {
  /** Only these teams are reported; undefined: all. A copy of theirs may have its original with another team. */
  readonly uids?: readonly string[] | undefined;
  readonly lists?: readonly OrderFile[] | undefined;
  /** The offset from UTC of order times without one. */
  readonly zone?: string | undefined;
}

/** A review of all teams. */
export type Review = Awaited<ReturnType<typeof openReview>>;

/** Returns what decides about the orders in a file. @throws Failure if it is not a file */
function describe({ path, uid }: OrderFile) {
  const file = openRegularFile(path);
  try {
    return [hash('sha256', readFileSync(file)), extname(path).toLowerCase(), uid];
  } finally {
    closeSync(file);
  }
}

/** Returns a digest of the rows on which figures depend. */
const rowsDigest = ({ rowVersion, source, files }: Manifest): string =>
  digestOf([
    rowVersion,
    source,
    files.filter(({ name }) => /^(entries|near)\//.test(name)).map(({ sha256 }) => sha256),
  ]);

/** Returns what reviews show of the allowlist as it is now, by UID. */
export const readAllowlist = async (target: Target) =>
  (await Array.fromAsync(allowlistEditor(target).all(), ({ uid, team, status }) => ({ uid, team, status }))).sort(
    byUid,
  );

/** Makes the kept figures the tables of an engine. */
async function attach({ run, read }: Engine, path: string): Promise<void> {
  await run(`ATTACH ${quoted(path)} AS kept (READ_ONLY)`);
  const names = read<{ name: string }>("SELECT table_name AS name FROM duckdb_tables() WHERE database_name = 'kept'");
  for (const { name } of await Array.fromAsync(names)) await run(`CREATE VIEW ${name} AS SELECT * FROM kept.${name}`);
}

/**
 * Opens the figures of every team that is on the allowlist, has entries or has orders, as tables of the engine. Figures
 * on stored rows are made once, and kept for the next command.
 * @param work does what takes long
 * @throws Failure if an order list cannot be read, or a UID of `uids` is unknown
 */
export async function openReview(
  terminal: Terminal,
  target: Target,
  { engine, problems, stored }: ReviewedRows,
  { uids, lists: files = [], zone, ...asked }: ReviewOptions,
  work: typeof runJob = runJob,
) {
  const lists = files.map((file) => ({ ...file, path: resolve(terminal.cwd(), file.path) }));
  const hasOrders = lists.length > 0;
  const folder = asked.ownUid === undefined ? stored?.store.folder : undefined;
  const describeAll = () => ['orders', zone ?? '', ...lists.map(describe)];
  const ofOrders = folder === undefined ? [] : describeAll();
  const orders =
    folder === undefined || !hasOrders
      ? undefined
      : await derive(folder, { from: ofOrders, rows: null }, async (path) => {
          const read = await work({ folder, path, lists, zone });
          // Otherwise its orders would be kept as those of what the list was before.
          if (digestOf(describeAll()) === digestOf(ofOrders)) return read;
          throw new Failure('usage', 'An order list was changed while it was read.', { advice: 'Run it again.' });
        });
  const read = orders?.value ?? (hasOrders ? await readLists(engine, lists, zone) : []);
  for (const [place, list] of read.entries()) explainOrders(terminal, files[place]?.path ?? '', list);

  // Logs of other days, such as those of a test, would make every team look silent.
  const isOpen = asked.since === undefined && asked.until === undefined;
  const times = read.flatMap((list) => list.times ?? []);
  const [first, last] = [Math.min(...times.map(({ first }) => first)), Math.max(...times.map(({ last }) => last))];
  const days = isOpen && hasOrders ? daysOf({ first, last }, await target.now()) : undefined;
  const { since = days?.from, until = days?.until } = asked;
  const limits = { tolerance: CLOCK_TOLERANCE_MS, ...asked, since, until };
  const changed = problems.filter(({ hasRow }) => hasRow === true).length;
  const damaged = problems.length - changed;
  if (damaged > 0) terminal.note(`Damaged entries, which are not reviewed: ${damaged}. ailog logs verify names them.`);
  if (changed > 0)
    terminal.note(
      `Entries that were changed in the table, and are reviewed as they were before: ${changed}. ailog logs verify names them.`,
    );
  const entries = await readAllowlist(target);
  const allowlist = new Map(entries.map((entry) => [entry.uid, entry]));
  const listed = entries.filter(({ status }) => status !== 'removed').map(({ uid }) => uid);

  if (folder === undefined || stored === undefined) {
    await findLeaders(engine, stored && storedLeaders(stored.store, stored.manifest));
    await makeFigures(engine, limits, { listed, hasOrders });
  } else {
    const { manifest } = stored;
    const made = () =>
      derive(folder, { from: ['figures', ofOrders, limits, listed], rows: rowsDigest(manifest) }, (path) =>
        work({ folder, path, manifest, listed, orders: orders?.path, limits }),
      );
    const { path } = await made();
    await attach(engine, path).catch(async () => {
      // Another version of the engine made it, or a sync has just deleted it.
      rmSync(path, { force: true });
      await attach(engine, (await made()).path);
    });
  }
  const known = new Set(allowlist.keys());
  for await (const { uid } of engine.read<{ uid: string }>('SELECT uid FROM teams')) known.add(uid);
  const strangers = uids?.filter((uid) => !known.has(uid)) ?? [];
  if (strangers.length > 0) {
    throw new Failure('negative', `Unknown: UID ${strangers.join(', ')}.`, {
      advice: 'It is not on the allowlist, and it has no entries and no orders. ailog allowlist list shows the teams.',
    });
  }
  const [period = { from: 0, until: 0 }] = await Array.fromAsync(
    engine.read<Period>('SELECT starts AS "from", ends AS until FROM period'),
  );
  if (hasOrders) await noteOutside(terminal, engine, period);
  return {
    ...{ limits, days, hasOrders, period, allowlist: entries },
    teams: await readTeams(engine, { wanted: uids, allowlist, hasOrders }),
    contested: await readContested(engine),
  };
}
