import { diffArrays } from 'diff';
import type { Entry } from '../../functions/ailog/entry.ts';
import { readBodyText } from '../entries/bodyOf.ts';
import { describeEntry } from '../entries/describeEntry.ts';
import { findEntry } from '../entries/findEntry.ts';
import { requireKnownUids } from '../entries/requireKnownUids.ts';
import { withTarget } from '../target/target.ts';
import { entryId, uids } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import type { Row } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { prettyJson } from '../text/prettyJson.ts';

/** The number of equal lines that are shown before and after a difference. */
const CONTEXT_LINES = 3;

/** The number of lines that are printed without --full, and of characters of each. */
const LINE_LIMIT = 400;
const WIDTH_LIMIT = 2000;

/**
 * The time that the comparison of two bodies may take, in milliseconds. Its work grows with the differences, squared.
 */
const TIMEOUT_MS = 5000;

/** A line of the comparison: in the first body only, in the second only, or in both. */
interface Line {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
}

/** Compares two bodies line by line, as `logs show` prints them. @throws Failure if they differ too much */
function compareBodies(a: Entry, b: Entry): Line[] {
  const [before, after] = [a, b].map((entry) => {
    const body = readBodyText(entry);
    return body === undefined ? ['The body is damaged.'] : [...prettyJson(body)];
  }) as [string[], string[]];
  const changes = diffArrays(before, after, { timeout: TIMEOUT_MS });
  if (changes === undefined) {
    throw new Failure('negative', 'The bodies differ too much to compare them line by line.', {
      advice: 'ailog logs show --full shows each of them.',
    });
  }
  return changes.flatMap(({ added, removed, value }) =>
    value.map((text): Line => ({ sign: added ? '+' : removed ? '-' : ' ', text })),
  );
}

/** Returns the lines near a difference. A gap becomes one line that says how many are left out. */
function withContext(lines: readonly Line[]): string[] {
  const isNear = lines.map(() => false);
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== ' ') isNear.fill(true, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  }
  const shown: string[] = [];
  let skipped = 0;
  const closeGap = () => {
    if (skipped > 0) shown.push(`@ ${skipped} equal line${skipped === 1 ? '' : 's'}`);
    skipped = 0;
  };
  for (const [index, { sign, text }] of lines.entries()) {
    if (!isNear[index]) skipped += 1;
    else {
      closeGap();
      shown.push(`${sign} ${text}`.trimEnd());
    }
  }
  closeGap();
  return shown;
}

/** Returns the fields that differ, beside those that differ for any two uploads. */
function differingFields(a: Entry, b: Entry) {
  const [first, second] = [describeEntry(a), describeEntry(b)];
  const names = Object.keys(first) as (keyof typeof first)[];
  return names
    .filter((name) => first[name] !== second[name])
    .map((field) => ({ field, a: first[field], b: second[field] }));
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
    .action(async (first, second, { uid: owners, full, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        await requireKnownUids(target, owners);
        const a = await findEntry(target, first, owners);
        const b = await findEntry(target, second, owners);
        const lines = compareBodies(a, b);
        const fields = differingFields(a, b);
        const sameBody = lines.every(({ sign }) => sign === ' ');
        if (!sameBody) terminal.reportNegative();
        if (json) {
          return terminal.json({
            a: describeEntry(a),
            b: describeEntry(b),
            fields,
            sameBody,
            lines: withContext(lines),
          });
        }

        const rows: Row[] = fields.map((one) => ({ field: one.field, a: one.a ?? '', b: one.b ?? '' }));
        if (rows.length > 0) await terminal.table(rows);
        await terminal.print('');
        if (sameBody) return terminal.print('The bodies are the same.');
        const all = full ? lines.map(({ sign, text }) => `${sign} ${text}`.trimEnd()) : withContext(lines);
        const limit = full ? Number.POSITIVE_INFINITY : LINE_LIMIT;
        let cut = all.length > limit;
        for (const line of all.slice(0, limit)) {
          const isLong = !full && line.length > WIDTH_LIMIT;
          cut ||= isLong;
          await terminal.print(isLong ? `${line.slice(0, WIDTH_LIMIT)}…` : line);
        }
        if (cut) terminal.note('Cut: lines that are too long or too many. --full shows all.');
      }),
    );
