import { closeSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { nameSome } from '../../shell/text/numbers.ts';
import { formatTime } from '../../shell/text/time.ts';
import { byUid } from '../../shell/text/uid.ts';
import { type AnyEngine, countOf, type Engine, quoted, rowsOf } from '../../store/duckdb/duckdb.ts';
import { allowlistEditor } from '../../store/tables/allowlistEditor.ts';
import type { Target } from '../../store/targets/target.ts';
import { checkUids } from '../orders/checkLines.ts';
import { explainOrders } from '../orders/explainOrders.ts';
import { DAY_MS, daysOf, noteOutside, type Period, readLists } from '../orders/importOrders.ts';
import type { OrderFile } from '../orders/order.ts';
import { findZone, textOfName } from '../orders/orderZones.ts';
import type { OrderList } from '../orders/readOrders.ts';
import { findLeaders } from '../rows/near.ts';
import { type Manifest, type Problem, type RowStore, sha256Of } from '../rows/rowStore.ts';
import { derive, digestOf } from './derivedFiles.ts';
import { runJob } from './figuresJob.ts';
import { type AllowedTeam, makeFigures, type ReviewLimits } from './makeFigures.ts';
import { readContested, readTeams } from './reviewTeams.ts';

/** The rows of all teams, as the table `entries` of an engine. */
export interface ReviewedRows {
  readonly engine: AnyEngine;
  /** The entries without a row, or with a row that differs from the table. */
  readonly problems: readonly Pick<Problem, 'uid' | 'entryId' | 'hasRow'>[];
  readonly stored?: Readonly<{ store: RowStore; manifest: Manifest }>;
}

/** By default, the period is the days of the orders; without orders, of the logs. */
export interface ReviewOptions extends ReviewLimits {
  /** Only these teams are reported; undefined: all. A copy of theirs may have its original with another team. */
  readonly uids?: readonly string[] | undefined;
  readonly lists?: readonly OrderFile[] | undefined;
  readonly zone?: string | undefined;
}

export type Review = Awaited<ReturnType<typeof openReview>>;

/** Returns what decides about the orders in a file. @throws Failure if it is not a file */
async function describe({ path, uid, name = basename(path) }: OrderFile) {
  closeSync(openRegularFile(path));
  return [await sha256Of(path), findZone([{ text: textOfName(name), from: '' }]), uid];
}

function rowsDigest({ rowVersion, source, files }: Manifest): string {
  const digests = files.filter(({ name }) => /^(entries|near)\//.test(name)).map(({ sha256 }) => sha256);
  return digestOf([rowVersion, source, digests]);
}

/** Returns what reviews show of the allowlist as it is now, by UID. */
export async function readAllowlist(target: Target) {
  const all = allowlistEditor(target).all();
  return (await Array.fromAsync(all, ({ uid, team, status }) => ({ uid, team, status }))).sort(byUid);
}

async function attach(engine: Engine, path: string): Promise<void> {
  const { run } = engine;
  await run(`ATTACH ${quoted(path)} AS kept (READ_ONLY)`);
  const names = "SELECT table_name AS name FROM duckdb_tables() WHERE database_name = 'kept'";
  for (const { name } of await rowsOf<{ name: string }>(engine, names))
    await run(`CREATE VIEW ${name} AS SELECT * FROM kept.${name}`);
}

/**
 * Reads order lists into the table `orders` or, if the rows are stored, a file that is kept. @param lists absolute
 * paths
 * @returns how each was read; what decides about the orders, and their file
 */
async function openOrders(
  terminal: Surroundings,
  { engine, stored }: ReviewedRows,
  lists: readonly OrderFile[],
  zone: string | undefined,
  work: typeof runJob,
) {
  if (lists.length === 0) return { read: [], of: [] };
  if (stored === undefined) return { read: await readLists(engine, lists, zone), of: [] };
  const { folder } = stored.store;
  const describeAll = async () => ['orders', zone ?? '', ...(await Promise.all(lists.map(describe)))];
  const of = await describeAll();
  const make = async (made: string) => {
    const read = await work({ folder, path: made, lists, zone });
    // Otherwise the orders of the new list would be kept as those of the old list.
    if (digestOf(await describeAll()) === digestOf(of)) return read;
    throw new Failure('usage', 'An order list was changed while it was read.', { advice: 'Run it again.' });
  };
  const { path, value } = await derive(folder, { from: of, rows: null }, make, terminal.note);
  return { read: value, of, path };
}

function noteProblems({ note }: Surroundings, problems: ReviewedRows['problems']): void {
  const changed = problems.filter(({ hasRow }) => hasRow === true).length;
  const damaged = problems.length - changed;
  if (damaged > 0) note(`Damaged entries, which are not reviewed: ${damaged}. ailog logs verify names them.`);
  const before = 'Entries that were changed in the table, and are reviewed as they were before';
  if (changed > 0) note(`${before}: ${changed}. ailog logs verify names them.`);
}

/** Returns the owners that are teams, and notes the orders of nobody. @throws Failure if UIDs of teams are rounded */
async function findOwners(
  terminal: Surroundings,
  engine: AnyEngine,
  lists: readonly OrderList[],
  allowed: readonly AllowedTeam[],
) {
  const known = new Set(allowed.map(({ uid }) => uid));
  const owners = lists.flatMap((list) => list.owners);
  if (owners.some(({ uid }) => !known.has(uid))) {
    for await (const { uid } of engine.read<{ uid: string }>('SELECT DISTINCT uid FROM entries')) known.add(uid);
  }
  const { own = [], others = [] } = Object.groupBy(owners, ({ uid }) => (known.has(uid) ? 'own' : 'others'));
  if (others.length > 0) {
    const orders = others.reduce((sum, owner) => sum + owner.orders, 0);
    const uids = [...new Set(others.map(({ uid }) => uid))];
    checkUids(uids, known);
    terminal.note(`Orders of UIDs that no team has, which are not reviewed: ${orders}. UIDs: ${nameSome(uids, 5)}.`);
  }
  return own;
}

/** Returns the first and the last time of an order of a team. @throws Failure without any */
function ownTimes(own: OrderList['owners']) {
  const firsts = own.flatMap(({ first }) => first ?? []);
  const lasts = own.flatMap(({ last }) => last ?? []);
  if (firsts.length === 0) {
    throw new Failure('usage', 'No order of the lists that needs a log is of a team.', {
      advice: 'Teams are those on the allowlist, and those with logs. ailog allowlist list shows them.',
    });
  }
  return { first: firsts.reduce((a, b) => Math.min(a, b)), last: lasts.reduce((a, b) => Math.max(a, b)) };
}

/** @throws Failure if logs and orders are all outside the period: every team would look as if it had none */
async function requireReviewed(engine: AnyEngine, hasOrders: boolean): Promise<void> {
  if ((await countOf(engine, '(SELECT n FROM logs WHERE counts UNION ALL SELECT order_id FROM timeline) AS found')) > 0)
    return;
  const moments = '(SELECT signed_at AS moment FROM entries UNION ALL SELECT placed_at FROM orders) AS moments';
  const query = `SELECT min(moment) AS first, max(moment) AS last FROM ${moments}`;
  const [{ first, last } = { first: null, last: null }] = await rowsOf<Record<'first' | 'last', number | null>>(
    engine,
    query,
  );
  if (first === null || last === null) return;
  const [none, what] = hasOrders ? [' and no order', 'logs and orders'] : ['', 'logs'];
  throw new Failure('negative', `There is no log${none} in the period.`, {
    advice: `The ${what} are from ${formatTime(first)} to ${formatTime(last)}: change --since and --until.`,
  });
}

/**
 * Opens the figures of all teams as tables of the engine. Figures on stored rows are kept for the next command.
 * @param work does what takes long
 * @throws Failure if an order list cannot be read, or a UID of `uids` is unknown
 */
export async function openReview(
  terminal: Surroundings,
  target: Target,
  rows: ReviewedRows,
  { uids, lists: files = [], zone, ...asked }: ReviewOptions,
  work = runJob,
) {
  const { engine, problems, stored } = rows;
  const hasOrders = files.length > 0;
  const lists = files.map((file) => ({ ...file, path: resolve(terminal.cwd(), file.path) }));
  const orders = await openOrders(terminal, rows, lists, zone, work);
  for (const [place, list] of orders.read.entries()) explainOrders(terminal, files[place]?.path ?? '', list);

  // Logs of other days, such as of a test, would make every team look silent.
  const isOpen = asked.since === undefined && asked.until === undefined;
  const entries = await readAllowlist(target);
  const allowed = entries.map(({ uid, status }) => ({ uid, isRemoved: status === 'removed' }));
  const own = hasOrders ? await findOwners(terminal, engine, orders.read, allowed) : [];
  const days = isOpen && hasOrders ? daysOf(ownTimes(own), await target.now()) : undefined;
  const { since = days?.from, until = days?.until } = asked;
  let limits = { ...asked, since, until };
  noteProblems(terminal, problems);

  if (!stored || !engine.isLocal) {
    await findLeaders(engine);
    await makeFigures(engine, limits, { allowed, hasOrders });
  } else {
    const { store, manifest } = stored;
    // A day that has not ended lasts until now: its figures are used again until a row is new, or it ends.
    const asDay = days && { until: Math.ceil(days.until / DAY_MS) * DAY_MS, hasEnded: days.until % DAY_MS === 0 };
    const from = ['figures', orders.of, { ...limits, ...asDay }, allowed];
    const make = async (path: string) => {
      await work({ folder: store.folder, path, manifest, allowed, orders: orders.path, limits });
      return until;
    };
    const made = () => derive(store.folder, { from, rows: rowsDigest(manifest) }, make, terminal.note);
    const { path, value } = await made();
    limits = { ...limits, until: value };
    await attach(engine, path).catch(async () => {
      // Another version of the engine made it, or a sync has just deleted it.
      rmSync(path, { force: true });
      await attach(engine, (await made()).path);
    });
  }
  if (!isOpen) await requireReviewed(engine, hasOrders);
  const teams = await readTeams(engine, uids, new Map(entries.map((entry) => [entry.uid, entry])));
  const periods = await rowsOf<Period>(engine, 'SELECT starts AS "from", ends AS until FROM period');
  const [period = { from: 0, until: 0 }] = periods;
  if (hasOrders) await noteOutside(terminal, engine, period);
  const contested = await readContested(engine);
  return { limits, days, hasOrders, period, allowlist: entries, teams, contested };
}
