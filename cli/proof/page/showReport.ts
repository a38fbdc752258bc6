import { prettyJson } from '../../shell/text/prettyJson.ts';
import { escapeHidden, visible } from '../../shell/text/visible.ts';
import { countFindings, type Findings, factsOf, sentencesOf, statusOf } from '../evidence/evidence.ts';
import type { Report } from './checkFolder.ts';
import { folder } from './node.ts';
import { type PlainLog, plainLogs, plainWords, sumUp } from './plainWords.ts';

/** More entries of a file are shown when asked for, so that the page stays quick. */
const ENTRIES_AT_ONCE = 100;

/** The words of `ailog verify` with their states, the worst first, and the shapes of the states. */
// biome-ignore format: a line for each state
const STATES = {
  FAILED: 'failed', BROKEN: 'failed', LATE: 'failed', WRONG: 'failed', 'not usable': 'failed',
  'NO PROOF': 'open', 'NOT YET': 'open', 'not proven': 'open',
  proven: 'ok', ok: 'ok',
} as const;
const SHAPES = { failed: 'M4 4 12 12M12 4 4 12', open: 'M3.5 8h9', ok: 'M3 8.5 6.5 12 13 4.5' } as const;
type Word = keyof typeof STATES;

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Creates an element. Texts become text nodes in which every character is visible, so that no name or value in a file
 * can act as markup or look like other text.
 */
function element(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const created = document.createElement(tag);
  created.className = className;
  created.append(...children.map((child) => (typeof child === 'string' ? visible(child) : child)));
  return created;
}

function badge(word: Word): HTMLElement {
  const state = STATES[word];
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  path.setAttribute('d', SHAPES[state]);
  svg.append(path);
  return element('span', `badge ${state}`, svg, word);
}

const describe = (rows: readonly (readonly [name: Node | string, text: string, className: string])[]) =>
  element('dl', '', ...rows.flatMap(([name, text, style]) => [element('dt', '', name), element('dd', style, text)]));

const linesOf = (findings: Findings): HTMLElement =>
  describe([
    ...factsOf(findings).map(([name, text]) => [name, text, 'value'] as const),
    ...sentencesOf(findings).map(([word, sentence]) => [badge(word), sentence, STATES[word]] as const),
  ]);

/** Creates an entry of many, which opens. Those that hold are closed at first. */
function entryOf(findings: Findings): HTMLElement {
  const { line, log, entryId } = findings.facts;
  const name = findings.isAboutFile ? 'the whole file' : String(log ?? entryId ?? `line ${line}`);
  const summary = element('summary', '', badge(statusOf(findings)), element('span', 'value', name));
  const entry = element('details', '', summary, linesOf(findings));
  entry.toggleAttribute('open', findings.isAboutFile ?? statusOf(findings) !== 'ok');
  return entry;
}

const worstOf = (findings: readonly Findings[]) =>
  (Object.keys(STATES) as Word[]).find((word) => findings.some((one) => statusOf(one) === word));

/** Returns a number that is smaller for findings that are worse. */
const rankOf = (findings: readonly Findings[]) => Object.keys(STATES).indexOf(worstOf(findings) ?? '');

/** Shows items in a list. @returns the list, and a button that shows more of them */
function fill<Item>(list: HTMLElement, items: readonly Item[], create: (item: Item) => HTMLElement[], what: string) {
  const waiting = [...items];
  const more = element('button', 'more');
  const showMore = () => {
    list.append(...waiting.splice(0, ENTRIES_AT_ONCE).flatMap(create));
    more.textContent = `${waiting.length} ${what}`;
    more.hidden = waiting.length === 0;
  };
  more.addEventListener('click', showMore);
  showMore();
  return [list, more] as const;
}

/** Creates the list of the entries of a file: what is about the whole first, then what does not hold. */
function entriesOf(findings: readonly Findings[]) {
  const placeOf = (one: Findings) => (one.isAboutFile ? -1 : rankOf([one]));
  const sorted = findings.toSorted((one, other) => placeOf(one) - placeOf(other));
  return fill(element('div', 'entries'), sorted, (one) => [entryOf(one)], 'more');
}

