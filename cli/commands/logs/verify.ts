import {
  describePlace,
  formatPlace,
  formatPlaces,
  isContradicted,
  noPlaces,
  openPlaces,
  type Place,
  type RowKeys,
  rowKeysOf,
} from '../../proof/log/rowPlace.ts';
import { defineCommand, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { visible } from '../../shell/text/visible.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryFilter, EntryKey } from '../../store/entries/entryFilter.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { entryOptions, nameValues, readFilter, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { holds, isUnchecked, type Verdict } from '../../store/entries/verifyContent.ts';
import { entryVerifier } from '../../store/entries/verifyEntry.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

type Result = EntryKey & { readonly checks: Verdict; readonly place?: Place | undefined };

const SHOWN_RIGHT = 20;

const isRight = ({ checks, place }: Result): boolean => holds(checks) && !(place && isContradicted(place));

/** Returns true if nothing is wrong with an entry, and a check could not be made, or it is not in the log yet. */
const isOpen = ({ checks, place }: Result): boolean => isUnchecked(checks) || place?.status === 'pending';

function formatResult(result: Result): string {
  const { uid, entryId, checks, place } = result;
  const findings = Object.entries(checks).map(([name, finding]) => `${name} ${finding}`);
  if (place) findings.push(`transparency log ${formatPlace(place)}`);
  const outcome = !isRight(result) ? 'FAILED' : isOpen(result) ? 'PARTLY' : 'ok    ';
  return visible(`${outcome}  ${uid}  ${entryId}  ${findings.join(', ')}`);
}

async function* verifyEntries(
  terminal: Surroundings,
  target: Target,
  filter: EntryFilter,
  locate: ((row: RowKeys) => Promise<Place | undefined>) | undefined,
): AsyncGenerator<Result> {
  const reader = entriesReader(target);
  const verify = entryVerifier(target);
  for await (const { entries } of readPages(terminal, reader, filter, { quiet: true })) {
    for (const entry of entries) {
      const { uid, entryId } = entry;
      yield { uid, entryId, checks: await verify(entry), place: await locate?.(rowKeysOf(entry)) };
    }
  }
}

export default defineCommand({
  words: 'logs verify',
  for: 'Reviewers',
  summary: 'Verify digest, fields, signature and time of every entry.',
  details:
    'The exit code is 1 if an entry fails, and 5 if none fails but one could not be checked, or is not in the transparency log yet. An entry fails too if it was changed since it was put into the transparency log. Only that log covers locale and sourceIp; nothing covers expiresAt.',
  examples: [
    ['logs verify', 'verify all entries'],
    ['logs verify --uid 1001 --json', 'verify the entries of one team, as JSON'],
  ],
  options: {
    ...entryOptions,
    verbose: { flags: '--verbose', help: `show every entry, not only the first ${SHOWN_RIGHT} and those that fail` },
  },
  check: (asked) => void readFilter(asked),
  on: onTarget,
  async *run(asked, { target, terminal, remark }) {
    const filter = readFilter(asked);
    await requireKnownUids(target, filter.uids);
    const locate = await openPlaces(terminal, target);
    const counts = { entries: 0, failed: 0, unchecked: 0 };
    const places = noPlaces();
    for await (const result of verifyEntries(terminal, target, filter, locate)) {
      counts.entries += 1;
      if (!isRight(result)) counts.failed += 1;
      else if (isOpen(result)) counts.unchecked += 1;
      if (result.place) places[result.place.status] += 1;
      yield result;
    }
    if (counts.failed > 0) terminal.reportNegative();
    if (counts.unchecked > 0) terminal.reportUnchecked();
    if (counts.entries === 0) {
      remark('No entry matches.');
      for (const sentence of await nameValues(terminal, target, filter)) remark(sentence);
      return;
    }
    remark(`Checked: ${counts.entries}, failed: ${counts.failed}, not checked: ${counts.unchecked}.`);
    if (locate) remark(formatPlaces(places));
  },
  async *json(results) {
    for await (const result of results) {
      const { checks, place, ...rest } = result;
      const tlog = place && { tlog: describePlace(place) };
      yield { ...rest, ok: isRight(result) && !isOpen(result), checks, ...tlog };
    }
  },
  async *shows(results, { verbose }) {
    let shown = 0;
    let hidden = 0;
    for await (const result of results) {
      if (verbose || !isRight(result) || isUnchecked(result.checks) || shown + hidden < SHOWN_RIGHT) {
        shown += 1;
        yield formatResult(result);
      } else hidden += 1;
    }
    if (hidden > 0) yield { note: `Not shown, because nothing is wrong with them: ${hidden}. --verbose shows them.` };
  },
});
