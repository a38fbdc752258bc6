/** The teams of the board: their columns, and which of them are shown in which order. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { longest, nameReasons } from '../../review/figures/overview.ts';
import { formatDuration } from '../../shell/text/time.ts';
import type { Answer } from '../server/routes.ts';
import { useAnswer } from './answers.ts';
import { useDrafts } from './drafts.ts';
import { useKeys } from './keys.tsx';
import { type Change, go, linkTo, type ScreenProps } from './place.ts';
import { useWork } from './work.ts';

export type Team = Answer<'board'>['teams'][number];

const share = (value: number | null | undefined) => (typeof value === 'number' ? value.toFixed(1) : '–');
const delay = (seconds: number | null | undefined) =>
  typeof seconds === 'number' ? `${seconds < 0 ? '−' : ''}${formatDuration(Math.abs(seconds) * 1000)}` : '–';
const withoutPercent = ({ orders = 0, ordersWithoutLog = 0 }: Team) =>
  orders === 0 ? null : (100 * ordersWithoutLog) / orders;

/** A column: its name, what it is about, its text, and a number by which the worst come first. */
type Column = readonly [
  name: string,
  about: string,
  text: (team: Team) => string | number,
  rank: (team: Team) => number,
];

/** The columns of figures. */
// biome-ignore format: a line for each function of a team
export const COLUMNS: readonly Column[] = [
  ['logs', 'AI logs in the period', (team) => team.entries, (team) => -team.entries],
  ['orders', 'orders in the period', (team) => team.orders ?? '–', (team) => team.orders ?? 0],
  ['covered', 'orders that a log of the team names, in percent of those that are no child orders',
    (team) => share(team.coveragePercent), (team) => -(team.coveragePercent ?? 101)],
  ['child', 'child orders: they follow an order that a log names',
    (team) => team.childOrders ?? '–', (team) => team.childOrders ?? 0],
  ['no log', 'orders that no log names, and with no log near them, in percent',
    (team) => share(withoutPercent(team)), (team) => withoutPercent(team) ?? -1],
  ['median', 'median time from an order to its log',
    (team) => delay(team.medianDelaySeconds), (team) => team.medianDelaySeconds ?? -1e9],
  ['p95', '95th percentile of that time',
    (team) => delay(team.p95DelaySeconds), (team) => team.p95DelaySeconds ?? -1e9],
  ['silence', 'the longest time without a log',
    (team) => (longest(team) ? formatDuration(longest(team) * 1000) : '–'), longest],
];

/** Returns the names of the teams by UID, as far as the figures are there. */
export function useNames(): ReadonlyMap<string, string | null> {
  const { value: board } = useAnswer('board', {});
  return useMemo(() => new Map(board?.teams.map(({ uid, team }) => [uid, team])), [board]);
}

/** Names of several reasons in one parameter. */
export const reasonsIn = ({ reason = '' }: ScreenProps['params']): string[] => reason.split('|').filter(Boolean);

/** Returns the teams that have one of the reasons and contain a text, in their order. */
function selectTeams({ teams }: Answer<'board'>, params: ScreenProps['params']): Team[] {
  const { sort, q = '' } = params;
  const reasons = reasonsIn(params);
  const wanted = q.toLowerCase();
  const found = teams.filter(
    ({ uid, team, lookAt }) =>
      (reasons.length === 0 || lookAt.some((one) => reasons.includes(one))) &&
      (uid.includes(wanted) || team?.toLowerCase().includes(wanted)),
  );
  const [, , , rank] = COLUMNS.find(([name]) => name === sort) ?? [];
  return rank ? found.sort((a, b) => rank(b) - rank(a)) : found;
}

/** What a queue has, by its name in the URL. Whether a team is in it changes while the reviewer works. */
export const QUEUES = {
  unjudged: 'not judged by me',
  second: 'asks for a second reviewer',
  draft: 'with a draft',
} as const;

/** The parameters that say which teams are gone through. */
const FILTERS = ['reason', 'sort', 'q', 'queue'] as const;

/** The reasons to look at a team, facts first, each with what else can explain it. */
export const Reasons = ({ team, board }: { team: Team; board: Answer<'board'> | undefined }) => (
  <>
    {nameReasons(team).map((text, place) => {
      const one = team.lookAt[place];
      const weight = place < team.facts.length ? 'fact' : 'question';
      return (
        <span class={`tag ${weight}`} title={board?.reasons.find(({ name }) => name === one)?.innocent}>
          {text}
        </span>
      );
    })}
  </>
);

