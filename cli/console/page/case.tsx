import { useContext, useRef, useState } from 'preact/hooks';
import { excludedShare } from '../../shell/text/numbers.ts';
import { formatTime } from '../../shell/text/time.ts';
import type { Answer, changes } from '../server/routes.ts';
import { type Problem, Status, send, useAnswer } from './answers.ts';
import { useKeys } from './keys.tsx';
import { Empty, Notice, Shape } from './parts.tsx';
import { change, go, linkTo, pinsIn, type ScreenProps } from './place.ts';
import { Strip } from './strip.tsx';
import { COLUMNS, useTeams } from './teams.tsx';

type Case = Answer<'case'>;

/** What can be said: its key, its value and its words. */
const CHOICES = [
  ['l', 'looked-at', 'Looked at'],
  ['e', 'explained', 'Explained'],
  ['a', 'ask-team', 'Ask the team'],
  ['d', 'disqualify', 'Disqualify'],
] as const;

const wordsOf = (verdict: string) => CHOICES.find(([, value]) => value === verdict)?.[2] ?? 'Withdrawn';

/** Says what came of a sample, and what it excludes. */
const saySample = (size: number, failures: number): string =>
  failures > 0
    ? `${failures} of ${size} failed`
    : `none of ${size} failed, so fewer than ${(100 * excludedShare(size)).toFixed(1)} % of all do, at 95 % confidence`;

/** A verdict with everything that its author attached. */
function Verdict({ record, found }: { record: Case['records'][number]; found: Case }) {
  const { verdict, reason, text, entries = [], sample, evidence, period } = record;
  const stands = found.standing.includes(record.id);
  return (
    <li class={stands ? '' : 'past'}>
      <strong>
        <Shape kind={verdict} /> {wordsOf(verdict)}
      </strong>{' '}
      {reason && <span class="tag">{reason}</span>} {stands ? '' : '(no longer stands) '}
      <span class="quiet">
        {record.id === found.own ? 'you, ' : ''}
        {record.arn}, written {formatTime(record.at)} (author’s clock)
      </span>
      {text && <p class="said">{text}</p>}
      {entries.map((id) => (
        <a class="pin" href={linkTo('team', { uid: found.uid, at: `e${id}` })}>
          {id}
        </a>
      ))}
      {sample && (
        <p class="quiet">
          <a href={linkTo('search', { uid: found.uid, n: sample.size, seed: sample.seed })}>
            Sample with the seed {sample.seed}
          </a>
          : {saySample(sample.size, sample.failures)}.
        </p>
      )}
      {evidence && (
        <p class="quiet">
          Statement {evidence.file}, SHA-256 <code>{evidence.sha256}</code>
        </p>
      )}
      {period && (
        <p class="quiet">
          Figures from {formatTime(Date.parse(period.from))} to {formatTime(Date.parse(period.until))}.
        </p>
      )}
    </li>
  );
}

/** Sends a change, and says what comes of it. */
type Run = (doing: keyof typeof changes, body: object, done?: string) => Promise<void>;

