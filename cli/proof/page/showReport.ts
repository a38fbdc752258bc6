import { prettyJson } from '../../shell/text/prettyJson.ts';
import { escapeHidden, visible } from '../../shell/text/visible.ts';
import { rowsOf, sentencesOf } from '../evidence/sentences.ts';
import type { LineVerdict } from '../evidence/verify.ts';
import { type FileResult, type Report, worstOf } from './checkFiles.ts';
import { type PlainLog, plainLogs, plainWords, sumUp } from './plainWords.ts';

const ENTRIES_AT_ONCE = 100;

/** The words of `ailog verify` with their states, the worst first, and the shapes of the states. */
// biome-ignore format: a line for each state
const STATES = {
  WRONG: 'failed', MISSING: 'failed', LATE: 'failed', 'not usable': 'failed',
  'NO PROOF': 'open', 'not proven': 'open',
  proven: 'ok', ok: 'ok',
} as const;
const SHAPES = { failed: 'M4 4 12 12M12 4 4 12', open: 'M3.5 8h9', ok: 'M3 8.5 6.5 12 13 4.5' } as const;
type Word = keyof typeof STATES;

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an element. Texts become text nodes in which every character is visible: none acts as markup, or hides. */
function element(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const created = Object.assign(document.createElement(tag), { className });
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

const linesOf = (verdict: LineVerdict): HTMLElement =>
  describe([
    ...rowsOf(verdict).map(([name, text]) => [name, text, 'value'] as const),
    ...[...sentencesOf(verdict, false)].map(([word, sentence]) => [badge(word), sentence, STATES[word]] as const),
  ]);

/** Creates the verdict about a line of many, which opens. Those that hold are closed at first. */
function entryOf(verdict: LineVerdict): HTMLElement {
  const { word, about, line, facts } = verdict;
  const name = about === 'entry' || about === 'upload' ? (facts.file ?? facts.entryId ?? `line ${line}`) : about;
  const summary = element('summary', '', badge(word), element('span', 'value', name));
  const entry = element('details', '', summary, linesOf(verdict));
  entry.toggleAttribute('open', word !== 'ok');
  return entry;
}

const rankOf = ({ counts }: FileResult) => Object.keys(STATES).indexOf(worstOf(counts) ?? '');

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

/** Creates a row of a log, below which its text opens. @param teams true with the team of each log */
const rowsOfLog = (teams: boolean) => (log: PlainLog) => {
  const { team, time, order, model, text, word } = log;
  const open = element('button', '', 'Read');
  const cells = [...(teams ? [team] : []), time, order, model].map((cell) => element('td', '', cell));
  const shown = element('td', '');
  shown.setAttribute('colspan', '5');
  const below = element('tr', '', shown);
  below.hidden = true;
  open.addEventListener('click', () => {
    below.hidden = !below.hidden;
    open.textContent = below.hidden ? 'Read' : 'Close';
    // Line breaks stay: the text is read, and is never markup.
    const log = element('p', 'log');
    log.textContent = escapeHidden([...prettyJson(text)].join('\n'));
    shown.replaceChildren(log);
  });
  return [element('tr', '', ...cells, element('td', '', open, ...(word === 'ok' ? [] : [' ', badge(word)]))), below];
};

/** Creates a table of the logs of a file: more of them when asked for. Two logs of two teams are a pair: both open. */
function tableOf(logs: PlainLog[]): HTMLElement[] {
  if (logs.length === 0) return [];
  const teams = new Set(logs.map(({ team }) => team)).size > 1;
  const names = [...(teams ? ['team'] : []), 'received (UTC)', 'order', 'model', 'text'];
  const heads = names.map((head) => element('th', '', head));
  const table = element('table', '', element('thead', '', element('tr', '', ...heads)));
  const [body, more] = fill(element('tbody', ''), logs, rowsOfLog(teams), 'further logs');
  if (teams && logs.length === 2) for (const button of body.querySelectorAll('button')) button.click();
  table.append(body);
  return [table, more];
}

function cardOf(result: FileResult): HTMLElement {
  const { name, kind, counts, verdicts } = result;
  const word = worstOf(counts);
  const [first, ...others] = verdicts;
  const experts = element(
    'details',
    '',
    element('summary', 'quiet', 'Each check, for experts'),
    ...(first && others.length === 0
      ? [linesOf(first)]
      : fill(element('div', 'entries'), verdicts, (one) => [entryOf(one)], 'more')),
  );
  experts.toggleAttribute('open', word !== 'ok');
  const badges = word ? [badge(word)] : [];
  return element(
    'section',
    'card',
    element('header', '', element('h2', 'value', name), element('span', 'quiet', kind), ...badges),
    ...plainWords(result).map((sentence) => element('p', 'plain', sentence)),
    ...tableOf(plainLogs(verdicts)),
    experts,
  );
}

export function showReport({ kinds, policy, results, problems }: Report, part: (id: string) => HTMLElement): void {
  const byRank = results.toSorted((one, other) => rankOf(one) - rankOf(other));
  const worst = byRank[0] && worstOf(byRank[0].counts);
  part('verdict').replaceChildren(
    ...(worst && (worst !== 'ok' || problems.length === 0) ? [badge(worst)] : []),
    policy
      ? results.length + problems.length === 0
        ? 'The policy is here. Add the files to check.'
        : sumUp(results, problems.length > 0)
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
    ...byRank.map(cardOf),
    element('p', 'quiet', `Checked on this computer at ${new Date().toISOString()}.`),
  );
}
