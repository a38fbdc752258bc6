import { foldText } from '../../../functions/features/foldText.ts';
import { CUT } from '../../../functions/features/searchText.ts';
import { SEED } from '../../review/verdicts/checkRecord.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { excludedShare } from '../../shell/text/numbers.ts';
import { quoted, rowsOf } from '../../store/duckdb/duckdb.ts';
import { readBodyText } from '../../store/entries/describeEntry.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { type EntryKey, keyText } from '../../store/entries/entryFilter.ts';
import { findText } from '../../store/entries/findText.ts';
import { type Console, numberIn, type Query, query, textIn } from './state.ts';

const PAGE = 50;
const TERMS = 5;
const SAMPLE = 1000;

/** Returns the terms of a search, separated by `|` in the parameter `q`, and the condition that a text has one. */
function termsIn(asked: Query) {
  const terms = textIn(asked, 'q')
    .split('|')
    .map((term) => term.trim())
    .filter(Boolean);
  const folded = terms.map(foldText);
  if (folded.length === 0 || folded.length > TERMS || folded.includes('')) {
    throw new Failure('usage', `Search for one to ${TERMS} terms of visible characters.`);
  }
  return { terms, isHit: `(${folded.map((term) => `contains(search, ${quoted(term)})`).join(' OR ')})` };
}

/** Finds the newest logs with one of several terms, and what stands around it: all, `before` a log, or of one `uid`. */
export const readSearch = ({ target, views }: Console, asked: Query) =>
  views.useRows(async ({ engine, texts }) => {
    const { terms, isHit } = termsIn(asked);
    const uid = asked.get('uid');
    const [fromDay, before] = asked.get('before')?.split(' ') ?? [];
    const keys: (EntryKey & { day: string })[] = [];
    // Most searches need the newest day only.
    for (const [day, readTexts] of texts) {
      if (keys.length === PAGE || (fromDay !== undefined && day > fromDay)) continue;
      const found = engine.read<EntryKey>(`SELECT DISTINCT uid, entry_id AS "entryId" FROM ${await readTexts()}
        WHERE ${isHit} AND ${uid ? `uid = ${quoted(uid)}` : 'TRUE'}
          AND ${day === fromDay ? `entry_id < ${quoted(before ?? '')}` : 'TRUE'}
        ORDER BY entry_id DESC, uid LIMIT ${PAGE - keys.length}`);
      for await (const key of found) keys.push({ ...key, day });
    }
    const entries = await entriesReader(target).readAll(keys);
    const stored = new Map(entries.map((entry) => [keyText(entry), entry]));
    const last = keys[PAGE - 1];
    return {
      terms,
      hits: keys.map(({ day: _day, ...key }) => {
        const entry = stored.get(keyText(key));
        const body = entry && readBodyText(entry);
        const [match] = entry ? terms.flatMap((term) => findText(term, entry, body) ?? []) : [];
        return { ...key, where: match?.where ?? null, excerpt: match?.excerpt ?? null };
      }),
      next: last && `${last.day} ${last.entryId}`,
    };
  });

/** Counts the logs of each team that contain one of several terms. It reads the texts of all days. */
export const readHits = ({ views }: Console, asked: Query) =>
  views.useRows(async ({ engine, allTexts }) => {
    const { isHit } = termsIn(asked);
    type Counted = { uid: string; hits: number; unsure: number };
    const query = `SELECT uid, count(CASE WHEN ${isHit} THEN 1 END) AS hits,
        count(CASE WHEN NOT ${isHit} AND ends_with(search, ${quoted(CUT)}) THEN 1 END) AS unsure
      FROM ${allTexts()} GROUP BY uid ORDER BY hits DESC, uid`;
    const counts = await rowsOf<Counted>(engine, query);
    return {
      teams: counts.filter(({ hits }) => hits > 0).map(({ uid, hits }) => ({ uid, hits })),
      /** Logs whose search text is cut, without a term before the cut. */
      unsure: counts.reduce((sum, { unsure }) => sum + unsure, 0),
    };
  });

/**
 * Draws a random sample of the logs of a team, the same for the same seed. @returns the logs, of how many, and the
 * `bound`: if none fails, fewer than this share of all fail, with a confidence of 95 %
 */
export const readSample = ({ views }: Console, asked: Query) =>
  views.use(async ({ engine }) => {
    const uid = textIn(asked, 'uid');
    const seed = textIn(asked, 'seed');
    if (!SEED.test(seed)) throw new Failure('usage', 'A seed has 1 to 40 characters, without line breaks.');
    const most = numberIn(asked, 'n', 60, [1, SAMPLE]);
    const logs = await query<{ id: string; signed: number; total: number }>(engine, 'sample', { uid, seed, most });
    const total = logs[0]?.total ?? 0;
    const bound = logs.length === total ? 0 : excludedShare(logs.length);
    return { uid, seed, total, bound, logs: logs.map(({ id, signed }) => ({ id, signed })) };
  });
