import { diffArrays } from 'diff';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { entryId, uids } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { type MarkedText, markWords } from '../../shell/text/markWords.ts';
import { counted } from '../../shell/text/numbers.ts';
import { prettyJson } from '../../shell/text/prettyJson.ts';
import { describeEntry, type EntryDescription, readBodyText } from '../../store/entries/describeEntry.ts';
import { findEntry } from '../../store/entries/findEntry.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

/** The number of equal lines that are shown before and after a difference. */
const CONTEXT_LINES = 3;

/** The number of lines that are printed without --full, and of characters of each. */
const [LINE_LIMIT, WIDTH_LIMIT] = [400, 2000];

/** The time of a comparison of two bodies, in milliseconds. Its work grows with the differences, squared. */
const TIMEOUT_MS = 5000;

/** A line of the comparison: in the first body only, in the second only, in both, or a gap. */
interface Line {
  readonly sign: '-' | '+' | ' ' | '@';
  readonly text: string;
  /** The text with marks at the words that differ from its counterpart, if it has one. */
  marked: MarkedText | undefined;
}

/** Compares two bodies line by line, as `logs show` prints them. @throws Failure if they differ too much */
function compareBodies(a: Entry, b: Entry, full: boolean): Line[] {
  const linesOf = (entry: Entry) => {
    const body = readBodyText(entry);
    return body === undefined ? ['The body is damaged.'] : [...prettyJson(body)];
  };
  const changes = diffArrays(linesOf(a), linesOf(b), { timeout: TIMEOUT_MS });
  if (changes === undefined) {
    const advice = 'ailog logs show --full shows each of them.';
    throw new Failure('negative', 'The bodies differ too much to compare them line by line.', { advice });
  }
  const lines: Line[] = [];
  for (const [index, { added, removed, value }] of changes.entries()) {
    const previous = changes[index - 1];
    const replaced = added && previous?.removed ? lines.slice(-previous.value.length) : [];
    for (const [number, text] of value.entries()) {
      const counterpart = replaced[number];
      const marked = counterpart && markWords(counterpart.text, text, full);
      if (marked) counterpart.marked = marked[0];
      lines.push({ sign: added ? '+' : removed ? '-' : ' ', text, marked: marked?.[1] });
    }
  }
  return lines;
}

/** Returns the lines near a difference. The text of a gap says how many lines are left out. */
function withContext(lines: readonly Line[]): Line[] {
  const isNear = lines.map(() => false);
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== ' ') isNear.fill(true, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  }
  let skipped = 0;
  return lines.flatMap((line, index): Line[] => {
    if (isNear[index]) return [line];
    skipped += 1;
    if (isNear[index + 1] === false) return [];
    const text = counted(skipped, 'equal line');
    skipped = 0;
    return [{ sign: '@', text, marked: undefined }];
  });
}

export default (terminal: Terminal) =>
  targetCommand('diff', {
    summary:
      'Compare two entries: their fields, then their bodies line by line. The exit code is 1 if the bodies differ.',
    examples: [
      ['logs diff 1763103201300-5b1c 1763103262114-9e07', 'by the start of their ids'],
      ['logs diff 1763103201300-5b1c 1763103262114-9e07 --full', 'with all equal lines'],
    ],
  })
    .argument('<a>', 'the id of the first entry, or the start of it', entryId)
    .argument('<b>', 'the id of the second entry, or the start of it', entryId)
    .option('--uid <uid>', 'the UIDs they belong to; can be repeated', uids)
    .option('--full', 'show equal lines too, and do not cut long texts')
    .action(async (idOfA, idOfB, { uid: owners, full, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const a = await findEntry(target, idOfA, owners);
        const b = await findEntry(target, idOfB, owners);
        const lines = compareBodies(a, b, full ?? false);
        const [first, second] = [describeEntry(a), describeEntry(b)];
        const fields = (Object.keys(first) as (keyof EntryDescription)[])
          .filter((field) => first[field] !== second[field])
          .map((field) => ({ field, a: first[field], b: second[field] }));
        const sameBody = lines.every(({ sign }) => sign === ' ');
        if (!sameBody) terminal.reportNegative();
        if (json) {
          const texts = withContext(lines).map(({ sign, text }) => `${sign} ${text}`.trimEnd());
          return terminal.json({ a: first, b: second, fields, sameBody, lines: texts });
        }

        const rows = fields.map(({ field, a, b }) => ({ field, a: a ?? '', b: b ?? '' }));
        if (rows.length > 0) await terminal.table(rows);
        await terminal.print('');
        if (sameBody) return terminal.print('The bodies are the same.');
        const all = full ? lines : withContext(lines);
        const limit = full ? Number.POSITIVE_INFINITY : LINE_LIMIT;
        let cut = all.length > limit;
        for (const { sign, text, marked } of all.slice(0, limit)) {
          const line = `${sign} ${marked?.text ?? text}`.trimEnd();
          const isLong = !full && line.length > WIDTH_LIMIT;
          cut ||= isLong || marked?.isCut === true;
          // The mark keeps a text of a team from looking like a line of its own.
          await terminal.print(isLong ? `${line.slice(0, WIDTH_LIMIT)}…` : line, { mark: '… ' });
        }
        if (cut) terminal.note('Cut: lines that are too long or too many. --full shows all.');
      }),
    );
