import type { ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { formatTime } from '../../shell/text/time.ts';
import type { DraftChange } from '../server/draft.ts';
import type { Answer } from '../server/routes.ts';
import { type Problem, Status, useAnswer } from './answers.ts';
import { useDrafts } from './drafts.ts';
import { isTyping, useKeys } from './keys.tsx';
import { Notice, Remove, Shape, signedAt } from './parts.tsx';
import { change, linkTo } from './place.ts';
import { clockOf } from './scale.ts';
import type { Team } from './teams.tsx';
import {
  buildStatement,
  CHOICES,
  disqualify,
  type Gaps,
  gapsOf,
  needsRead,
  record,
  saySample,
  sayWork,
  useWork,
  withdraw,
  withReason,
  wordsOf,
} from './work.ts';

type Case = Answer<'case'>;

/** A verdict with everything that its author attached. */
function Said({ record, found }: { record: Case['records'][number]; found: Case }) {
  const { verdict, reason, text, read, entries = [], sample, evidence, period } = record;
  const stands = found.standing.includes(record.id);
  return (
    <li class={stands ? '' : 'past'}>
      <strong>
        <Shape kind={verdict} /> {wordsOf(verdict)}
      </strong>{' '}
      {reason && <span class="tag">{reason}</span>} {stands ? '' : '(no longer stands) '}
      <span class="quiet">
        {record.id === found.own ? 'you, ' : ''}
        {record.by}, written {formatTime(record.at)} (author’s clock)
      </span>
      {text && <p class="said">{text}</p>}
      {read && <p class="said">Read: {read}</p>}
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

/** What reviewers say about a team, as far as the reviewer may see it. */
function Standing({ found }: { found: Case }) {
  const others = found.hidden === 1 ? 'Another reviewer has' : `${found.hidden} other reviewers have`;
  return (
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
          <Said key={record.id} record={record} found={found} />
        ))}
      </ol>
    </section>
  );
}

/** A field with what is missing in it. */
function Field({ name, gaps, children }: { name: keyof Gaps; gaps: Gaps; children: ComponentChildren }) {
  return (
    <div class={gaps[name] ? 'gap' : ''} data-field={name}>
      {children}
      {gaps[name] && <p class="failed">{gaps[name]}</p>}
    </div>
  );
}

/** The logs that are pinned to the verdict about a team. */
export function Pins({ uid }: { uid: string }) {
  const drafts = useDrafts();
  const { pins = [] } = drafts.read(uid);
  const clock = clockOf(pins.map(signedAt));
  return (
    <fieldset class="chips" aria-label="Pinned logs">
      <span class="quiet">pinned: {pins.length === 0 && 'none; x pins a log'}</span>
      {pins.map((id) => (
        <span class="tag">
          <button type="button" class="pin" title={id} onClick={() => change({ at: `e${id}`, log: undefined })}>
            {clock(signedAt(id))}
          </button>
          <Remove
            name={`Leave out ${id}`}
            onClick={() => drafts.change(uid, { pins: pins.filter((pin) => pin !== id) })}
          />
        </span>
      ))}
    </fieldset>
  );
}

/** Says that what is written is in this tab only. */
const unkept = ({ message, advice }: Problem): Problem => ({ message: `Drafts are not kept: ${message}`, advice });

