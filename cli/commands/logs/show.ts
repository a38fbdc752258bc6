import { describePlace, formatPlace, isContradicted, openPlaces, rowKeysOf } from '../../proof/log/rowPlace.ts';
import { entryId, uids } from '../../shell/terminal/arguments.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';
import { prettyJson } from '../../shell/text/prettyJson.ts';
import { describeEntry, readBodyText } from '../../store/entries/describeEntry.ts';
import { findEntry } from '../../store/entries/selectEntries.ts';
import { holds, isUnchecked } from '../../store/entries/verifyContent.ts';
import { entryVerifier } from '../../store/entries/verifyEntry.ts';
import { onTarget } from '../../store/targets/target.ts';

const BODY_LIMIT = 20_000;

/** Marks where a long line of a body goes on, so that no text of a team looks like a line of its own. */
const CONTINUED = { mark: '… ' };

function* showBody(text: string, limit: number) {
  let left = limit;
  for (const line of prettyJson(text)) {
    yield { lines: [line.length <= left ? line : `${line.slice(0, left)}…`], wrap: CONTINUED };
    left -= line.length + 1;
    if (left > 0) continue;
    yield {
      note: `Cut: the first ${limit} characters of a body of ${text.length}. --full shows all of it, --json exactly.`,
    };
    return;
  }
}

export default defineCommand({
  words: 'logs show',
  for: 'Reviewers',
  summary: 'Show one entry with its body, verify it, and say since when it is in the transparency log.',
  details: 'Text with line breaks is shown line by line, after "|".',
  examples: [
    ['logs show 1763103201300-5b1c0f…', 'by the id that the upload returned, or by the start of it'],
    ['logs show 1763103201300-5b1c0f… --uid 1001', 'faster if there are many teams'],
  ],
  args: { id: { name: '<entry>', help: 'the entry id, or the start of it', read: entryId } },
  options: {
    owners: { flags: '--uid <uid>', help: 'the UID it belongs to; can be repeated', read: uids },
    full: { flags: '--full', help: 'do not cut a long body' },
  },
  on: onTarget,
  async run({ id, owners }, { target, terminal }) {
    const entry = await findEntry(target, id, owners);
    const checks = await entryVerifier(target)(entry);
    if (!holds(checks)) terminal.reportNegative();
    if (isUnchecked(checks)) terminal.reportUnchecked();
    const body = readBodyText(entry);
    const locate = await openPlaces(terminal, target);
    const place = await locate?.(rowKeysOf(entry));
    if (place && isContradicted(place)) terminal.reportNegative();
    if (place?.status === 'logged' && place.late) terminal.reportBroken();
    return {
      facts: describeEntry(entry, body),
      body,
      checks,
      tlog: place ? describePlace(place) : null,
      logged: place && formatPlace(place),
    };
  },
  json: ({ facts, body, checks, tlog }) => ({ ...facts, body: body ?? null, checks, tlog }),
  *shows({ facts, body, checks, logged }, { full }) {
    const named = Object.entries(checks).map(([name, finding]) => [`${name} check`, finding] as const);
    yield { facts: { ...facts, ...Object.fromEntries(named), 'transparency log': logged }, full };
    yield '';
    if (body === undefined) yield 'The body is damaged.';
    else yield* showBody(body, full ? Number.POSITIVE_INFINITY : BODY_LIMIT);
  },
});
