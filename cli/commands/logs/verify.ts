import {
  describePlace,
  formatPlace,
  formatPlaces,
  isContradicted,
  noPlaces,
} from '../../proof/inclusion/explainPlace.ts';
import { openLocator } from '../../proof/inclusion/openLocator.ts';
import { type Place, type RowKeys, rowKeysOf } from '../../proof/inclusion/place.ts';
import type { OptionsOf } from '../../shell/terminal/command.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { visible } from '../../shell/text/visible.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryFilter, EntryKey } from '../../store/entries/entryFilter.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { entryCommand, noteValues, readFilter, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { holds, isUnchecked, type Verdict } from '../../store/entries/verifyContent.ts';
import { entryVerifier } from '../../store/entries/verifyEntry.ts';
import { type Target, withTarget } from '../../store/targets/target.ts';

/** The result of an entry. `place`: in the transparency log; absent if there is none. */
type Result = EntryKey & { readonly checks: Verdict; readonly place?: Place | undefined };

/** The entries that are shown although nothing is wrong with them. */
const SHOWN_RIGHT = 20;

/** Returns true if no check and no place in the transparency log shows a problem. */
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
  terminal: Terminal,
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

const verifyCommand = () =>
  entryCommand('verify', {
    summary:
      'Verify digest, fields, signature and time of every entry. The exit code is 1 if an entry fails, and 5 if none fails but one could not be checked, or is not in the transparency log yet. An entry fails too if it was changed since it was put into the transparency log. Only the transparency log covers locale and sourceIp, and nothing expiresAt.',
    examples: [
      ['logs verify', 'verify all entries'],
      ['logs verify --uid 1001 --json', 'verify the entries of one team, as JSON'],
    ],
  }).option('--verbose', 'show every entry, not only the first 20 and those that fail');

async function verifyRun(
  terminal: Terminal,
  target: Target,
  filter: EntryFilter,
  { json, verbose }: OptionsOf<typeof verifyCommand>,
): Promise<void> {
  await requireKnownUids(target, filter.uids);
  const opened = await openLocator(terminal, target);
  const counts = { entries: 0, failed: 0, unchecked: 0 };
  const places = noPlaces();
  const counted = async function* (): AsyncGenerator<Result> {
    for await (const result of verifyEntries(terminal, target, filter, opened?.locate)) {
      counts.entries += 1;
      if (!isRight(result)) counts.failed += 1;
      else if (isOpen(result)) counts.unchecked += 1;
      if (result.place) places[result.place.status] += 1;
      yield result;
    }
  };
  const described = async function* () {
    for await (const result of counted()) {
      const { checks, place, ...rest } = result;
      const tlog = opened && place && { tlog: describePlace(place, opened.log) };
      yield { ...rest, ok: isRight(result) && !isOpen(result), checks, ...tlog };
    }
  };
  if (json) await terminal.jsonArray(described());
  let hidden = 0;
  for await (const result of json ? [] : counted()) {
    const isShown = verbose || !isRight(result) || isUnchecked(result.checks) || counts.entries <= SHOWN_RIGHT;
    if (isShown) await terminal.print(formatResult(result));
    else hidden += 1;
  }
  if (hidden > 0) terminal.note(`Not shown, because nothing is wrong with them: ${hidden}. --verbose shows them.`);

  if (counts.failed > 0) terminal.reportNegative();
  if (counts.unchecked > 0) terminal.reportUnchecked();
  if (counts.entries === 0) {
    terminal.note('No entry matches.');
    return noteValues(terminal, target, filter);
  }
  terminal.note(`Checked: ${counts.entries}, failed: ${counts.failed}, not checked: ${counts.unchecked}.`);
  if (opened) terminal.note(formatPlaces(places));
}

export default (terminal: Terminal) =>
  verifyCommand().action(async (options) => {
    const filter = readFilter(options);
    await withTarget(terminal, options, (target) => verifyRun(terminal, target, filter, options));
  });
