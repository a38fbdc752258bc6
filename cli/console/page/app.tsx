import { type ComponentType, render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../server/routes.ts';
import { CLOSED, type Problem, read, Status, send } from './answers.ts';
import { Board } from './board.tsx';
import { Copies } from './copies.tsx';
import { loadDrafts } from './drafts.ts';
import { lookAgain, useEvents } from './events.ts';
import { Help, useKeys } from './keys.tsx';
import { Orders } from './orders.tsx';
import { Copy, csvShown, Notice, Remove } from './parts.tsx';
import { followLinks, go, linkTo, type ScreenProps, usePlace } from './place.ts';
import { Search } from './search.tsx';
import { enter } from './session.ts';
import { Team } from './team.tsx';
import { sayWork, settle, useWork } from './work.ts';

/** The screens by their paths, in the order of their keys. To add a screen, write its file and name it here. */
const screens: readonly { path: string; name: string; Screen: ComponentType<ScreenProps> }[] = [
  { path: '', name: 'Board', Screen: Board },
  { path: 'team', name: 'Team', Screen: Team },
  { path: 'copies', name: 'Copies', Screen: Copies },
  { path: 'search', name: 'Search', Screen: Search },
];

/** The pause between two looks at the server while entries are read, in milliseconds. */
const BUSY_MS = 1000;
/** The pause otherwise. */
const IDLE_MS = 5000;

/** Reads the state of the console every few seconds. */
function useStatus() {
  const [status, set] = useState<Answer<'status'>>();
  const [problem, setProblem] = useState<Problem>();
  const timer = useRef(0);
  const look = async () => {
    clearTimeout(timer.current);
    let pause = BUSY_MS;
    try {
      const now = await read('status');
      set(now);
      setProblem(undefined);
      if (!now.isMaking && now.view > 0 && now.sync.doing !== 'reading') pause = IDLE_MS;
    } catch (failed) {
      setProblem(failed as Problem);
    }
    clearTimeout(timer.current);
    timer.current = window.setTimeout(look, pause);
  };
  useEvents(['changed'], look);
  // Another tab may have changed drafts meanwhile.
  useEvents(['focus'], loadDrafts);
  useEffect(() => {
    void look();
    void loadDrafts();
  }, []);
  return { status, problem };
}

/** Shows the work on teams other than the shown one, and its results. */
function Works({ uid }: { uid: string | undefined }) {
  const { works } = useWork();
  return (
    <div role="status">
      {[...works].map(
        ([team, work]) =>
          team !== uid && (
            <p class="hint">
              <a href={linkTo('team', { uid: team })}>{team}</a>: {work.problem?.message} {sayWork(work)}{' '}
              {work.doing.length === 0 && (
                <Remove name={`Close what is said about ${team}`} onClick={() => settle(team)} />
              )}
            </p>
          ),
      )}
    </div>
  );
}

/** Says how far the rows are. */
function Progress({ status }: { status: Answer<'status'> }) {
  const { sync, isMaking } = status;
  const rows = sync.rows.toLocaleString('en').replaceAll(',', ' ');
  const doing =
    sync.doing === 'reading'
      ? `reading new logs … ${sync.rows > 0 ? rows : ''}`
      : isMaking
        ? 'making figures …'
        : sync.doing === 'off'
          ? 'new logs are not read'
          : sync.problem
            ? 'new logs could not be read'
            : `as of ${new Date(sync.readAt ?? 0).toISOString().slice(11, 16)} UTC`;
  return (
    <>
      <span class="target" title={status.target}>
        {status.target}
      </span>
      <span class="quiet progress" role="status" title={doing}>
        {doing}
      </span>
      {sync.doing === 'waiting' && (
        <button type="button" onClick={() => send('syncNow', {}).then(lookAgain, lookAgain)}>
          Read new logs
        </button>
      )}
    </>
  );
}

export function App() {
  const { screen, params } = usePlace();
  const { status, problem } = useStatus();
  const [isHelp, setHelp] = useState(false);
  const [isMore, setMore] = useState(false);
  const shown = screens.find(({ path }) => path === screen);
  useEffect(() => {
    const about = screen === 'search' ? params.q?.replaceAll('|', ' or ') : screen === '' ? params.reason : params.uid;
    document.title = [about, shown?.name, 'Review console'].filter(Boolean).join(' · ');
  });
  /** The parameters that the next screen keeps: the team, and which teams are gone through. */
  const { uid, reason, sort, queue } = params;
  const keep = { uid, reason, sort, queue };
  const keys = {
    ...Object.fromEntries(
      screens.map(({ path, name }, place) => [place + 1, { does: name, run: () => go(linkTo(path, keep)) }]),
    ),
    '?': { does: 'these keys', run: () => setHelp((before) => !before) },
  };
  useKeys(keys, 'page');
  const trouble = problem ?? status?.problem ?? status?.sync.problem;
  return (
    <Status.Provider value={status}>
      <header class="top">
        <h1>Review console</h1>
        <nav aria-label="Screens">
          {screens.map(({ path, name }, place) => (
            <a href={linkTo(path, keep)} aria-current={path === screen ? 'page' : undefined}>
              <kbd>{place + 1}</kbd> {name}
            </a>
          ))}
        </nav>
        <span class="push" />
        <button type="button" class="more" aria-expanded={isMore} onClick={() => setMore(!isMore)}>
          More
        </button>
        <div class={isMore ? 'tools drawn' : 'tools'}>
          {status && <Progress status={status} />}
          <span class="push" />
          {status && <Orders status={status} />}
          {status && (
            <span class={status.canWrite ? 'tag writing' : 'quiet'}>{status.canWrite ? 'writing' : 'read only'}</span>
          )}
          <Copy name="Copy link" title="Copy this view as a link" text={() => location.href} />
          <Copy name="Copy CSV" title="Copy this view as CSV" text={csvShown} />
          <button type="button" onClick={() => setHelp(true)}>
            <kbd>?</kbd> Keys
          </button>
        </div>
      </header>
      {trouble && <Notice problem={trouble} />}
      <Works uid={screen === 'team' ? uid : undefined} />
      <main>
        {shown ? <shown.Screen params={params} /> : <Notice problem={{ message: 'There is no such screen.' }} />}
      </main>
      {isHelp && <Help close={() => setHelp(false)} />}
    </Status.Provider>
  );
}

followLinks();
const isOpen = await enter().catch(() => false);
document.body.replaceChildren();
render(isOpen ? <App /> : <Notice problem={CLOSED} />, document.body);
