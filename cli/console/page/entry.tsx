import { useContext, useState } from 'preact/hooks';
import { formatTime } from '../../shell/text/time.ts';
import type { Answer } from '../server/routes.ts';
import { type Problem, read, Status, save, useAnswer, usePages } from './answers.ts';
import { Copy, Facts, Marked, More, Notice, Shape, signedAt } from './parts.tsx';

type Line = Answer<'entry'>['lines'][number];

/** A member of the body itself: two blanks, its name, and the rest of its line. */
const MEMBER = /^ {2}("(?:[^"\\]|\\.)*"):(.*)$/;

/** A line of a text with line breaks, after its indentation. */
const PROSE = /^ *\| (.*)$/;

/** A line of a body, as `ailog logs show` prints it. */
function BodyLine({ line: { text, isContinued }, terms }: { line: Line; terms: readonly string[] }) {
  const [, prose] = (!isContinued && PROSE.exec(text)) || [];
  const [, name, value] = (!isContinued && MEMBER.exec(text)) || [];
  return (
    <div class={`line ${prose !== undefined ? 'prose' : name ? 'member' : ''}`}>
      {name && <strong>{name}</strong>}
      {name && ':'}
      <Marked text={(prose ?? value ?? text) || ' '} terms={terms} />
    </div>
  );
}

/** The checks of an entry, made now. */
function Checks({ uid, entryId }: { uid: string; entryId: string }) {
  const { value: checks, problem, isReading } = useAnswer('checks', { uid, id: entryId });
  if (problem) return <Notice problem={problem} />;
  if (!checks || isReading) return <p class="checks quiet">Checking digest, fields, signature, time and inclusion …</p>;
  return (
    <ul class="checks" aria-label="Checks">
      {checks.map(({ name, state, finding }) => (
        <li>
          <Shape kind={state} /> {name} <span class={state === 'ok' ? 'quiet' : state}>{finding}</span>
        </li>
      ))}
    </ul>
  );
}

/** A command to paste into a terminal. */
export function Command({ words }: { words: readonly string[] }) {
  const line = ['npx ailog', ...words].join(' ');
  return (
    <span class="command">
      <code>{line}</code>
      <Copy name="Copy" title="Copy the command" text={() => line} />
    </span>
  );
}

/** A log: its checks, its text, its attributes, and the command that shows it. All of it comes from the table. */
export function Entry({ uid, entryId, terms = [] }: { uid: string; entryId: string; terms?: readonly string[] }) {
  const { value: entry, problem, isReading } = useAnswer('entry', { uid, id: entryId });
  const status = useContext(Status);
  const [unsaved, setUnsaved] = useState<Problem>();
  const pages = usePages(entry, (from) => read('entry', { uid, id: entryId, from }));
  if (problem) return <Notice problem={problem} />;
  if (!entry) return <p class="hint">Reading the log …</p>;
  return (
    <article class="entry" aria-busy={isReading} aria-label={`Log ${entryId}`}>
      <h2>
        Log of {uid}, signed {formatTime(signedAt(entryId))}
      </h2>
      <Checks uid={uid} entryId={entryId} />
      {entry.isDamaged && (
        <Notice problem={{ message: 'The body is damaged.', advice: 'ailog logs verify names such entries.' }} />
      )}
      {entry.explanation !== null && (
        <p class="explanation">
          <Marked text={entry.explanation} terms={terms} />
        </p>
      )}
      <div class="body">
        {pages.all.flatMap(({ lines }) => lines.map((line) => <BodyLine line={line} terms={terms} />))}
        <More {...pages}>Show more of the body</More>
      </div>
      <details>
        <summary>Attributes and the exact body</summary>
        <Facts facts={entry.facts} />
        <button type="button" onClick={() => save('body', { uid, id: entryId }, `${entryId}.json`).catch(setUnsaved)}>
          Save the exact body
        </button>
        {unsaved && <Notice problem={unsaved} />}
      </details>
      <Command words={['logs show', entryId, '--uid', uid, ...(status?.targetOptions ?? [])]} />
    </article>
  );
}