/** The form of a verdict, and what stands. What is written is kept as a draft until it is recorded. */
export function Verdict({ uid, team, next }: { uid: string; team: Team | undefined; next: () => void }) {
  const status = useContext(Status);
  const drafts = useDrafts();
  const { turn, workOf } = useWork();
  const { value: found, problem } = useAnswer('case', { uid, turn });
  const form = useRef<HTMLFormElement>(null);
  const own = drafts.read(uid);
  const lookAt = team?.lookAt ?? [];
  const draft = withReason(own, lookAt, found?.codes);
  const work = workOf(uid);
  const gaps = work.hasGaps ? gapsOf(draft, found?.codes) : {};
  const put = (change: DraftChange) => drafts.change(uid, change);
  const submit = () => record(uid, own, lookAt);
  /** Who submits in a field has written it. */
  const submitField = () => {
    form.current?.querySelector<HTMLElement>('[type=submit]')?.focus();
    submit();
  };
  // The team's reasons come first, and facts before questions.
  const rank = ({ code, isFact }: Case['codes'][number]) => 2 * Number(lookAt.includes(code as never)) + Number(isFact);
  const codes = found?.codes.toSorted((a, b) => rank(b) - rank(a)) ?? [];
  const nextReason = () => {
    const place = codes.findIndex(({ code }) => code === draft.reason);
    put({ reason: codes[(place + 1) % codes.length]?.code ?? '' });
  };
  const choices = CHOICES.map(
    ([key, verdict, words]) => [key, { does: `verdict: ${words.toLowerCase()}`, run: () => put({ verdict }) }] as const,
  );
  const write = {
    ...Object.fromEntries(choices),
    c: { does: 'the next reason', run: nextReason },
    t: { does: 'write why; Escape leaves the text', run: () => form.current?.querySelector('textarea')?.focus() },
    s: { does: 'build a statement', run: () => buildStatement(uid) },
    r: { does: 'record the verdict; in a field, Ctrl and Enter', run: submit },
    z: { does: 'withdraw your verdict', run: () => withdraw(uid) },
  };
  useKeys(status?.canWrite ? write : {});
  // The first field with a gap gets the focus, or what comes next, before another key is pressed.
  useLayoutEffect(() => {
    if (isTyping()) return;
    const [first] = Object.keys(gaps);
    const field = first && form.current?.querySelector(`[data-field=${first}]`);
    if (field) {
      field.querySelector<HTMLElement>('input, textarea, button')?.focus();
      // Above the buttons, which would hide what is missing in it.
      field.scrollIntoView({ block: 'center' });
    }
    if (work.isRecorded) form.current?.querySelector<HTMLElement>('.next')?.focus();
  }, [work.hasGaps, work.isRecorded]);
  const sample = draft.sample ?? { seed: '', size: 60, failures: 0 };
  return (
    <>
      {status?.canWrite ? (
        <form
          ref={form}
          class="verdict"
          aria-label="Your verdict"
          aria-busy={work.doing.length > 0}
          onSubmit={(event) => {
            event.preventDefault();
            submitField();
          }}
          onKeyDown={({ ctrlKey, metaKey, key }) => (ctrlKey || metaKey) && key === 'Enter' && submitField()}
        >
          <Field name="verdict" gaps={gaps}>
            <fieldset class="chips">
              <legend>Your verdict</legend>
              {CHOICES.map(([key, verdict, words]) => (
                <label class="button">
                  <input
                    type="radio"
                    name="verdict"
                    value={verdict}
                    checked={draft.verdict === verdict}
                    onChange={() => put({ verdict })}
                  />{' '}
                  <kbd>{key}</kbd> {words}
                </label>
              ))}
            </fieldset>
          </Field>
          <Field name="reason" gaps={gaps}>
            <fieldset class="chips">
              <legend>
                <kbd>c</kbd> Reason
              </legend>
              {codes.map(({ code, text, isFact }) => (
                <button
                  type="button"
                  class={isFact ? 'chip fact' : 'chip question'}
                  title={text}
                  aria-pressed={draft.reason === code}
                  onClick={() => put({ reason: draft.reason === code ? '' : code })}
                >
                  {code}
                </button>
              ))}
            </fieldset>
            <p class="quiet">{codes.find(({ code }) => code === draft.reason)?.text}</p>
          </Field>
          <Field name="text" gaps={gaps}>
            <label>
              <kbd>t</kbd> Why, for the other reviewers and the record
              <textarea
                rows={4}
                aria-invalid={gaps.text !== undefined}
                value={draft.text ?? ''}
                onInput={({ currentTarget }) => put({ text: currentTarget.value })}
              />
            </label>
          </Field>
          {needsRead(draft, found?.codes) && (
            <Field name="read" gaps={gaps}>
              <label>
                What you read, in a sentence: “{draft.reason}” is a question
                <textarea
                  rows={2}
                  aria-invalid={gaps.read !== undefined}
                  value={draft.read ?? ''}
                  onInput={({ currentTarget }) => put({ read: currentTarget.value })}
                />
              </label>
            </Field>
          )}
          {gaps.pins && <p class="failed">{gaps.pins}</p>}
          <Field name="sample" gaps={gaps}>
            <fieldset class="chips">
              <legend>Sample that you read, if any</legend>
              {(['seed', 'size', 'failures'] as const).map((name) => (
                <label>
                  {name === 'size' ? 'logs' : name}{' '}
                  <input
                    {...(name === 'seed'
                      ? { maxLength: 40, size: 8 }
                      : { type: 'number', min: name === 'size' ? 1 : 0, max: 999_999 })}
                    value={sample[name]}
                    onInput={({ currentTarget: { value } }) => {
                      const changed = { ...sample, [name]: name === 'seed' ? value : Number(value) };
                      const isEmpty = changed.seed === '' && changed.size === 60 && changed.failures === 0;
                      put({ sample: isEmpty ? undefined : changed });
                    }}
                  />
                </label>
              ))}
              {sample.seed !== '' && <span class="quiet">{saySample(sample.size, sample.failures)}</span>}
            </fieldset>
          </Field>
          <p>
            {found && found.statements.length > 0 && (
              <label>
                Statement{' '}
                <select
                  value={draft.statement ?? found.statements[0]}
                  onChange={({ currentTarget }) => put({ statement: currentTarget.value })}
                >
                  {found.statements.map((file) => (
                    <option value={file}>{file}</option>
                  ))}
                </select>
              </label>
            )}{' '}
            <button type="button" onClick={() => buildStatement(uid)}>
              <kbd>s</kbd> Build a statement
            </button>
          </p>
          <div class="actions">
            <p role="status">{sayWork(work)}</p>
            {work.problem && <Notice problem={work.problem} />}
            {drafts.problem && <Notice problem={unkept(drafts.problem)} />}
            <p class="chips">
              {work.isRecorded && (
                <button type="button" class="main next" onClick={next}>
                  <kbd>n</kbd> Next team that you have not judged
                </button>
              )}
              <button type="submit" class="main">
                <kbd>r</kbd> Record the verdict
              </button>
              {found?.own && (
                <button type="button" onClick={() => withdraw(uid)}>
                  <kbd>z</kbd> Withdraw yours
                </button>
              )}
              {found?.isAgreed && found.status !== 'disqualified' && (
                <button
                  type="button"
                  class="danger"
                  onClick={() =>
                    confirm(`Disqualify UID ${uid}? Its uploads are rejected from now on.`) && disqualify(uid)
                  }
                >
                  Disqualify the team
                </button>
              )}
            </p>
          </div>
        </form>
      ) : (
        <p class="hint">
          This console only reads. Start it with --write to record verdicts{found && ` as ${found.caller}`}.
        </p>
      )}
      {problem && <Notice problem={problem} />}
      {found?.notes.map((message) => (
        <Notice problem={{ message }} />
      ))}
      {found && <Standing found={found} />}
    </>
  );
}
