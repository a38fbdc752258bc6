import type { ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DraftChange } from '../server/draft.ts';
import type { Answer } from '../server/routes.ts';
import { type Problem, Status, useAnswer } from './answers.ts';
import { useDrafts } from './drafts.ts';
import { isTyping, useKeys } from './keys.tsx';
import { Notice, Remove, signedAt } from './parts.tsx';
import { change } from './place.ts';
import { clockOf } from './scale.ts';
import { Standing } from './standing.tsx';
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
} from './work.ts';

type Case = Answer<'case'>;

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
      <span class="quiet">
        {pins.length > 0 ? 'Pinned to the verdict:' : 'No log is pinned to the verdict: x pins the one that is shown.'}
      </span>
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

/** The form of a verdict, and the verdicts that stand. Texts are kept as a draft until the verdict is recorded. */
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
  /** A reviewer who submits in a field has finished it. */
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
    if (!work.isRecorded) return;
    form.current?.querySelector<HTMLElement>('.next')?.focus();
    // The recorded verdict stands above the form.
    form.current?.parentElement?.scrollTo(0, 0);
  }, [work.hasGaps, work.isRecorded]);
  const [hasSample, setSample] = useState(false);
  const standing = found && <Standing found={found} />;
  const texts = [
    ['text', 4, 'Why, for the other reviewers and the record'],
    ['read', 2, `What you read, in a sentence: “${draft.reason}” is a question`],
  ] as const;
  const sample = draft.sample ?? { seed: '', size: 60, failures: 0 };
  return (
    <>
      {found?.own && standing}
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
              <legend>{found?.own ? 'Change your verdict' : 'Your verdict'}</legend>
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
          {texts.slice(0, needsRead(draft, found?.codes) ? 2 : 1).map(([name, rows, label]) => (
            <Field name={name} gaps={gaps}>
              <label>
                {name === 'text' && <kbd>t</kbd>} {label}
                <textarea
                  rows={rows}
                  aria-invalid={gaps[name] !== undefined}
                  value={draft[name] ?? ''}
                  onInput={({ currentTarget }) => put({ [name]: currentTarget.value })}
                />
              </label>
            </Field>
          ))}
          {gaps.pins && <p class="failed">{gaps.pins}</p>}
          <Field name="sample" gaps={gaps}>
            <details
              open={hasSample || draft.sample !== undefined}
              onToggle={({ currentTarget }) => setSample(currentTarget.open)}
            >
              <summary>Sample that you read</summary>
              <div class="chips">
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
              </div>
            </details>
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
              <button type="submit" class={Object.keys(own).length > 0 ? 'main' : ''}>
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
      {!found?.own && standing}
    </>
  );
}
