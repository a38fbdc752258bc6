import { ENTRY_ID } from '../../../functions/ailog/entry.ts';
import { formatPlace, isContradicted, openPlaces, rowKeysOf } from '../../proof/log/rowPlace.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { prettyJson } from '../../shell/text/prettyJson.ts';
import { isUid } from '../../shell/text/uid.ts';
import { describeEntry, readBody, readBodyText } from '../../store/entries/describeEntry.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { EntryKey } from '../../store/entries/entryFilter.ts';
import { entryVerifier } from '../../store/entries/verifyEntry.ts';
import { type Console, collectNotes, numberIn, type Query, textIn } from './state.ts';

/** In characters. */
const PAGE = 40_000;
const LINE = 4000;

/** Reads an entry from the table itself. @throws Failure if it is not there, or if there can be none of that key */
export async function getEntry({ target }: Console, key: EntryKey) {
  const named = 'It is named by a UID, and by 13 digits, a hyphen and 32 hex digits.';
  if (!isUid(key.uid) || !ENTRY_ID.test(key.entryId))
    throw new Failure('usage', `The address names no entry. ${named}`);
  const entry = await entriesReader(target).get(key);
  if (entry) return entry;
  throw new Failure('negative', `The table has no entry ${key.entryId} of UID ${key.uid}.`, {
    advice: 'If the figures count it, it was deleted since: ailog tlog audit names such entries.',
  });
}

const askedEntry = (console: Console, asked: Query) =>
  getEntry(console, { uid: textIn(asked, 'uid'), entryId: textIn(asked, 'id') });

/** Returns lines from a place on, long ones in parts, and the place of the next; undefined at the end. */
function pageOf(lines: Iterable<string>, from: number) {
  const page: { text: string; isContinued: boolean }[] = [];
  let [place, left] = [0, PAGE];
  for (const line of lines) {
    for (let start = 0; start === 0 || start < line.length; start += LINE) {
      place += 1;
      if (place <= from) continue;
      if (left <= 0) return { lines: page, next: place - 1 };
      const text = line.slice(start, start + LINE);
      page.push({ text, isContinued: start > 0 });
      left -= text.length + 1;
    }
  }
  return { lines: page, next: undefined };
}

/** Returns an entry as it is in the table: its attributes, and the lines of its body from `from` on. */
export async function readEntry(console: Console, asked: Query) {
  const entry = await askedEntry(console, asked);
  const body = readBodyText(entry);
  const { explanation, ...facts } = describeEntry(entry, body);
  return {
    explanation: explanation?.slice(0, LINE) ?? null,
    facts: Object.entries(facts).flatMap(([name, value]) =>
      value === null || value === '' ? [] : [[name, String(value)] as const],
    ),
    isDamaged: body === undefined,
    ...pageOf(body === undefined ? [] : prettyJson(body), numberIn(asked, 'from', 0)),
  };
}

/** Returns the body, byte for byte as it was signed. @throws Failure if it is damaged */
export async function saveBody(console: Console, asked: Query): Promise<Uint8Array> {
  const body = readBody(await askedEntry(console, asked));
  if (body === undefined) throw new Failure('negative', 'The body is damaged.');
  return body;
}

/** Checks an entry as `ailog logs verify` does: its digest, fields, signature and time, and its place in the tlog. */
export async function readChecks(console: Console, asked: Query) {
  const { target } = console;
  const entry = await askedEntry(console, asked);
  const verdict = await entryVerifier(target)(entry);
  const { terminal, notes } = collectNotes(console.terminal);
  const locate = await openPlaces(terminal, target);
  const place = await locate?.(rowKeysOf(entry));
  const check = (name: string, finding: string, isOk: boolean, isWrong: boolean) => {
    return { name, finding, state: isOk ? ('ok' as const) : isWrong ? ('failed' as const) : ('open' as const) };
  };
  const isLogged = place?.status === 'logged' && !place.late;
  const isWrong = place !== undefined && isContradicted(place);
  return [
    ...Object.entries(verdict).map(([name, finding]: [string, string]) =>
      check(name, finding, finding === 'ok', finding.startsWith('wrong')),
    ),
    check('transparency log', place ? formatPlace(place) : notes.join(' '), isLogged, isWrong),
  ];
}
