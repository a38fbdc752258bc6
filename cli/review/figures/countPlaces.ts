import { formatPlaces, noPlaces, type Places } from '../../proof/inclusion/explainLocation.ts';
import { openLocator, rowKeysOf } from '../../proof/inclusion/locateEntry.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import type { AnyEngine } from '../../store/duckdb/duckdb.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { Target } from '../../store/targets/target.ts';

/** A log of the period, and its leaf when its row was made. */
type LoggedRow = Readonly<Record<'uid' | 'entry_id', string>> & {
  readonly received_at: number;
  readonly leaf: Uint8Array;
};

/** The maximum number of entries that are read again, so that a report before the first backfill does not read all. */
const READ_AGAIN = 1000;

/**
 * Counts the logs of each team by their place in the transparency log. An entry whose leaf the log does not have is
 * read again from the table: only the entry tells whether it was changed.
 * @param hasLeaves true if the table `leaves` has leaves of the log, so that few have to be looked up; undefined: none
 * is to be looked up
 * @returns undefined if the transparency log was not read
 */
export async function countPlaces(
  terminal: Terminal,
  target: Target,
  { engine: { read }, hasLeaves }: { engine: Pick<AnyEngine, 'read'>; hasLeaves: boolean | undefined },
) {
  const opened = hasLeaves === undefined ? undefined : await openLocator(terminal, target);
  if (!opened) return undefined;
  const reader = entriesReader(target.db, target.tables.aiLogs);
  const byTeam = new Map<string, Places>();
  let again = READ_AGAIN;
  const counted = `SELECT entries.uid, entries.entry_id, min(entries.received_at) AS received_at, min(leaf) AS leaf
    FROM entries JOIN logs ON logs.uid = entries.uid AND logs.entry_id = entries.entry_id
    WHERE counts GROUP BY entries.uid, entries.entry_id`;
  const logged = hasLeaves ? 'leaf IN (SELECT leaf FROM leaves)' : 'FALSE';
  const totals = read<{ uid: string; logs: number }>(
    `SELECT uid, count(*) AS logs FROM (${counted}) WHERE ${logged} GROUP BY uid`,
  );
  for await (const { uid, logs } of totals) byTeam.set(uid, { ...noPlaces(), logged: logs });
  const rows = read<LoggedRow>(`SELECT * FROM (${counted}) WHERE NOT (${logged})`);
  for await (const { uid, entry_id, received_at: receivedAt, leaf } of rows) {
    const keys = { entryHash: Buffer.from(leaf), arrival: undefined, isIndexed: true, receivedAt };
    let location = await opened.locate(keys);
    if (location && location.status !== 'logged' && again > 0) {
      again -= 1;
      const entry = await reader.get({ uid, entryId: entry_id });
      if (entry) location = await opened.locate(rowKeysOf(entry));
    }
    if (!location) return undefined;
    const places = byTeam.get(uid) ?? noPlaces();
    places[location.status] += 1;
    byTeam.set(uid, places);
  }
  return {
    of: (uid: string): Readonly<Places> => byTeam.get(uid) ?? noPlaces(),

    /** Says how many logs of these teams are in the log, and names the teams with logs that it contradicts. */
    note(uids: readonly string[]): string {
      const total = noPlaces();
      const contradicted: string[] = [];
      for (const uid of uids) {
        const places = byTeam.get(uid) ?? noPlaces();
        for (const status of Object.keys(total) as (keyof Places)[]) total[status] += places[status];
        if (places.differs + places.missing > 0) contradicted.push(uid);
      }
      const named = contradicted.map((uid) => ` --uid ${uid}`).join('');
      return `${formatPlaces(total)}${named === '' ? '' : ` See ailog logs verify${named}.`}`;
    },
  };
}
