import { useEffect, useRef, useState } from 'preact/hooks';
import { formatTime } from '../../shell/text/time.ts';
import type { Answer } from '../server/routes.ts';
import { useAnswer } from './answers.ts';
import { Chart } from './chart.tsx';
import { useDrafts } from './drafts.ts';
import { Entry } from './entry.tsx';
import { nameRun, type Run, runsOf, sayRun } from './findings.ts';
import { useKeys } from './keys.tsx';
import { Choices, Empty, Facts, Filter, Notice, Shape, Shown, stepIn, useSheet } from './parts.tsx';
import { change, type ScreenProps } from './place.ts';
import { clockOf } from './scale.ts';
import { Name, QUEUES, Reasons, reasonsIn, useTeams } from './teams.tsx';
import { Pins, Verdict } from './verdict.tsx';
import { settle, useWork, wordsOf } from './work.ts';

/** An order, a silence or a log, and below it the log that belongs to it. */
function Detail({ uid, at, log }: { uid: string; at: string; log: string | undefined }) {
  const { value: detail, problem, isOld } = useAnswer('detail', { uid, at });
  const drafts = useDrafts();
  const { pins = [] } = drafts.read(uid);
  const place = Math.min(Number(log ?? 0), (detail?.logs.length ?? 0) - 1);
  const shown = detail?.logs[place];
  // A verdict names logs of its own team.
  const isOwn = shown?.uid === uid;
  const isPinned = isOwn && pins.includes(shown.entryId);
  const [unpinned, setUnpinned] = useState<string>();
  const pin = () => {
    setUnpinned(isOwn ? undefined : 'There is no log of this team to pin.');
    if (!isOwn) return;
    const others = pins.filter((id) => id !== shown.entryId);
    drafts.change(uid, { pins: isPinned ? others : [...others, shown.entryId] });
  };
  // While the next log is being read, the one before is shown.
  useKeys({ x: { does: 'pin the log to the verdict', run: pin } }, 'screen', !isOld);
  if (problem) return <Notice problem={problem} />;
  if (!detail) return <p class="hint">Reading …</p>;
  return (
    <>
      <section class="detail" aria-label="What it is about">
        <h2>{detail.title}</h2>
        <Facts facts={detail.facts} />
        {detail.logs.map(({ name }, number) => (
          <button type="button" class="chip" aria-pressed={number === place} onClick={() => change({ log: number })}>
            {name}
          </button>
        ))}
        {isOwn && (
          <button type="button" class="chip" aria-pressed={isPinned} onClick={pin}>
            <kbd>x</kbd> {isPinned ? 'Pinned to the verdict' : 'Pin to the verdict'}
          </button>
        )}
        <p role="status">{unpinned}</p>
      </section>
      {shown ? (
        <Entry uid={shown.uid} entryId={shown.entryId} />
      ) : (
        <Empty>No log of the team is near it. n goes to the next finding.</Empty>
      )}
    </>
  );
}

type FindingsProps = ScreenProps & { timeline: Answer<'timeline'>; runs: readonly Run[]; run: Run | undefined };

/** The findings of a team in the order of time. The current one is in view. */
function Findings({ timeline, runs, run, params }: FindingsProps) {
  const { uid, findings, found, kinds, period } = timeline;
  const clock = clockOf([period.from, period.until - 1]);
  useSheet(() =>
    findings.map(({ id, at, kind, ms, other }) => ({
      ...{ uid, time: formatTime(at), finding: kind, seconds: ms && ms / 1000, other, id: id.slice(1) },
    })),
  );
  return (
    <section class="findings" aria-label="Findings">
      <Pins uid={uid} />
      <div class="chips">
        {kinds.map(({ name, count }) => (
          <Filter params={params} name="kind" value={name} class="chip" title="Lists each">
            {name} {count}
          </Filter>
        ))}
        <span class="quiet">times in UTC</span>
      </div>
      {runs.length === 0 && (
        <p class="hint">Nothing to look at{timeline.orders > 0 ? ': every order has its log in time.' : '.'}</p>
      )}
      <Choices items={runs} at={run?.id} choose={({ id }) => change({ at: id, log: undefined })}>
        {(run) => (
          <>
            <Shape kind={run.kind} /> {clock(run.all[0]?.at ?? 0, run.all.at(-1)?.at)} <strong>{nameRun(run)}</strong>{' '}
            {sayRun(run)}
          </>
        )}
      </Choices>
      <Shown first={findings.length} of={found} />
    </section>
  );
}

