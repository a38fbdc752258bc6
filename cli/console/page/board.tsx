import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { nameReasons } from '../../review/figures/overview.ts';
import { isTyping, useKeys } from './keys.tsx';
import { Empty, Filter, Notice, stepIn, useSheet } from './parts.tsx';
import { type Change, change, go, type ScreenProps } from './place.ts';
import { Strip } from './strip.tsx';
import { COLUMNS, Name, QUEUES, Reasons, reasonsIn, sayFigure, type Team, time, useTeams } from './teams.tsx';

/** A row of a team. Its link has the focus while it is the current one. */
function Row({ team, isAt, of }: { team: Team; isAt: boolean; of: ReturnType<typeof useTeams> }) {
  const { board, verdicts, drafts, linkOf } = of;
  const open = (place: Change = {}) => linkOf('team', { uid: team.uid, ...place });
  const link = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    if (isAt && !isTyping()) link.current?.focus();
  }, [isAt]);
  const { uid } = team;
  return (
    <tr class={isAt ? 'at' : ''} onClick={() => go(open())}>
      <th scope="row">
        <a ref={link} href={open()} onFocus={() => change({ uid })}>
          {uid}
        </a>{' '}
        <Name status={team.status}>{team.team}</Name>
      </th>
      <td class="verdicts" title="Verdicts of others are shown after yours.">
        {verdicts?.[uid]?.text} {drafts.has(uid) && <span class="tag">draft</span>}
      </td>
      <td class="reasons">
        <Reasons team={team} board={board} />
      </td>
      <td class="wide">{board && <Strip team={team} period={board.period} open={(place) => go(open(place))} />}</td>
      {COLUMNS.map((column) => (
        <td class="number">{sayFigure(column, team)}</td>
      ))}
    </tr>
  );
}

/** All teams, those to look at first: the period of each as a strip, its figures, and the reasons to look at it. */
export function Board({ params }: ScreenProps) {
  const of = useTeams(params);
  const { board, problem, teams, place: at, linkOf, verdicts, untold, drafts, inQueueOf, progress } = of;
  const rowOf = (team: Team, isAt: boolean) => <Row key={team.uid} team={team} isAt={isAt} of={of} />;
  // A row that is the same is not drawn again.
  const shown = teams.map(({ uid }) => uid).join();
  const rows = useMemo(() => teams.map((team) => rowOf(team, false)), [board, shown, verdicts, [...drafts].join()]);
  const reasons = reasonsIn(params);
  const toggle = (name: string) =>
    change({ reason: (reasons.includes(name) ? reasons.filter((one) => one !== name) : [...reasons, name]).join('|') });
  useSheet(() =>
    teams.map((one) => ({
      ...{ uid: one.uid, team: one.team, status: one.status, verdicts: verdicts?.[one.uid]?.text },
      'look at': nameReasons(one).join(', '),
      ...Object.fromEntries(
        COLUMNS.map(([name, , figure, text]) => [text === time ? `${name}, s` : name, figure(one)]),
      ),
    })),
  );
  const search = useRef<HTMLInputElement>(null);
  const step = (by: number) => teams[0] && change({ uid: stepIn(teams, at, by)?.uid });
  const keys = {
    'j ArrowDown': { does: 'next team; Enter opens it', run: () => step(1) },
    'k ArrowUp': { does: 'previous team', run: () => step(-1) },
    v: { does: 'the verdict about the team', run: () => teams[at] && go(linkOf('team', { verdict: 1 })) },
    '/': { does: 'find a team; Enter opens the first', run: () => search.current?.focus() },
  };
  useKeys(keys, 'screen', board !== undefined);
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
  const chips = board.reasons.map((reason) => ({
    ...reason,
    teams: board.teams.filter(({ lookAt }) => lookAt.includes(reason.name as never)).length,
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
        <fieldset class="chips" aria-label="Reasons">
          {chips
            .filter(({ teams }) => teams > 0)
            .map(({ name, when, innocent, weight, teams }) => (
              <button
                type="button"
                class={`chip ${weight}`}
                title={`${weight === 'fact' ? 'A fact' : 'A question'}: ${when}. What else can explain it: ${innocent}`}
                aria-pressed={reasons.includes(name)}
                onClick={() => toggle(name)}
              >
                {name} {teams}
              </button>
            ))}
        </fieldset>
        <fieldset class="chips" aria-label="Queue">
          {Object.entries(QUEUES).map(([name, words]) => (
            <Filter params={params} name="queue" value={name} class="chip queue">
              {words} {verdicts && inQueueOf(name).length}
            </Filter>
          ))}
        </fieldset>
        <span class="push" />
        <span class="quiet" role="status">
          {teams.length} of {board.teams.length} teams
          {progress && ` · ${progress}`}
          {board.contested > 0 && ` · orders named by several teams: ${board.contested}`}
        </span>
      </div>
      {board.reasons
        .filter(({ name }) => reasons.includes(name))
        .map(({ name, innocent }) => (
          <p class="hint">
            What else can explain “{name}”: {innocent}
          </p>
        ))}
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
            <th scope="col">verdicts</th>
            <th scope="col">
              <Filter params={params} name="sort" title={`Facts first, then questions. ${board.rules}`}>
                look at
              </Filter>
            </th>
            <th scope="col" class="wide legend">
              <span class="key log">log</span> <span class="key order">order</span> <span class="key late">late</span>{' '}
              <span class="key early">early</span> <span class="key without">no log</span>{' '}
              <span class="key gap">silence</span>
            </th>
            {COLUMNS.map(([name, about]) => (
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
      {teams.length === 0 && <Empty>No team matches. Empty the field, or press a chip again to leave it out.</Empty>}
    </>
  );
}
