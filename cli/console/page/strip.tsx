import { counted } from '../../shell/text/numbers.ts';
import type { Answer } from '../server/routes.ts';
import type { Change } from './place.ts';
import type { Team } from './teams.tsx';

type Period = Answer<'board'>['period'];

/** The width and the height of a strip in its own units: a unit of width for each part. */
const WIDTH = 240;
const HEIGHT = 16;

/** The time that is shown before and after a place, in milliseconds. */
const AROUND_MS = 2 * 3_600_000;

/** Says what a strip shows. */
const sayStrip = ({ silences, late, early, ordersWithoutLog }: Team): string =>
  [
    counted(silences.length, 'silence'),
    ...Object.entries({ late, early, 'without a log': ordersWithoutLog }).flatMap(([name, count]) =>
      count ? `${counted(count, 'order')} ${name}` : [],
    ),
  ].join(', ');

/** The marks of a part, see `cli/review/figures/sql/strips.sql`. */
const MARKS = { order: 1, log: 2, late: 4, early: 8, without: 16 } as const;

/** Returns a path with a line at each part that has a mark. */
const lines = (strip: string, mark: number, from: number, to: number): string =>
  [...strip].map((one, part) => (Number.parseInt(one, 32) & mark ? `M${part + 0.5} ${from}V${to}` : '')).join('');

/** The period of a team: orders as ticks below, logs above, taller marks for late and early ones, silences as gaps. */
export function Strip({ team, period, open }: { team: Team; period: Period; open: (place: Change) => void }) {
  const x = (time: string | null) => (WIDTH * (Date.parse(time ?? '') - period.from)) / (period.until - period.from);
  /** A click opens the timeline there: a silence as a whole, or else some hours. */
  const openThere = (event: MouseEvent) => {
    event.stopPropagation();
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    const at = period.from + ((event.clientX - left) / width) * (period.until - period.from);
    const silence = team.silences
      .map(({ from, until }) => [Date.parse(from ?? ''), Date.parse(until ?? '')] as const)
      .find(([from, until]) => from <= at && at < until);
    const [from, until] = silence ?? [at, at];
    open({
      from: Math.max(period.from, Math.round(from - AROUND_MS)),
      until: Math.min(period.until, Math.round(until + AROUND_MS)),
      at: silence && `s${from}`,
    });
  };
  return (
    <>
      <span class="unseen">{sayStrip(team)}</span>
      <svg
        class="strip"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onClick={openThere}
      >
        {team.silences.map(({ from, until }) => (
          <rect class="gap" x={x(from)} width={Math.max(0.5, x(until) - x(from))} y="1" height={HEIGHT - 2} />
        ))}
        <path class="orders" d={lines(team.strip, MARKS.order, 11, 15)} />
        <path class="logs" d={lines(team.strip, MARKS.log, 3, 6)} />
        <path class="late" d={lines(team.strip, MARKS.late, 8, 15)} />
        <path class="early" d={lines(team.strip, MARKS.early, 1, 9)} />
        <path class="without" d={lines(team.strip, MARKS.without, 13, 16)} />
      </svg>
    </>
  );
}
