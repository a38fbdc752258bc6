import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { readAllowlist } from '../../review/figures/openReview.ts';
import { countRows, type Manifest, openStore } from '../../review/rows/rowStore.ts';
import { Failure, failureOf } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import type { Target } from '../../store/targets/target.ts';
import { type Figures, type NamedOrders, openView, type View, type ViewOptions } from './openView.ts';
import { runAilog } from './processes.ts';

/** The least pause between two syncs, between two looks at one, and between two looks for the first view. */
const SYNC_PAUSE_MS = 60_000;
const LOOK_MS = 1000;
const WAIT_MS = 50;

/** At most one part in so many of the time goes into new views, however many rows there are. */
const VIEW_SHARE = 10;

type SyncState = Readonly<{ doing: 'reading' | 'waiting' | 'off'; rows: number }> & {
  /** When the last sync without a problem began, in milliseconds since 1970. */
  readonly readAt?: number | undefined;
  readonly problem?: Pick<Failure, 'message' | 'advice'> | undefined;
};

/** A view that is in use. It is closed when a newer one has taken its place, and nobody reads it any more. */
interface Used {
  readonly view: View;
  figures?: Figures;
  users: number;
  retired: boolean;
}

/** Returns the order lists to use from the lists in use after all earlier changes. */
type ChangeOrders = (before: readonly NamedOrders[]) => readonly NamedOrders[];

export type Views = ReturnType<typeof createViews>;

