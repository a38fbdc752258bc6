/** The teams of the board: their columns, and which of them are shown in which order. */
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

const percent = (value: number) => value.toFixed(1);
/** Formats seconds. */
export const time = (seconds: number) => `${seconds < 0 ? '−' : ''}${formatDuration(Math.abs(seconds) * 1000)}`;
const withoutPercent = ({ orders, ordersWithoutLog = 0 }: Team) => (orders ? (100 * ordersWithoutLog) / orders : null);

/** A column: its name, its subject, its figure, how that is shown, and whether the largest or least is the worst. */
type Column = readonly [
  name: string,
  about: string,
  figure: (team: Team) => number | null | undefined,
  text: (figure: number) => string,
  worst: 1 | -1,
];

/** The columns of figures. */
// biome-ignore format: a line for each figure of a team
export const COLUMNS: readonly Column[] = [
  ['logs', 'AI logs in the period', (team) => team.entries, String, -1],
  ['orders', 'orders in the period', (team) => team.orders, String, 1],
  ['covered %', 'orders that a log of the team names, of those that are no child orders',
    (team) => team.coveragePercent, percent, -1],
  ['child orders', 'they follow an order that a log names, and need no log', (team) => team.childOrders, String, 1],
  ['no log %', 'orders that no log names, and with no log near them', withoutPercent, percent, 1],
  ['median delay', 'from an order to its log', (team) => team.medianDelaySeconds, time, 1],
  ['p95 delay', '95 % of the orders have their log sooner', (team) => team.p95DelaySeconds, time, 1],
  ['silence', 'the longest time without a log', (team) => longest(team) || null, time, 1],
];

/** Returns a figure of a team as text. */
export function sayFigure([, , figure, text]: Column, team: Team): string {
  const value = figure(team);
  return typeof value === 'number' ? text(value) : '–';
}

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
  const [, , figure, , worst = 1] = COLUMNS.find(([name]) => name === sort) ?? [];
  const rank = (team: Team) => worst * (figure?.(team) ?? -worst * Number.MAX_VALUE);
  return figure ? found.sort((a, b) => rank(b) - rank(a)) : found;
}

/** The teams of each queue, in words, by its name in the URL. They change while the reviewer works. */
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

/** Returns the board, the selected teams, and the current one. @param isOfTeam by default, the first one is current */
export function useTeams(params: ScreenProps['params'], isOfTeam = false) {
  const { uid: given, queue } = params;
  const { value: board, problem } = useAnswer('board', {});
  // Others judge meanwhile: once a minute, the page looks again.
  const minute = Math.floor(Date.now() / 60_000);
  const { value: verdicts, problem: untold } = useAnswer('verdicts', { turn: useWork().turn, minute });
  const drafts = new Set(useDrafts().uids);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, params[name]]));
  const key = JSON.stringify(filters);
  const matching = useMemo(() => (board ? selectTeams(board, params) : []), [board, key]);
  const isUnjudged = ({ uid }: Team) => verdicts?.[uid]?.own === undefined;
  const inQueue: Readonly<Record<string, (team: Team) => boolean>> = {
    unjudged: isUnjudged,
    second: ({ uid }) => verdicts?.[uid]?.waits === true,
    draft: ({ uid }) => drafts.has(uid),
  };
  const inQueueOf = (name = '') => (inQueue[name] ? matching.filter(inQueue[name]) : matching);
  const teams = inQueueOf(queue);
  const uid = given ?? (isOfTeam ? teams[0]?.uid : undefined);
  const places = useMemo(() => new Map(matching.map((one, at) => [one.uid, at])), [matching]);
  const placeOf = (uid = '') => places.get(uid) ?? -1;
  const place = teams.findIndex((one) => one.uid === uid);
  const team = board?.teams.find((one) => one.uid === uid);
  const linkOf = (to: string, more: Change = {}) => linkTo(to, { uid, ...filters, ...more });
  const goTo = (next: Team | undefined) => next && go(linkOf('team', { uid: next.uid, verdict: params.verdict }));
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
  useKeys(isOfTeam ? keys : {}, 'screen', board !== undefined);
  const waiting = inQueueOf('second').length;
  const judged = matching.length - inQueueOf('unjudged').length;
  const wait = waiting === 1 ? '1 waits' : `${waiting} wait`;
  const progress = verdicts && `${judged} of ${matching.length} judged, ${wait} for a second reviewer`;
  return {
    ...{ board, verdicts, untold, drafts, problem, teams, uid, place, team, progress },
    ...{ inQueueOf, linkOf, goTo, next },
  };
}

/** The characters of a name that fit into its place. */
const FITS = 24;

/**
 * The name of a team, of which a long one is clipped: the whole of it is shown under the pointer and at the focus.
 * @param status what the allowlist says of it, shown unless it is the usual
 */
export const Name = ({ children, status }: { children: string | null | undefined; status?: string | undefined }) => (
  <>
    {children && (
      <span class={children.length > FITS ? 'name long' : 'name'} title={children}>
        <bdi>{children}</bdi>
      </span>
    )}
    {status && status !== 'approved' && <span class="tag status">{status}</span>}
  </>
);
