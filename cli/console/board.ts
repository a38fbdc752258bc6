import { byConcern } from '../analysis/overview.ts';
import { reasons } from '../analysis/reasonsToLook.ts';
import { byUid } from '../text/uid.ts';
import type { Console } from './console.ts';
import type { Figures } from './openView.ts';

/** The parts of a strip. `cli/rows/sql/strips.sql` knows the number too. */
const PARTS = 240;

interface Part {
  readonly uid: string;
  readonly part: number;
  readonly marks: number;
}

/** Returns one character for each part: its marks, see `strips.sql`, as a digit in base 32. */
function stripOf(parts: readonly Part[] = []): string {
  const strip: string[] = Array(PARTS).fill('0');
  for (const { part, marks } of parts) strip[part] = marks.toString(32);
  return strip.join('');
}

/** Makes the board. */
async function makeBoard({ engine, hasOrders, period, teams, contested }: Figures) {
  const strips = Map.groupBy(await Array.fromAsync(engine.read<Part>('SELECT * FROM strips')), ({ uid }) => uid);
  return {
    period,
    hasOrders,
    contested: contested.length,
    reasons: Object.entries(reasons).map(([name, { when }]) => ({ name, when })),
    teams: teams
      .toSorted((a, b) => byConcern(a, b) || byUid(a, b))
      .map(({ perDay: _perDay, models: _models, stages: _stages, silences, ...team }) => ({
        ...team,
        silences: silences.slice(0, 5),
        strip: stripOf(strips.get(team.uid)),
      })),
  };
}

/** The boards that were made. */
const boards = new WeakMap<Figures, ReturnType<typeof makeBoard>>();

/** Returns a row for each team: its figures, and its strip, see `stripOf`. */
export const readBoard = ({ views }: Console) =>
  views.use((figures) => {
    const board = boards.get(figures) ?? makeBoard(figures);
    boards.set(figures, board);
    return board;
  });
