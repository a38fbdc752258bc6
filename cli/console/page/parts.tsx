/** Small parts of several screens. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { findTerms } from '../../shell/text/find.ts';
import { toSpreadsheet } from '../../shell/text/spreadsheet.ts';
import { formatTime } from '../../shell/text/time.ts';
import type { Problem, usePages } from './answers.ts';
import { type Change, change, linkTo, type ScreenProps } from './place.ts';

/** Says what went wrong, and what to do. */
export function Notice({ problem }: { problem: Problem }) {
  return (
    <div class="notice" role="alert">
      <strong>{problem.message}</strong> {problem.advice}
    </div>
  );
}

/** Says why a screen has nothing to show. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** A button that takes something away or closes it. @param name what it does, for a screen reader */
export function Remove({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <button type="button" title={name} onClick={onClick}>
      <span aria-hidden="true">×</span>
      <span class="unseen">{name}</span>
    </button>
  );
}

/** Says how many of a list are shown, if some are not. */
export function Shown({ first, of }: { first: number; of: number }) {
  if (first >= of) return null;
  return (
    <p class="hint">
      Shown: the first {first} of {of}.
    </p>
  );
}

/** Returns the time at which a log was signed, with which its id begins. */
export const signedAt = (entryId: string): number => Number(entryId.slice(0, 13));

/** A link to a log: when it was signed, and the beginning of what is random in its id. */
export const LogLink = ({ uid, id }: { uid: string; id: string }) => (
  <a class="pin" title={id} href={linkTo('team', { uid, at: `e${id}` })}>
    {formatTime(signedAt(id))} {id.slice(14, 22)}
  </a>
);

/** The content of a screen, as rows of texts and numbers by their names. */
type Sheet = readonly Readonly<Record<string, string | number | null | undefined>>[];

/** The sheet of the screen that is shown, to copy it. */
const shownSheet: { current: (() => Sheet) | undefined } = { current: undefined };

/** Lets what a component shows be copied as CSV. @param make is called when it is copied */
export function useSheet(make: () => Sheet): void {
  useLayoutEffect(() => {
    shownSheet.current = make;
    return () => {
      if (shownSheet.current === make) shownSheet.current = undefined;
    };
  });
}

const toCell = (cell: Sheet[number][string]) =>
  typeof cell === 'number' ? cell : `"${toSpreadsheet(cell ?? '').replaceAll('"', '""')}"`;

/** Returns the sheet that is shown as CSV in which numbers are numbers, and no text runs as a formula. */
export function csvShown(): string {
  const rows = shownSheet.current?.() ?? [];
  return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((row) => row.map(toCell).join(','))
    .join('\n');
}

/** The time for which a button says what it did, in milliseconds. */
const SAID_MS = 1000;

/** A button that copies a text to the clipboard. */
export function Copy({ name, title, text }: { name: string; title: string; text: () => string }) {
  const [said, say] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => say('copied'),
      () => say('not copied'),
    );
  useEffect(() => {
    const timer = setTimeout(say, SAID_MS, '');
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <button type="button" title={title} onClick={copy}>
      <span aria-live="polite">{said || name}</span>
    </button>
  );
}

