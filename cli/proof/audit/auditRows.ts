import { createHash } from 'node:crypto';
import { type Entry, entryIdOf } from '../../../functions/ailog/entry.ts';
import { PROMISE_MS } from '../../../functions/receipts/receiptFormat.ts';
import { arrivalKeysOf } from '../../../functions/tlog/arrival.ts';
import { type Commit, STEP_MS, WINDOW_MS } from '../../../functions/tlog/commit.ts';
import { HASHED_ATTRIBUTES } from '../../../functions/tlog/entryHash.ts';
import { queryOf, rowsOf } from '../../store/duckdb/duckdb.ts';
import { readBody } from '../../store/entries/describeEntry.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { verifyContent } from '../../store/entries/verifyContent.ts';
import type { Target } from '../../store/targets/target.ts';
import { rowKeysOf, UNLOGGED, whyUnlogged } from '../log/rowPlace.ts';
import type { Audit } from './auditData.ts';
import { compare } from './compare.ts';
import type { Finding, Report } from './findings.ts';

/** While the retention changes, functions with the old and the new one may run side by side for this long. */
const ROLLOUT_MS = 60 * 60_000;

/**
 * The counts of a comparison: rows of the table, and those in the log; rows and entries of receipts that need not be
 * there yet (`pending`); entries of the log whose rows have expired; rows of which nothing was promised, because they
 * are older than the log; entries that are in the log a second time; entries of evidence in the log (`known`).
 */
type Comparison = Readonly<
  Record<'rows' | 'logged' | 'pending' | 'expired' | 'older' | 'duplicates' | 'known', number>
>;

/** The attributes of an entry. The service stores no other. */
const ATTRIBUTES: readonly string[] = [
  ...HASHED_ATTRIBUTES,
  ...['orderId', 'stage', 'model', 'body', 'expiresAt', 'slot', 'arrival'],
];

const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e13;

function changedArrival({ receivedAt, ...entry }: Entry, entryHash: Buffer | undefined): string[] {
  const keys = entryHash && isTime(receivedAt) ? arrivalKeysOf(receivedAt, entryHash) : undefined;
  const textOf = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);
  return (['slot', 'arrival'] as const).filter((name) => !keys || textOf(keys[name]) !== textOf(entry[name]));
}

/**
 * Checks an entry by itself, and reports what is wrong. @returns its row of the table `compared`; `claimed`: the other
 * entry hash that its arrival keys name; `expires_at`: -1 if it is no time
 */
function checkRow(entry: Entry, bodies: boolean, report: Report) {
  const { uid, entryId, receivedAt, expiresAt } = entry;
  const wrong = (problem: string) => report({ kind: 'damaged', uid, entryId, problem });
  const { entryHash, stored, isIndexed } = rowKeysOf(entry);
  if (bodies) {
    const bytes = readBody(entry);
    const fields = bytes ? verifyContent(entry, bytes).fields : 'ok';
    const digest = bytes && createHash('sha256').update(bytes).digest('hex');
    if (!bytes) wrong('The stored body is damaged.');
    else if (entry.bodySha256 !== digest || entry.bodyBytes !== bytes.length)
      wrong('The stored body does not have the digest or length that the entry names.');
    if (fields !== 'ok') wrong(`Not as in the body: ${fields.slice('wrong: '.length)}.`);
  }
  if (!stored) {
    const changed = changedArrival(entry, entryHash);
    if (changed.length > 0) wrong(`Not as the service stores it: ${changed.join(', ')}.`);
    if (entryId !== entryIdOf(entry)) wrong('The entry id does not follow from access key, timestamp and signature.');
  }
  const unknown = Object.keys(entry).filter((name) => !ATTRIBUTES.includes(name));
  if (unknown.length > 0) wrong(`The service does not store ${unknown.join(', ')}.`);
  return {
    uid,
    entry_id: entryId,
    hash: entryHash,
    claimed: stored?.entryHash,
    is_indexed: isIndexed,
    received_at: isTime(receivedAt) ? receivedAt : null,
    expires_at: expiresAt === undefined ? null : isTime(expiresAt) ? expiresAt : -1,
  };
}

/** Returns what a row has otherwise than evidence of the entry that was logged. */
const changesOf = (source: string, row: Readonly<Record<string, unknown>>): string =>
  Object.entries<unknown>(JSON.parse(source))
    .filter(([name, logged]) => (row[name] ?? '') !== logged)
    .map(([name, logged]) => `${name} was ${JSON.stringify(logged)}, and is ${JSON.stringify(row[name] ?? '')}`)
    .join('; ');

type Unlogged = Readonly<Record<'uid' | 'entryId', string>> &
  Readonly<Record<'isIndexed' | 'isEdited', boolean>> &
  Readonly<Record<'receivedAt' | 'index', number | null>> & { readonly source: string | null };

