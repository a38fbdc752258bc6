/** The teams of the board: their columns, and which of them are shown in which order. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { longest } from '../../review/figures/overview.ts';
import { formatDuration } from '../../shell/text/time.ts';
import type { Answer } from '../server/routes.ts';
import { useAnswer } from './answers.ts';
import { useKeys } from './keys.tsx';
import { stepIn } from './parts.tsx';
import { type Change, go, linkTo, type ScreenProps } from './place.ts';

export type Team = Answer<'board'>['teams'][number];

const share = (value: number | null | undefined) => (typeof value === 'number' ? value.toFixed(1) : '–');
const delay = (seconds: number | null | undefined) =>
  typeof seconds === 'number' ? `${seconds < 0 ? '−' : ''}${formatDuration(Math.abs(seconds) * 1000)}` : '–';
const nearPercent = ({ orders = 0, ordersOnlyNear = 0 }: Team) =>
  orders === 0 ? null : (100 * ordersOnlyNear) / orders;

/** The columns of figures: their text, and a number by which the worst come first. */
export const COLUMNS: readonly {
  readonly name: string;
  readonly about: string;
  readonly text: (team: Team) => string | number;
  readonly rank: (team: Team) => number;
}[] = [
  { name: 'logs', about: 'AI logs in the period', text: ({ entries }) => entries, rank: ({ entries }) => -entries },
  {
    name: 'orders',
    about: 'orders in the period',
    text: ({ orders }) => orders ?? '–',
    rank: ({ orders = 0 }) => orders,
  },
  {
    name: 'covered',
    about: 'orders that a log of the team names, in percent',
    text: (team) => share(team.coveragePercent),
    rank: (team) => -(team.coveragePercent ?? 101),
  },
  {
    name: 'near',
    about: 'orders that no log names, with a log near them, in percent',
    text: (team) => share(nearPercent(team)),
    rank: (team) => nearPercent(team) ?? -1,
  },
  {
    name: 'median',
    about: 'median time from an order to its log',
    text: (team) => delay(team.medianDelaySeconds),
    rank: (team) => team.medianDelaySeconds ?? -1e9,
  },
  {
    name: 'p95',
    about: '95th percentile of that time',
    text: (team) => delay(team.p95DelaySeconds),
    rank: (team) => team.p95DelaySeconds ?? -1e9,
  },
  {
    name: 'silence',
    about: 'the longest time without a log',
    text: (team) => (longest(team) ? formatDuration(longest(team) * 1000) : '–'),
    rank: longest,
  },
];

/** Returns the teams that the parameters select, in their order. */
function selectTeams({ teams }: Answer<'board'>, { reason, sort, q = '' }: Change): Team[] {
  const wanted = String(q).toLowerCase();
  const found = teams.filter(
    ({ uid, team, lookAt }) =>
      (!reason || (lookAt as readonly string[]).includes(String(reason))) &&
      (uid.includes(wanted) || team?.toLowerCase().includes(wanted)),
  );
  const column = COLUMNS.find(({ name }) => name === sort);
  return column ? found.sort((a, b) => column.rank(b) - column.rank(a)) : found;
}

/**
 * Returns the board, the teams of it that the parameters select, and the current one.
 * @param screen the path of a screen of one team: by default the first, and its keys go through them
 */
export function useTeams({ uid: given, reason, sort, q }: ScreenProps['params'], screen?: string) {
  const { value: board, problem } = useAnswer('board', {});
  const teams = useMemo(() => (board ? selectTeams(board, { reason, sort, q }) : []), [board, reason, sort, q]);
  const uid = given ?? (screen && teams[0]?.uid);
  const place = teams.findIndex((one) => one.uid === uid);
  const team = board?.teams.find((one) => one.uid === uid);
  const linkOf = (to: string, more: Change = {}) => linkTo(to, { uid, reason, sort, q, ...more });
  const step = (by: number) => teams[0] && go(linkOf(screen ?? '', { uid: stepIn(teams, place, by)?.uid }));
  const keys = {
    j: { does: 'next team of the board', run: () => step(1) },
    k: { does: 'previous team of the board', run: () => step(-1) },
    u: { does: 'back to the board', run: () => go(linkOf('')) },
  };
  useKeys(screen ? keys : {});
  /** The head of the screen. */
  const head = (children?: ComponentChildren, about = '') => (
    <div class="bar">
      <h2>
        {uid} {team?.team}
      </h2>
      {team?.lookAt.map((one) => (
        <span class="tag look">{one}</span>
      ))}
      {children}
      <span class="push" />
      <span class="quiet">
        {about}
        {place + 1} of {teams.length} {reason ? `teams with “${reason}”` : 'teams'}
      </span>
    </div>
  );
  return { board, problem, teams, uid, place, team, linkOf, head };
}