/** A chart as a table, which is made when it is opened. */
export function AsTable({ name, make }: { name: string; make: () => Sheet }) {
  const [isOpen, setOpen] = useState(false);
  const rows = isOpen ? make() : [];
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name} as a table</summary>
      <table class="sheet">
        <thead>
          <tr>
            {Object.keys(rows[0] ?? {}).map((one) => (
              <th scope="col">{one}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {Object.values(row).map((cell) => (
                <td>{cell ?? '–'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** A button that reads more, and what went wrong. */
export function More({ readMore, failed, children }: Omit<ReturnType<typeof usePages>, 'all'> & { children: string }) {
  return (
    <>
      {readMore && (
        <button type="button" onClick={readMore}>
          {children}
        </button>
      )}
      {failed && <Notice problem={failed} />}
    </>
  );
}

/** The shapes of findings and states in a square of 10 × 10, so that colour alone says nothing. */
export const SHAPES: Readonly<Record<string, string>> = {
  late: 'M1 9 5 1 9 9Z',
  early: 'M1 1 5 9 9 1Z',
  'no log': 'M1 1 9 9M9 1 1 9',
  failed: 'M1 1 9 9M9 1 1 9',
  'not named': 'M1 5 5 1 9 5 5 9Z',
  'child order': 'M3 1V5H8',
  template: 'M1 2H9M1 5H9M1 8H4',
  'in time': 'M1 5a4 4 0 1 0 8 0 4 4 0 1 0-8 0',
  silence: 'M1 5H9',
  open: 'M1 5H9',
  copy: 'M1 3H6V9H1ZM4 3V1H9V7H6',
  'same time': 'M1 3H9M1 7H9',
  follows: 'M1 2 5 5 1 8M5 2 9 5 5 8',
  repeat: 'M1 2H9M1 5H9M1 8H9',
  "others' order": 'M2 10V1H9L7 4 9 7H2',
  'other trade': 'M1 3H9L6 1M9 7H1L4 9',
  'hidden characters': 'M1 8V2M4 8V2M7 8V2M9 5H9',
  incomplete: 'M3 1H1V9H3M7 1H9V9H7',
  ok: 'M1 5 4 8 9 2',
  'looked-at': 'M1 5 4 8 9 2',
  explained: 'M1 4 4 7 9 1M1 9H9',
  'ask-team': 'M2 3A3 2.5 0 1 1 5 6M5 8V10',
  disqualify: 'M1 1 9 9M9 1 1 9',
  withdrawn: 'M1 5H9',
};

/** The shape of a kind of finding or of a state. */
export function Shape({ kind }: { kind: string }) {
  return (
    <svg class={`shape ${kind.replace(/\W/g, '-')}`} viewBox="0 0 10 10" aria-hidden="true">
      <path d={SHAPES[kind]} />
    </svg>
  );
}

/** A text in which terms are marked. */
export function Marked({ text, terms }: { text: string; terms: readonly string[] }) {
  let last = 0;
  const parts = findTerms(terms, text).flatMap(([start, end]) => {
    const from = Math.max(last, start);
    const before = text.slice(last, from);
    last = Math.max(from, end);
    return [before, last > from && <mark>{text.slice(from, last)}</mark>];
  });
  return (
    <>
      {parts}
      {text.slice(last)}
    </>
  );
}

type FilterProps = ScreenProps & { name: string; value?: string; also?: Change } & JSX.IntrinsicElements['button'];

/** A button that sets a parameter of the URL, or takes it away again. `also` changes with it. */
export function Filter({ params, name, value, also, ...button }: FilterProps) {
  const isOn = params[name] === value;
  const toggle = () => change({ ...also, [name]: isOn ? undefined : value });
  return <button type="button" aria-pressed={isOn} onClick={toggle} {...button} />;
}

/** Names and texts. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, text: string])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <div>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Returns the element that is some steps from a place in a list, at most its last and at least its first. */
export const stepIn = <Item,>(items: readonly Item[], place: number, by: number): Item | undefined =>
  items[Math.min(items.length - 1, Math.max(0, place + by))];

/** A list of which one element is chosen, and in view. */
export function Choices<Item extends { readonly id: string }>(props: {
  items: readonly Item[];
  at: string | undefined;
  choose: (item: Item) => void;
  children: (item: Item) => ComponentChildren;
}) {
  const { items, at, choose, children } = props;
  const current = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => current.current?.scrollIntoView({ block: 'nearest' }), [at]);
  return (
    <ol>
      {items.map((item) => (
        <li key={item.id}>
          <button
            type="button"
            ref={item.id === at ? current : null}
            aria-current={item.id === at ? 'true' : undefined}
            onClick={() => choose(item)}
          >
            {children(item)}
          </button>
        </li>
      ))}
    </ol>
  );
}