/** Makes views of the rows on this machine. @param syncArguments of the `ailog` that reads new entries, if any does */
export function createViews(
  terminal: Terminal,
  target: Target,
  options: ViewOptions,
  { orders: first, syncArguments }: { orders: readonly NamedOrders[]; syncArguments: readonly string[] | undefined },
) {
  const store = openStore(target);
  // If this process is killed, the next sync deletes it.
  const own = join(store.folder, 'temporary', String(process.pid));
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(own, 'console-'));
  const noRows = `There are no rows of ${target.name} on this machine.`;
  const purged = () =>
    new Failure('usage', noRows, { advice: 'They were deleted while the console was open. Read new logs, or end it.' });
  let orders = first;
  let sync: SyncState = { doing: syncArguments ? 'reading' : 'off', rows: 0 };
  let failure: Failure | undefined;
  let made = 0;
  let isMaking = false;
  let stopped = false;
  let current: Used | undefined;
  let stamps = '';

  const readManifest = (): Manifest | undefined => [store.read()].find((one) => one !== 'damaged');
  const isPurged = () => current !== undefined && readManifest() === undefined;
  const retire = (one: Used | undefined) => {
    if (!one) return;
    one.retired = true;
    if (one.users === 0) void one.view.close();
  };
  const using = async <Result>(used: Used, work: () => Promise<Result>): Promise<Result> => {
    used.users += 1;
    try {
      return await work();
    } finally {
      used.users -= 1;
      if (used.retired) retire(used);
    }
  };

  /** Makes a view, and gives it to the requests that come from now on. Views are made one after another. */
  let last: Promise<unknown> = Promise.resolve();
  const renew = (change: ChangeOrders = (before) => before): Promise<void> => {
    const next = last.then(async () => {
      const manifest = readManifest();
      const wanted = change(orders);
      if (manifest === undefined && current) throw new Failure('usage', noRows);
      // The first view will have the lists.
      if (manifest === undefined) orders = wanted;
      if (stopped || manifest === undefined) return;
      const found = stampsOf(wanted);
      isMaking = true;
      const before = current;
      let used: Used | undefined;
      try {
        made += 1;
        const view = await openView(terminal, target, { number: made, manifest, orders: wanted, folder }, options);
        const fresh: Used = { view, users: 0, retired: false };
        used = fresh;
        // The first one can be searched while its figures are made, and if they cannot be made.
        current ??= fresh;
        fresh.figures = await using(fresh, () => view.figures);
        [current, orders, stamps, failure] = [fresh, wanted, found, undefined];
        if (before !== fresh) retire(before);
      } catch (error) {
        if (current !== used) retire(used);
        throw error;
      } finally {
        isMaking = false;
      }
    });
    last = next.catch(() => {});
    return next;
  };
  const renewOrSay = () =>
    renew().catch((error) => {
      failure = failureOf(error);
    });

  const syncOnce = async (args: readonly string[]): Promise<void> => {
    const began = Date.now();
    sync = { ...sync, doing: 'reading' };
    const running = runAilog(terminal, args);
    const look = async () => {
      const ended = await Promise.race([running, sleep(LOOK_MS, undefined)]);
      const manifest = readManifest();
      sync = { ...sync, rows: manifest ? countRows(manifest) : 0 };
      return ended;
    };
    let ended = await look();
    for (; !ended; ended = await look()) {
      // While many come, the page shows them when they are twice as many.
      if (sync.rows > 0 && sync.rows >= 2 * (current?.view.rows ?? 0) && !isMaking) void renewOrSay();
    }
    const [message = 'The sync ended.', advice] = ended.said.split('\n').slice(-2);
    const { rows, readAt } = sync;
    // Exit code 1: there are damaged entries, which the report counts.
    const isDone = ended.code === 0 || ended.code === 1;
    sync = { doing: 'waiting', rows, ...(isDone ? { readAt: began } : { readAt, problem: { message, advice } }) };
  };

  const hasChanged = async (manifest: Manifest): Promise<boolean> => {
    if (filesOf(manifest) !== filesOf(current?.view.manifest) || stampsOf(orders) !== stamps) return true;
    const known = current?.figures?.allowlist;
    return known !== undefined && !isDeepStrictEqual(known, await readAllowlist(target).catch(() => known));
  };

  /** Resolved with true if somebody wants the rows that were deleted again. */
  let asked = Promise.withResolvers<boolean>();
  /** Keeps to the rows: they may be read by another process too. */
  const follow = async (): Promise<void> => {
    if (readManifest() !== undefined) await renewOrSay();
    for (let isWanted = true; !stopped; ) {
      // Another sync follows a request from here on, which may need more than this sync reads.
      asked = Promise.withResolvers();
      if (syncArguments && (isWanted || !isPurged())) await syncOnce(syncArguments);
      await last;
      const manifest = readManifest();
      const began = performance.now();
      if (manifest && (await hasChanged(manifest))) await renewOrSay();
      const pause = Math.max(SYNC_PAUSE_MS, VIEW_SHARE * (performance.now() - began));
      isWanted = await Promise.race([asked.promise, sleep(pause, false, { ref: false })]);
    }
  };

  /** Runs the work that the newest view is ready for, as soon as there is some. @throws Failure why there is none */
  const useWhen = async <Result>(workOn: (one: Used) => (() => Promise<Result>) | undefined): Promise<Result> => {
    for (;;) {
      const work = current && workOn(current);
      if (current && work) return using(current, work);
      if (stopped) throw new Failure('usage', 'The console has ended.');
      if (failure) throw failure;
      if (readManifest() === undefined && (sync.problem || sync.doing === 'off')) {
        const { message = noRows, advice } = sync.problem ?? {};
        throw new Failure('usage', message, { advice: advice ?? 'Start ailog console without --no-sync.' });
      }
      await sleep(WAIT_MS);
    }
  };

  return {
    folder,
    follow,

    /** Looks for changes now, or as soon as the sync that is under way has ended. @param rows read also deleted rows */
    syncNow: (rows: boolean) => asked.resolve(rows),

    /** Changes the order lists. @throws Failure if a list cannot be read; then all stays as it was */
    setOrders: (change: ChangeOrders) => renew(change),

    /** Runs work on the newest figures, which stay open until it ends. Waits for the first ones. @throws Failure */
    use: <Result>(work: (figures: Figures) => Promise<Result>): Promise<Result> =>
      useWhen(({ figures }) => figures && (() => work(figures))),

    useRows: <Result>(work: (view: View) => Promise<Result>): Promise<Result> =>
      useWhen(({ view }) => async () => {
        if (isPurged()) throw purged();
        return work(view);
      }),

    figures: (): Figures | undefined => current?.figures,

    state: () => ({
      /** From 1 on; 0: there are no figures yet. */
      view: current?.figures?.number ?? 0,
      isMaking,
      sync,
      problem: shownProblem(isPurged() && sync.doing !== 'reading' ? purged() : failure),
      notes: current?.figures?.notes ?? [],
      orders: orders.map(({ name, uid }) => ({ name, uid })),
    }),

    /** Deletes all files. What still reads fails. */
    stop(): void {
      stopped = true;
      asked.resolve(false);
      retire(current);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const shownProblem = (failure: Failure | undefined) => failure && { message: failure.message, advice: failure.advice };

const stampsOf = (lists: readonly NamedOrders[]): string =>
  lists
    .map(({ path }) => statSync(path, { throwIfNoEntry: false }))
    .map((stat) => `${stat?.mtimeMs} ${stat?.size}`)
    .join();

const filesOf = (manifest: Manifest | undefined): string => (manifest?.files ?? []).map(({ name }) => name).join();