/** One team: its orders and logs over time, what to look at in them, each log with its checks, and the verdict. */
export function Team({ params }: ScreenProps) {
  const { board, uid, team, teams, place, verdicts, progress, goTo, next } = useTeams(params, true);
  const { from, until, kind, at, log, queue } = params;
  const asked = uid === undefined ? undefined : { uid, from, until, kind };
  const { value: timeline, problem, isOld } = useAnswer('timeline', asked);
  const { isRecorded } = useWork().workOf(uid);
  const verdict = useRef<HTMLElement>(null);
  const findings = timeline?.findings ?? [];
  const runs = runsOf(findings, kind !== undefined);
  const run = runs.find(({ all }) => all.some(({ id }) => id === at));
  // A reviewer who goes on has read the result of the verdict.
  useEffect(() => () => settle(uid ?? ''), [uid, at]);
  const toNext = () => goTo(next);
  const toFinding = (by: number) => {
    const next = !run && by < 0 ? runs.at(-1) : stepIn(runs, run ? runs.indexOf(run) : -1, by);
    if (next) change({ at: next.id, log: undefined });
  };
  const zoom = (factor: number) => {
    if (!timeline) return;
    const middle =
      findings.find(({ id }) => id === at)?.at ??
      timeline.dots.find(({ id }) => `o${id}` === at)?.at ??
      (timeline.from + timeline.until) / 2;
    const half = ((timeline.until - timeline.from) * factor) / 2;
    const { period } = timeline;
    change({
      from: Math.round(Math.max(period.from, middle - half)),
      until: Math.round(Math.min(period.until, middle + half)),
    });
  };
  const toBiggest = () => {
    const [biggest] = timeline?.dots.toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0)) ?? [];
    if (biggest?.value) change({ at: `o${biggest.id}`, log: undefined });
  };
  /** On a wide screen, the verdict is always there; on a narrow one, it is a drawer over the log. */
  const toVerdict = () => {
    const isNarrow = verdict.current && getComputedStyle(verdict.current).position === 'fixed';
    if (isNarrow) change({ verdict: params.verdict ? undefined : 1 });
    if (!isNarrow || !params.verdict) requestAnimationFrame(() => verdict.current?.focus());
  };
  const isHere = timeline?.uid === uid && !isOld;
  const keys = {
    ...(isRecorded ? { 'n Enter': { does: 'next team that you have not judged', run: toNext } } : {}),
    'n ArrowRight ArrowDown': { does: 'next finding', run: () => toFinding(1) },
    'p ArrowLeft ArrowUp': { does: 'previous finding', run: () => toFinding(-1) },
    o: { does: 'the next log beside it', run: () => change({ log: Number(log ?? 0) + 1 }) },
    i: { does: 'the log before', run: () => change({ log: Math.max(0, Number(log ?? 0) - 1) }) },
    b: { does: 'its biggest order', run: toBiggest },
    '+ =': { does: 'zoom in', run: () => zoom(0.5) },
    '-': { does: 'zoom out', run: () => zoom(2) },
    0: { does: 'the whole period', run: () => change({ from: undefined, until: undefined }) },
    v: { does: 'the verdict', run: toVerdict },
    ...(params.verdict ? { Escape: { does: 'close the verdict', run: () => change({ verdict: undefined }) } } : {}),
  };
  useKeys(keys, 'screen', isHere);
  if (problem) return <Notice problem={problem} />;
  if (board && board.teams.length === 0)
    return <Empty>There are no teams and no logs. The board says how to begin: 1.</Empty>;
  if (!timeline || uid === undefined) return <Empty>Reading the timeline …</Empty>;
  const own = verdicts?.[uid]?.own;
  return (
    <>
      <div class="bar">
        <h2>
          {uid} <Name status={team?.status}>{team?.team}</Name>
        </h2>
        {team && <Reasons team={team} board={board} />}
        {own && <span class="tag own">you: {wordsOf(own).toLowerCase()}</span>}
        <button type="button" class="narrow" aria-expanded={params.verdict !== undefined} onClick={toVerdict}>
          <kbd>v</kbd> Verdict
        </button>
        <span class="push" />
        <span class="quiet" role="status">
          {team && `${team.entries} logs · `}
          {timeline.orders} orders{from && ' in this window'} · {place + 1 || '–'} of {teams.length} teams
          {params.reason && ` with “${reasonsIn(params).join(' or ')}”`}
          {queue && `, ${QUEUES[queue as 'draft']}`}
          {progress && ` · ${progress}`}
        </span>
      </div>
      <div class="judging">
        <div>
          <Chart timeline={timeline} at={at} />
          <div class="columns">
            <Findings timeline={timeline} runs={runs} run={run} params={params} />
            <section class="log" aria-label="Its order and log">
              {at ? (
                <Detail uid={timeline.uid} at={at} log={log} />
              ) : (
                <Empty>
                  {runs.length > 0 && 'n opens the first finding. '}A dot opens its order and log. j goes to the next
                  team.
                </Empty>
              )}
            </section>
          </div>
        </div>
        <aside ref={verdict} tabIndex={-1} class={params.verdict ? 'drawn' : ''} aria-label="Verdict">
          <button type="button" class="narrow" onClick={toVerdict}>
            <kbd>v</kbd> Close
          </button>
          <Verdict key={uid} uid={uid} team={team} next={toNext} />
        </aside>
      </div>
    </>
  );
}
