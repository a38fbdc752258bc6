import { describePlace, formatPlace, isContradicted } from '../../proof/inclusion/explainPlace.ts';
import { openLocator } from '../../proof/inclusion/openLocator.ts';
import { rowKeysOf } from '../../proof/inclusion/place.ts';
import { entryId, uids } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { prettyJson } from '../../shell/text/prettyJson.ts';
import { describeEntry, readBodyText } from '../../store/entries/describeEntry.ts';
import { findEntry } from '../../store/entries/selectEntries.ts';
import { holds, isUnchecked } from '../../store/entries/verifyContent.ts';
import { entryVerifier } from '../../store/entries/verifyEntry.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

/** The number of characters of a body that are printed without --full. */
const BODY_LIMIT = 20_000;

/** Marks where a long line of a body goes on, so that no text of a team looks like a line of its own. */
const CONTINUED = { mark: '… ' };

/** Prints the lines of a body up to a number of characters, and says what is missing. */
async function printBody(terminal: Terminal, text: string, limit: number): Promise<void> {
  let left = limit;
  for (const line of prettyJson(text)) {
    await terminal.print(line.length <= left ? line : `${line.slice(0, left)}…`, CONTINUED);
    left -= line.length + 1;
    if (left > 0) continue;
    terminal.note(
      `Cut: the first ${limit} characters of a body of ${text.length}. --full shows all of it, --json exactly.`,
    );
    return;
  }
}

export default (terminal: Terminal) =>
  targetCommand('show', {
    summary:
      'Show one entry with its body, verify it, and say since when it is in the transparency log. Text with line breaks is shown line by line, after "|".',
    examples: [
      ['logs show 1763103201300-5b1c0f…', 'by the id that the upload returned, or by the start of it'],
      ['logs show 1763103201300-5b1c0f… --uid 1001', 'faster if there are many teams'],
    ],
  })
    .argument('<entry>', 'the entry id, or the start of it', entryId)
    .option('--uid <uid>', 'the UID it belongs to; can be repeated', uids)
    .option('--full', 'do not cut a long body')
    .action(async (id, { uid: owners, full, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const entry = await findEntry(target, id, owners);
        const verdict = await entryVerifier(target)(entry);
        if (!holds(verdict)) terminal.reportNegative();
        if (isUnchecked(verdict)) terminal.reportUnchecked();
        const body = readBodyText(entry);
        const facts = describeEntry(entry, body);
        const opened = await openLocator(terminal, target);
        const location = await opened?.locate(rowKeysOf(entry));
        if (location && isContradicted(location)) terminal.reportNegative();
        const when = await opened?.whenOf(location, entry);
        if (when?.late) terminal.reportBroken();
        if (json) {
          const tlog = opened && location ? describePlace(location, opened.log, when) : null;
          return terminal.json({ ...facts, body: body ?? null, checks: verdict, tlog });
        }

        const checks = Object.entries(verdict).map(([name, finding]) => [`${name} check`, finding] as const);
        const logged = location && formatPlace(location, when);
        await terminal.facts({ ...facts, ...Object.fromEntries(checks), 'transparency log': logged }, { full });
        await terminal.print('');
        if (body === undefined) return terminal.print('The body is damaged.');
        await printBody(terminal, body, full ? Number.POSITIVE_INFINITY : BODY_LIMIT);
      }),
    );
