import { formatPlaces, noPlaces, openPlaces, type Places, type Status } from '../../proof/log/rowPlace.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import type { AnyEngine } from '../../store/duckdb/duckdb.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { Target } from '../../store/targets/target.ts';
import { placesOf } from '../rows/compareRows.ts';

/** The logs of a period whose leaf is not known: they are few, and have to be looked up. */
const UNKNOWN_LOGS = `
  SELECT entries.uid, entries.entry_id, min(entries.received_at) AS received_at, min(leaf) AS leaf
  FROM entries JOIN logs ON logs.uid = entries.uid AND logs.entry_id = entries.entry_id
  WHERE counts AND leaf NOT IN (SELECT leaf FROM leaves)
  GROUP BY entries.uid, entries.entry_id`;

/**
 * Counts the logs of each team by their place in the transparency log; undefined if it was not read.
 * @param engine has the tables of a review, and `leaves` of the log
 */
export async function countPlaces(terminal: Surroundings, target: Target, engine: AnyEngine) {
  const locate = await openPlaces(terminal, target);
  if (!locate) return undefined;
  const byTeam = new Map<string, Places>();
  const placesIn = (uid: string): Readonly<Places> => byTeam.get(uid) ?? noPlaces();
  const add = (uid: string, status: Status, logs: number) => {
    const places = placesIn(uid);
    byTeam.set(uid, { ...places, [status]: places[status] + logs });
  };
  // Each counts as logged unless it is looked up.
  const totals = engine.read<{ uid: string; logs: number }>(
    'SELECT uid, count(*) AS logs FROM logs WHERE counts GROUP BY uid',
  );
  for await (const { uid, logs } of totals) add(uid, 'logged', logs);
  const reader = entriesReader(target);
  for await (const { uid, place } of placesOf(engine, UNKNOWN_LOGS, locate, reader)) {
    if (!place) return undefined;
    add(uid, 'logged', -1);
    add(uid, place.status, 1);
  }
  return {
    of: placesIn,

    note(uids: readonly string[]): string {
      const total = noPlaces();
      const contradicted: string[] = [];
      for (const uid of uids) {
        const places = placesIn(uid);
        for (const status of Object.keys(total) as Status[]) total[status] += places[status];
        if (places.differs + places.missing > 0) contradicted.push(uid);
      }
      const named = contradicted.map((uid) => ` --uid ${uid}`).join('');
      return `${formatPlaces(total)}${named === '' ? '' : ` See ailog logs verify${named}.`}`;
    },
  };
}