/** Creates a row of a log, below which its text opens. */
function rowsOf({ time, order, model, text, status }: PlainLog): HTMLElement[] {
  const open = element('button', '', 'Read');
  const cells = [time, order, model].map((cell) => element('td', '', cell));
  const shown = element('td', '');
  shown.setAttribute('colspan', '4');
  const below = element('tr', '', shown);
  below.hidden = true;
  open.addEventListener('click', () => {
    below.hidden = !below.hidden;
    open.textContent = below.hidden ? 'Read' : 'Close';
    // Line breaks stay: the text is read, and is never markup.
    const readable = escapeHidden([...prettyJson(text)].join('\n'));
    const log = element('p', 'log');
    log.textContent = readable;
    shown.replaceChildren(log);
  });
  return [
    element('tr', '', ...cells, element('td', '', open, ...(status === 'ok' ? [] : [' ', badge(status)]))),
    below,
  ];
}

/** Creates a table of the logs of a file: more of them when asked for. */
function tableOf(logs: PlainLog[]): HTMLElement[] {
  if (logs.length === 0) return [];
  const heads = ['received (UTC)', 'order', 'model', ''].map((head) => element('th', '', head));
  const table = element('table', '', element('thead', '', element('tr', '', ...heads)));
  const [body, more] = fill(element('tbody', ''), logs, rowsOf, 'further logs');
  table.append(body);
  return [table, more];
}

/** Shows what was found in the parts of the page, by their ids. */
export function showReport({ kinds, policy, results, problems }: Report, part: (id: string) => HTMLElement): void {
  const all = results.flatMap(({ findings }) => findings);
  const counted = countFindings();
  for (const one of all) counted.add(one);
  const worst = worstOf(all);
  const byRank = results.toSorted((one, other) => rankOf(one.findings) - rankOf(other.findings));
  part('verdict').replaceChildren(
    ...(worst && (worst !== 'ok' || problems.length === 0) ? [badge(worst)] : []),
    policy
      ? results.length + problems.length === 0
        ? 'The policy is here. Add the files to check.'
        : sumUp(counted.counts, problems.length > 0)
      : "Nothing is checked yet. One file is missing: the organisers' policy, tlog.policy. Ask them for it.",
  );
  part('policy').replaceChildren(
    policy ? describe(Object.entries(policy).map(([name, value]) => [name, value, 'value'] as const)) : 'Not here yet.',
  );
  part('files').replaceChildren(
    ...[...kinds].map(([name, kind]) =>
      element('li', '', element('span', 'value', name), element('span', 'quiet', kind)),
    ),
  );
  part('results').replaceChildren(
    ...problems.map((problem) => element('div', 'card problem', describe([[badge('not usable'), problem, '']]))),
    ...byRank.map(({ name, findings }) => {
      const [first, ...others] = findings;
      const word = worstOf(findings);
      const title = element('h2', 'value', name);
      const kind = element('span', 'quiet', kinds.get(name) as string);
      const words = plainWords(kinds.get(name) as string, findings).map((sentence) => element('p', 'plain', sentence));
      const experts = element(
        'details',
        '',
        element('summary', 'quiet', 'Each check, for experts'),
        ...(first && others.length === 0 ? [linesOf(first)] : entriesOf(findings)),
      );
      experts.toggleAttribute('open', word !== 'ok');
      return element(
        'section',
        'card',
        element('header', '', title, kind, ...(word ? [badge(word)] : [])),
        ...words,
        ...tableOf(plainLogs(kinds.get(name) as string, folder.get(name)?.bytes ?? new Uint8Array(), findings)),
        experts,
      );
    }),
    element('p', 'quiet', `Checked on this computer at ${new Date().toISOString()}.`),
  );
}
