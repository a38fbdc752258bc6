import { diffWordsWithSpace } from 'diff';
import { JSON_STRING } from '../../../functions/ailog/jsonScanner.ts';
import { type Related, sayRelated } from '../../review/figures/repeats.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { prettyJson } from '../../shell/text/prettyJson.ts';
import { readBodyText } from '../../store/entries/describeEntry.ts';
import { getEntry } from './entry.ts';
import { type Console, type Query, query, textIn } from './state.ts';

const PAIRS = 1000;

/** The characters of a section that are compared, and the milliseconds that all of two logs may take. */
const SECTION = 20_000;
const TIMEOUT_MS = 500;

type CopiesRow = Readonly<Record<'uid' | 'original', string>> &
  Readonly<Record<'copies' | 'same_time' | 'follows' | 'shared' | 'own' | 'back', number>>;

/** Returns which teams repeat logs of which, as cells of a matrix. A team that repeats its own is on the diagonal. */
export const readCopies = ({ views }: Console) => views.use(({ engine }) => query<CopiesRow>(engine, 'copies', {}));

type PairRow = Related & Readonly<Record<'id' | 'original', string>> & Readonly<Record<'signed' | 'total', number>>;

export const readPairs = ({ views }: Console, asked: Query) =>
  views.use(async ({ engine }) => {
    const uid = textIn(asked, 'uid');
    const original = textIn(asked, 'original');
    const rows = await query<PairRow>(engine, 'pairs', { uid, original, most: PAIRS });
    return {
      total: rows[0]?.total ?? 0,
      pairs: rows.map((row) => ({
        ...{ id: row.id, signed: row.signed, original: row.original, relation: row.relation },
        says: sayRelated(row, original),
      })),
    };
  });

type Part = Readonly<{ side: 'left' | 'right' | 'both'; text: string }>;

/** The first line of a member of a log, as `prettyJson` writes it. */
const MEMBER = new RegExp(`^ {2}(${JSON_STRING}):(.*)$`);

function sectionsOf(body: string): Map<string, string> {
  const sections = new Map<string, string>();
  let name = '';
  for (const line of prettyJson(body)) {
    const [, member, rest] = MEMBER.exec(line) ?? [];
    name = member?.slice(1, -1) ?? name;
    if (line === '{' || line === '}') continue;
    const before = sections.get(name);
    sections.set(name, before === undefined ? (rest ?? line) : `${before}\n${rest ?? line}`);
  }
  return sections;
}

/** Compares two texts word by word, `until` a time of `performance`. Beyond it, they have nothing in common. */
function compare(left: string, right: string, until: number): Part[] {
  if (left === right) return [{ side: 'both', text: left }];
  const changes = diffWordsWithSpace(left, right, { timeout: Math.max(1, until - performance.now()) });
  if (!changes)
    return [
      { side: 'left', text: left },
      { side: 'right', text: right },
    ];
  return changes.map(({ value: text, added, removed }) => {
    return { side: added ? 'right' : removed ? 'left' : 'both', text };
  });
}

/** Returns two logs side by side, as they are in the table: their members, with the words in which they differ. */
export async function readPair(console: Console, asked: Query) {
  const read = async (side: 'left' | 'right') => {
    const [uid = '', entryId = ''] = textIn(asked, side).split('/');
    const body = readBodyText(await getEntry(console, { uid, entryId }));
    if (body === undefined) throw new Failure('negative', `The body of ${entryId} is damaged.`);
    return sectionsOf(body);
  };
  const [left, right] = await Promise.all([read('left'), read('right')]);
  const names = new Set([...left.keys(), ...right.keys()]);
  const until = performance.now() + TIMEOUT_MS;
  return [...names].map((name) => {
    const one = left.get(name) ?? '';
    const other = right.get(name) ?? '';
    return {
      name,
      isEqual: one === other,
      isCut: Math.max(one.length, other.length) > SECTION,
      parts: compare(one.slice(0, SECTION), other.slice(0, SECTION), until),
    };
  });
}