/** The form of a verdict. */
function Form({ found, params, isBusy, run }: { found: Case; isBusy: boolean; run: Run } & ScreenProps) {
  const pins = pinsIn(params);
  const form = useRef<HTMLFormElement>(null);
  const [verdict, setVerdict] = useState('');
  const [sample, setSample] = useState({ seed: params.seed ?? '', size: Number(params.n ?? 60), failures: 0 });
  const { uid } = found;
  const choices = CHOICES.map(([key, value, words]) => {
    return [key, { does: `verdict: ${words.toLowerCase()}`, run: () => setVerdict(value) }] as const;
  });
  useKeys({
    ...Object.fromEntries(choices),
    t: { does: 'write why', run: () => form.current?.querySelector('textarea')?.focus() },
    s: { does: 'build a statement', run: () => run('buildStatement', { uid }) },
    r: { does: 'record the verdict; in a field, Ctrl and Enter', run: () => form.current?.requestSubmit() },
    z: { does: 'withdraw your verdict', run: () => found.own && run('undoVerdict', { uid }) },
  });
  const submit = (event: Event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form.current as HTMLFormElement));
    const { reason, text, statement } = given;
    const drawn = sample.seed === '' ? undefined : sample;
    const body = { uid, verdict, reason, text, entries: pins, sample: drawn, statement: statement || undefined };
    run('addVerdict', body, `Recorded: ${wordsOf(verdict).toLowerCase()}.`);
  };
  return (
    <form
      ref={form}
      class="verdict"
      onSubmit={submit}
      onKeyDown={({ ctrlKey, key }) => ctrlKey && key === 'Enter' && form.current?.requestSubmit()}
      aria-label="Your verdict"
      aria-busy={isBusy}
    >
      <fieldset class="chips">
        <legend>Your verdict</legend>
        {CHOICES.map(([key, value, words]) => (
          <label class="button">
            <input
              type="radio"
              name="verdict"
              value={value}
              required
              checked={verdict === value}
              onChange={() => setVerdict(value)}
            />{' '}
            <kbd>{key}</kbd> {words}
          </label>
        ))}
      </fieldset>
      <label>
        Reason{' '}
        <select name="reason" required={verdict !== '' && verdict !== 'looked-at'}>
          <option value="">none</option>
          {found.codes.map(({ code, text }) => (
            <option value={code}>
              {code}: {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        Why, for the other reviewers and the record{' '}
        <textarea name="text" rows={3} maxLength={1000} required={verdict === 'disqualify'} />
      </label>
      <p>
        Pinned logs: {pins.length === 0 && <span class="quiet">none; “Pin” beside a log adds it.</span>}
        {pins.map((id) => (
          <button
            type="button"
            class="pin"
            aria-label={`Leave out ${id}`}
            onClick={() => change({ pins: pins.filter((pin) => pin !== id).join(' ') })}
          >
            {id} ×
          </button>
        ))}
      </p>
      <fieldset class="chips">
        <legend>Sample that you read, if any</legend>
        {(['seed', 'size', 'failures'] as const).map((name) => (
          <label>
            {name === 'size' ? 'logs' : name}{' '}
            <input
              {...(name === 'seed'
                ? { maxLength: 40, size: 10 }
                : { type: 'number', min: name === 'size' ? 1 : 0, max: 999_999 })}
              value={sample[name]}
              onInput={({ currentTarget: { value } }) =>
                setSample({ ...sample, [name]: name === 'seed' ? value : Number(value) })
              }
            />
          </label>
        ))}
        {sample.seed !== '' && sample.size > 0 && <span class="quiet">{saySample(sample.size, sample.failures)}</span>}
      </fieldset>
      <p>
        <label>
          Statement{' '}
          <select name="statement" required={verdict === 'disqualify' && found.entries > 0}>
            <option value="">none</option>
            {found.statements.map((file, place) => (
              <option value={file} selected={place === 0}>
                {file}
              </option>
            ))}
          </select>
        </label>{' '}
        <button type="button" disabled={isBusy} onClick={() => run('buildStatement', { uid })}>
          <kbd>s</kbd> Build a statement
        </button>
      </p>
      <p class="chips">
        <button type="submit" class="main" disabled={isBusy}>
          <kbd>r</kbd> Record the verdict
        </button>
        {found.own && (
          <button type="button" onClick={() => run('undoVerdict', { uid })}>
            <kbd>z</kbd> Withdraw yours
          </button>
        )}
        {found.isAgreed && found.status !== 'disqualified' && (
          <button
            type="button"
            class="danger"
            onClick={() =>
              confirm(`Disqualify UID ${uid}? Its uploads are rejected from now on.`) &&
              run('disqualify', { uid }, `UID ${uid} is disqualified.`)
            }
          >
            Disqualify the team
          </button>
        )}
      </p>
    </form>
  );
}

/** The change that is under way, or what came of the last one. */
type Progress = { doing?: string; problem?: Problem; said?: string };

/**
 * The form, and what came of the last change. After a verdict, the form is empty again.
 * @param isOld a newer case is being read: until it is here, the form waits, and nothing is said
 */
function Judge({ found, isOld, params, again }: { found: Case; isOld: boolean; again: () => void } & ScreenProps) {
  const [{ doing, problem, said }, set] = useState<Progress>({});
  const isSending = useRef(false);
  const run: Run = async (doing, body, done) => {
    // A key that is pressed twice records one verdict.
    if (isSending.current || isOld) return;
    isSending.current = true;
    set({ doing });
    try {
      const answer = await send(doing, body);
      set({ said: done ?? ('said' in answer ? answer.said : '') });
    } catch (problem) {
      set({ problem: problem as Problem });
    }
    isSending.current = false;
    again();
  };
  const isBusy = doing !== undefined || isOld;
  return (
    <div>
      <Form key={found.own} found={found} params={params} isBusy={isBusy} run={run} />
      <p role="status">{doing === 'buildStatement' ? 'Building the statement …' : isBusy ? '' : said}</p>
      {problem && <Notice problem={problem} />}
    </div>
  );
}

/** The case of a team: what reviewers say about it, and the form for one's own verdict. */
export function CaseScreen({ params }: ScreenProps) {
  const { board, team, uid, linkOf, head } = useTeams(params, 'case');
  const status = useContext(Status);
  const [turn, setTurn] = useState(0);
  const asked = uid === undefined ? undefined : { uid, turn };
  const { value: found, problem, isOld } = useAnswer('case', asked);
  if (problem) return <Notice problem={problem} />;
  if (board && board.teams.length === 0) return <Empty>There are no teams and no logs.</Empty>;
  if (!found) return <Empty>Reading the case …</Empty>;
  const others = found.hidden === 1 ? 'Another reviewer has' : `${found.hidden} other reviewers have`;
  return (
    <>
      {head(
        <>
          {found.status !== 'approved' && <span class="tag">{found.status}</span>}
          <a href={linkOf('team')}>its timeline</a>
        </>,
      )}
      {board && team && (
        <div class="hint">
          {COLUMNS.map((column) => (
            <span class="figure" title={column.about}>
              {column.name} <strong>{column.text(team)}</strong>
            </span>
          ))}
          <Strip team={team} period={board.period} open={(at) => go(linkTo('team', { uid: team.uid, ...at }))} />
        </div>
      )}
      {found.notes.map((message) => (
        <Notice problem={{ message }} />
      ))}
      <div class="case">
        <section aria-label="Verdicts">
          <h3>{found.isAgreed ? 'Two people agree to disqualify this team' : 'What reviewers say'}</h3>
          {found.withdrew.length > 0 && (
            <p>{found.withdrew.join(', ')} took it back. It stands until a second person withdraws too.</p>
          )}
          {found.status === 'disqualified' && <p>Disqualified: {found.statusReason}</p>}
          {found.hidden > 0 && <p>{others} judged this team. You see their verdicts after you give yours.</p>}
          {found.records.length === 0 && found.hidden === 0 && <p class="quiet">Nobody has judged this team.</p>}
          <ol>
            {found.records.toReversed().map((record) => (
              <Verdict key={record.id} record={record} found={found} />
            ))}
          </ol>
        </section>
        {status?.canWrite ? (
          <Judge
            key={found.uid}
            found={found}
            isOld={isOld}
            params={params}
            again={() => setTurn((before) => before + 1)}
          />
        ) : (
          <Empty>This console only reads. Start it with --write to record verdicts as {found.caller}.</Empty>
        )}
      </div>
    </>
  );
}