/** Says of each row that the log does not have why. @returns how many it need not have yet */
async function reportUnlogged(target: Target, newest: Commit, { data, report, now }: Audit): Promise<number> {
  const reader = entriesReader(target);
  let pending = 0;
  // A row that names the hash of another one is no edited row: that one stands there.
  const rows = data.engine.read<Unlogged>(
    `SELECT u.uid, u.entry_id AS "entryId", u.received_at AS "receivedAt", u.is_indexed AS "isIndexed",
       (u.claimed IS NOT NULL AND own.hash IS NULL) OR kept.hash IS NOT NULL AS "isEdited",
       l.idx AS index, coalesce(named.source, kept.source) AS source
     FROM unlogged u
     LEFT JOIN (SELECT DISTINCT hash FROM compared) own ON own.hash = u.claimed
     LEFT JOIN (SELECT hash, max_by(source, length(source)) AS source FROM known GROUP BY hash) named
       ON named.hash = u.claimed
     LEFT JOIN (SELECT uid, entry_id, any_value(hash) AS hash, max_by(source, length(source)) AS source
       FROM known SEMI JOIN logged USING (hash) GROUP BY uid, entry_id) kept
       ON kept.uid = u.uid AND kept.entry_id = u.entry_id
     LEFT JOIN logged l ON l.hash = coalesce(u.claimed, kept.hash)
     ORDER BY u.uid, u.entry_id`,
  );
  for await (const { uid, entryId, receivedAt, index, source, ...row } of rows) {
    const why = whyUnlogged({ ...row, receivedAt: receivedAt ?? 0 }, newest, now);
    if (why === 'pending') pending += 1;
    else if (why === 'edited') {
      const stored = source === null ? undefined : await reader.get({ uid, entryId });
      const changes = source !== null && stored ? changesOf(source, { ...stored }) : '';
      const what = changes || 'Evidence of it, given with --known, tells what was changed';
      const problem = `Changed since it was stored. ${what}.`;
      report({ kind: 'edited', uid, entryId, index: index ?? undefined, problem });
    } else report({ kind: 'unlogged', uid, entryId, problem: `${UNLOGGED[why]}.` });
  }
  return pending;
}

/** Compares rows and evidence with the log. @param target the tables; undefined: only evidence */
export async function auditRows(target: Target | undefined, newest: Commit, bodies: boolean, audit: Audit) {
  const { terminal, data, report, now } = audit;
  const { engine } = data;
  for await (const { entries } of target ? readPages(terminal, entriesReader(target), {}) : []) {
    for (const entry of entries) await data.row(checkRow(entry, bodies, report));
  }
  await compare(engine);
  const constants: Readonly<Record<string, number | boolean>> = {
    ...{ now, cursor: newest.cursor, tables: target !== undefined },
    ...{ promise: PROMISE_MS, window: WINDOW_MS, step: STEP_MS, rollout: ROLLOUT_MS },
  };
  const findings = queryOf('found', import.meta.url);
  await engine.run(findings.replaceAll(/\$(\w+)/g, (_all, name: string) => String(constants[name])));
  const unlogged = target ? await reportUnlogged(target, newest, audit) : 0;
  type Found = Pick<Finding, 'kind' | 'problem'> & Record<'uid' | 'entryId', string | null> & { index: number | null };
  const query = 'SELECT kind, uid, entry_id AS "entryId", idx AS index, problem FROM found ORDER BY idx, uid, entry_id';
  for await (const { kind, problem, uid, entryId, index } of engine.read<Found>(query))
    report({ kind, problem, uid: uid ?? undefined, entryId: entryId ?? undefined, index: index ?? undefined });
  const [counts] = await rowsOf<Comparison>(
    engine,
    `SELECT (SELECT count(*) FROM compared) AS rows,
       (SELECT count(*) FROM compared SEMI JOIN logged USING (hash)) AS logged,
       (SELECT count(*) FROM (SELECT DISTINCT hash FROM known ANTI JOIN logged USING (hash) ANTI JOIN compared USING (hash)
         WHERE promised AND deadline > ${newest.cursor})) + ${unlogged} AS pending,
       (SELECT CASE WHEN ${target !== undefined} THEN (SELECT count(*) FROM without_row) - (SELECT count(*) FROM found WHERE kind = 'removed')
         - (SELECT count(DISTINCT claimed) FROM unlogged SEMI JOIN without_row w ON w.hash = claimed) ELSE 0 END) AS expired,
       (SELECT count(*) FROM compared SEMI JOIN logged USING (hash)
         WHERE received_at < (SELECT min(time) FROM commit) - ${PROMISE_MS}) AS older,
       (SELECT coalesce(sum(times - 1), 0)::BIGINT FROM logged) AS duplicates,
       (SELECT count(*) FROM (SELECT DISTINCT hash FROM known SEMI JOIN logged USING (hash))) AS known`,
  );
  return counts as Comparison;
}
