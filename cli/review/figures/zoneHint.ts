import type { Block } from '../../shell/terminal/defineCommand.ts';
import { type AnyEngine, rowsOf } from '../../store/duckdb/duckdb.ts';
import { figuresQuery } from './makeFigures.ts';
import type { TeamReport } from './reviewTeams.ts';

const HOUR_SECONDS = 3600;

/** The delay from a whole number of hours up to which an order list looks as if it was read in a wrong time zone. */
const NEAR_HOUR_SECONDS = 300;

/** The hours by which the logs of a team come after its orders, as they look. 0: they do not look so. */
export type Shifts = ReadonlyMap<string, number>;

/** Finds the hours after which most orders have a log, of teams none of whose logs names an order. */
export async function findShifts(engine: AnyEngine): Promise<Shifts> {
  type Moved = { uid: string } & Record<'hours' | 'found' | 'orders', number>;
  const rows = await rowsOf<Moved>(engine, figuresQuery('shifts'));
  const shifts = new Map<string, number>();
  for (const [uid, moves] of Map.groupBy(rows, (row) => row.uid)) {
    const [best, next] = moves.sort((one, other) => other.found - one.found);
    // Logs at each full hour fit all shifts.
    const isClear = best && best.found * 2 >= best.orders && best.found >= 2 * (next?.found ?? 0);
    shifts.set(uid, isClear ? best.hours : 0);
  }
  return shifts;
}

/** Warns if most teams log their orders a whole number of hours late or early. */
export function* noteTimeZone(teams: readonly TeamReport[], shifts: Shifts): Generator<Block> {
  const delays = teams.flatMap(({ uid, medianDelaySeconds }) => {
    const shift = shifts.get(uid);
    return medianDelaySeconds ?? (shift === undefined ? [] : shift * HOUR_SECONDS);
  });
  const hours = Map.groupBy(
    delays.filter((delay) => Math.abs(delay - HOUR_SECONDS * Math.round(delay / HOUR_SECONDS)) <= NEAR_HOUR_SECONDS),
    (delay) => Math.round(delay / HOUR_SECONDS),
  );
  const [most] = [...hours].filter(([hour]) => hour !== 0).sort(([, a], [, b]) => b.length - a.length);
  if (!most || most[1].length * 2 <= delays.length) return;
  const [hour, { length }] = most;
  yield {
    note: `Probably a wrong time zone: the logs of ${length} of ${delays.length} teams come about ${Math.abs(hour)} h ${hour > 0 ? 'after' : 'before'} their orders. Try --time-zone with ${Math.abs(hour)} h ${hour > 0 ? 'less' : 'more'}.`,
  };
}
