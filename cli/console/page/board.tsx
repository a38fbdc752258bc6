import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Answer } from '../server/routes.ts';
import { useAnswer } from './answers.ts';
import { useKeys } from './keys.tsx';
import { Empty, Filter, Notice, stepIn } from './parts.tsx';
import { type Change, change, go, linkTo, type ScreenProps } from './place.ts';
import { Strip } from './strip.tsx';
import { COLUMNS, type Team, useTeams } from './teams.tsx';

type Board = Answer<'board'>;

/** A row of a team. Its link has the focus while it is the current one. */
function Row({
  team,
  period,
  params,
  isAt,
  verdict,
}: {
  team: Team;
  period: Board['period'];
  params: ScreenProps['params'];
  isAt: boolean;
  /** What reviewers say, as far as it is shown. */
  verdict: string | undefined;
}) {
  const link = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    if (isAt) link.current?.focus();
  }, [isAt]);
  const { uid, status, lookAt } = team;
  const linkOf = (place: Change = {}) => linkTo('team', { uid, reason: params.reason, sort: params.sort, ...place });
  const open = linkOf();
  return (
    <tr class={isAt ? 'at' : ''} onClick={() => go(open)}>
      <th scope="row">
        <a ref={link} href={open} onFocus={() => change({ uid })}>
          {uid}
        </a>{' '}
        <span class="name">{team.team}</span>
        {status !== 'approved' && <span class="tag">{status}</span>}
        {verdict && (
          <span class="tag verdict" title="Verdicts of others are shown after yours.">
            {verdict}
          </span>
        )}
      </th>
      <td class="reasons">
        {lookAt.map((reason) => (
          <span class="tag look">{reason}</span>
        ))}
      </td>
      <td class="wide">
        <Strip team={team} period={period} open={(place) => go(linkOf(place))} />
      </td>
      {COLUMNS.map((column) => (
        <td class="number">{column.text(team)}</td>
      ))}
    </tr>
  );
}

/** All teams, those to look at first: the period of each as a strip, its figures, and the reasons to look at it. */
export function Board({ params }: ScreenProps) {
  const { board, problem, teams, place: at, linkOf } = useTeams(params);
  const { value: verdicts, problem: untold } = useAnswer('verdicts', {});
  const rowOf = (team: Team, isAt: boolean) => (
    <Row
      key={team.uid}
      team={team}
      period={(board as Board).period}
      params={params}
      isAt={isAt}
      verdict={verdicts?.[team.uid]?.text}
    />
  );
  // A row that is the same is not drawn again.
  const rows = useMemo(() => teams.map((team) => rowOf(team, false)), [teams, verdicts]);
  const search = useRef<HTMLInputElement>(null);
  const step = (by: number) => teams[0] && change({ uid: stepIn(teams, at, by)?.uid });
  useKeys({
    'j ArrowDown': { does: 'next team; Enter opens it', run: () => step(1) },
    'k ArrowUp': { does: 'previous team', run: () => step(-1) },
    v: { does: 'the case of the team', run: () => teams[at] && go(linkOf('case')) },
    '/': { does: 'find a team; Enter opens the first', run: () => search.current?.focus() },
  });
  if (problem) return <Notice problem={problem} />;
  if (!board)
    return (
      <Empty>
        Making the figures of all teams … The first time, this takes a minute or more for a million logs. The search
        works already.
      </Empty>
    );
  if (board.teams.length === 0)
    return (
      <Empty>
        There are no teams and no logs. ailog allowlist add UID approves a team; npm run demo makes a competition to try
        this with.
      </Empty>
    );
  const counts = board.reasons.map(({ name, when }) => ({
    name,
    when,
    teams: board.teams.filter(({ lookAt }) => lookAt.includes(name as never)).length,
  }));
  return (
    <>
      <div class="bar">
        <input
          ref={search}
          type="search"
          placeholder="UID or team"
          aria-label="UID or team"
          value={params.q ?? ''}
          onInput={({ currentTarget }) => change({ q: currentTarget.value })}
          onKeyDown={({ key }) =>
            key === 'Enter' && teams[0] && go(linkOf('team', { uid: teams[0].uid, q: undefined }))
          }
        />
        {counts
          .filter(({ teams }) => teams > 0)
          .map(({ name, when, teams }) => (
            <Filter params={params} name="reason" value={name} class="chip" title={when}>
              {name} {teams}
            </Filter>
          ))}
        <span class="push" />
        <span class="quiet">
          {teams.length} of {board.teams.length} teams
          {verdicts && ` · judged by you: ${board.teams.filter(({ uid }) => verdicts[uid]?.isOwn).length}`}
          {board.contested > 0 && ` · orders named by several teams: ${board.contested}`}
        </span>
      </div>
      {untold && <p class="hint">Verdicts are not shown: {untold.message}</p>}
      {!board.hasOrders && (
        <p class="hint">
          No order list: coverage and delays are unknown. Drop the orders of the exchange onto this page, or start with
          --orders FILE.
        </p>
      )}
      <table class="board">
        <thead>
          <tr>
            <th scope="col">team</th>
            <th scope="col">
              <Filter params={params} name="sort" title="those to look at first">
                look at
              </Filter>
            </th>
            <th scope="col" class="wide legend">
              <span class="key log">log</span> <span class="key order">order</span> <span class="key late">late</span>{' '}
              <span class="key early">early</span> <span class="key without">no log</span>{' '}
              <span class="key gap">silence</span>
            </th>
            {COLUMNS.map(({ name, about }) => (
              <th scope="col" class="number">
                <Filter params={params} name="sort" value={name} title={about}>
                  {name}
                </Filter>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{rows.map((row, place) => (place === at ? rowOf(teams[at] as Team, true) : row))}</tbody>
      </table>
      {teams.length === 0 && <Empty>No team matches. The chips above show all reasons.</Empty>}
    </>
  );
}