/** Returns the board, the selected teams, and the current one: on a `screen` of one team, by default the first. */
export function useTeams(params: ScreenProps['params'], screen?: string) {
  const { uid: given, queue } = params;
  const { value: board, problem } = useAnswer('board', {});
  // Others judge meanwhile: once a minute, the page looks again.
  const minute = Math.floor(Date.now() / 60_000);
  const { value: verdicts, problem: untold } = useAnswer('verdicts', { turn: useWork().turn, minute });
  const drafts = new Set(useDrafts().uids);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, params[name]]));
  const key = JSON.stringify(filters);
  const matching = useMemo(() => (board ? selectTeams(board, params) : []), [board, key]);
  const isUnjudged = ({ uid }: Team) => !verdicts?.[uid]?.isOwn;
  const inQueue: Readonly<Record<string, (team: Team) => boolean>> = {
    unjudged: isUnjudged,
    second: ({ uid }: Team) => verdicts?.[uid]?.waits === true,
    draft: ({ uid }: Team) => drafts.has(uid),
  } satisfies Record<keyof typeof QUEUES, unknown>;
  const teams = inQueue[queue ?? ''] ? matching.filter(inQueue[queue ?? ''] as typeof isUnjudged) : matching;
  const uid = given ?? (screen && teams[0]?.uid);
  const places = useMemo(() => new Map(matching.map((one, at) => [one.uid, at])), [matching]);
  const placeOf = (uid = '') => places.get(uid) ?? -1;
  const place = teams.findIndex((one) => one.uid === uid);
  const team = board?.teams.find((one) => one.uid === uid);
  const linkOf = (to: string, more: Change = {}) => linkTo(to, { uid, ...filters, ...more });
  const goTo = (next: Team | undefined) => next && go(linkOf(screen ?? '', { uid: next.uid, verdict: params.verdict }));
  /** A team that has left the queue meanwhile keeps its place between the others. */
  const step = (by: 1 | -1) => {
    const here = placeOf(uid);
    const isAhead = (one: Team) => by * (placeOf(one.uid) - here) > 0;
    goTo(by > 0 ? teams.find(isAhead) : teams.findLast(isAhead));
  };
  /** The next team of the queue that the reviewer has not judged, after the last one again from the first. */
  const unjudged = teams.filter((one) => isUnjudged(one) && one.uid !== uid);
  const next = unjudged.find((one) => placeOf(one.uid) > placeOf(uid)) ?? unjudged[0];
  const keys = {
    j: { does: 'next team of the board', run: () => step(1) },
    k: { does: 'previous team of the board', run: () => step(-1) },
    u: { does: 'back to the board', run: () => go(linkOf('')) },
  };
  useKeys(screen ? keys : {}, 'screen', board !== undefined);
  const waiting = matching.filter(({ uid }) => verdicts?.[uid]?.waits).length;
  const judged = matching.length - matching.filter(isUnjudged).length;
  const wait = waiting === 1 ? '1 waits' : `${waiting} wait`;
  const progress = verdicts && `${judged} of ${matching.length} judged, ${wait} for a second reviewer`;
  const counts = Object.fromEntries(
    Object.entries(inQueue).map(([name, isIn]) => [name, matching.filter(isIn).length]),
  ) as Record<keyof typeof QUEUES, number>;
  /** The head of the screen. */
  const head = (children?: ComponentChildren, about = '') => (
    <div class="bar">
      <h2>
        {uid} <Name>{team?.team}</Name>
      </h2>
      {team && <Reasons team={team} board={board} />}
      {children}
      <span class="push" />
      <span class="quiet" role="status">
        {about}
        {place + 1 || '–'} of {teams.length}{' '}
        {params.reason ? `teams with “${reasonsIn(params).join(' or ')}”` : 'teams'}
        {queue && `, ${QUEUES[queue as 'draft']}`}
        {progress && ` · ${progress}`}
      </span>
    </div>
  );
  return {
    ...{ board, verdicts, untold, drafts, problem, teams, uid, place, team, counts, progress },
    ...{ linkOf, goTo, next, head },
  };
}

/** The characters of a name that fit into its place. */
const FITS = 24;

/** The name of a team, of which a long one is clipped: the whole of it is shown under the pointer and at the focus. */
export const Name = ({ children }: { children: string | null | undefined }) =>
  children ? (
    <span class={children.length > FITS ? 'name long' : 'name'} title={children}>
      <bdi>{children}</bdi>
    </span>
  ) : null;
