/** Generated rows of a large competition, written as a sync writes them. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { collectRows, storeDays } from '../../cli/review/rows/collectRows.ts';
import { findLeaders } from '../../cli/review/rows/near.ts';
import { emptyManifest, rowStore, type StoredFile, sourceOf } from '../../cli/review/rows/rowStore.ts';
import { openTables, storedLeaders, storeQuery } from '../../cli/review/rows/rowTables.ts';
import { entriesReader } from '../../cli/store/entries/entriesReader.ts';
import { localPaths } from '../../cli/store/targets/data.ts';
import { FEATURE_COLUMNS } from '../../functions/features/featureRow.ts';
import { LEAF_COLUMNS, rowFile } from '../../functions/features/rowFile.ts';
import { exampleLog } from '../../infra/openapi/exampleLog.ts';
import type { LocalWorld } from '../setup/world.ts';
import { entryAt } from './entries.ts';

export const ROWS = Number(process.env.BENCH_ROWS ?? 100_000);

/** The rows that are made of entries. Each of the others repeats one of them, changed by its copy number. */
const MADE = Math.min(ROWS, 1_000_000);

/** The number of teams that own them. */
export const TEAMS = 200;
/** The time of the first log, in milliseconds. */
const START_MS = 1_763_000_000_000;
/** The time over which the others are spread, in milliseconds. */
const SPAN_MS = 14 * 86_400_000;

/** The words of the texts. */
export const WORDS =
  'trend breaks volume supports resistance momentum risk holds funding spread basis depth flow ask bid open interest range mean reverts hedge trims adds waits exits enters long short scalp swing'.split(
    ' ',
  );

/** Returns a number below a limit, always the same for the same arguments. */
function pick(n: number, place: number, limit: number): number {
  let hash = Math.imul(n ^ Math.imul(place + 1, 0x9e37_79b1), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % limit;
}

export const uidOf = (n: number) => String(5_000_000 + (n % TEAMS));
const timeOf = (n: number) => START_MS + Math.floor((n * SPAN_MS) / MADE);
const words = (n: number, count: number) =>
  Array.from({ length: count }, (_, place) => WORDS[pick(n, place, WORDS.length)]).join(' ');

/** Returns the nth entry. It names an order that was placed up to 45 s earlier; one in fifty is an hour late. */
function entryOf(n: number) {
  const log = {
    ...exampleLog,
    orderId: String(n + 1),
    model: `GPT-5-mini-${pick(n, 90, 5)}`,
    input: { prompt: 'Judge the market.', price: pick(n, 91, 100_000) },
    output: { action: words(n, 1), reason: words(n, 40) },
    explanation: words(n + MADE, 20),
  };
  const at = timeOf(n);
  return entryAt(at, log, { uid: uidOf(n), signature: String(n).padStart(44, '0'), receivedAt: at + 100 });
}

/** The teams of copies 0, 3, 6 … are the same, and so are those of 1, 4, 7 … */
const TEAM_GROUPS = 3;

/** Returns the order of the nth row. */
function orderOf(n: number): string {
  const [made, copy] = [n % MADE, Math.floor(n / MADE)];
  const placed = timeOf(made) - (pick(made, 92, 50) === 0 ? 3_600_000 : pick(made, 93, 45_000)) + copy * 7;
  const uid = Number(uidOf(made)) + TEAMS * (copy % TEAM_GROUPS);
  return `${uid},${n + 1},${placed},${1 + pick(made, 94, 9)},${100 + pick(made, 95, 900)}\n`;
}

/** Returns the queries of a copy of the rows: of other teams, and of texts that repeat no other copy. */
function copyQueries(copy: number) {
  const key = `CAST(CAST(uid AS BIGINT) + ${TEAMS * (copy % TEAM_GROUPS)} AS VARCHAR) AS uid,
    concat(entry_id[:-4], printf('%03x', ${copy})) AS entry_id`;
  const mixed = (name: string) => `xor(${name}, CAST(${copy * 0x0123_4567_89ab} AS BIGINT)) AS ${name}`;
  const digestsAndSignature = Object.keys(FEATURE_COLUMNS).filter((name) => /_digest$|^s\d+$/.test(name));
  const entries = `SELECT * REPLACE (${key},
    signed_at + ${copy * 7} AS signed_at, received_at + ${copy * 7} AS received_at, order_id + ${copy * MADE} AS order_id,
    ${digestsAndSignature.map(mixed).join(', ')},
    unhex(sha256(concat(hex(leaf), '${copy}'))) AS leaf
  ) FROM entries`;
  return { entries, texts: `SELECT * REPLACE (${key}, concat(search, ' ${copy}') AS search) FROM texts` };
}

/** Writes rows of local data as a sync does, with their leaders of near-duplicates, and an order list. */
export async function writeRows({ folder, db, names }: Pick<LocalWorld, 'folder' | 'db' | 'names'>): Promise<void> {
  if (!Number.isSafeInteger(ROWS) || ROWS < 1000) {
    throw new Error(`BENCH_ROWS must be an integer of at least 1000, not "${process.env.BENCH_ROWS}".`);
  }
  const orders = openSync(join(folder, 'orders.csv'), 'w');
  writeSync(orders, 'uid,order_id,time,size,price\n');
  const store = rowStore(join(folder, localPaths.rows));
  const files: StoredFile[] = [store.add('leaves', rowFile(LEAF_COLUMNS, []), 0)];
  const rows = collectRows();
  for (let n = 0; n < MADE; n += 1) {
    if (rows.add([entryOf(n)]) || n === MADE - 1) files.push(...storeDays(store, rows.take().days));
  }
  for (let n = 0; n < ROWS; n += 10_000) {
    writeSync(orders, Array.from({ length: Math.min(10_000, ROWS - n) }, (_, index) => orderOf(n + index)).join(''));
  }
  closeSync(orders);
  const { after: _first, ...complete } = emptyManifest(sourceOf(await entriesReader({ db, tables: names }).describe()));
  const manifest = { ...complete, until: START_MS + SPAN_MS, itemCount: ROWS, files };
  const made = await openTables(store, manifest);
  for (let copy = 1; copy * MADE < ROWS; copy += 1) {
    for (const [kind, query] of Object.entries(copyQueries(copy))) {
      const part = `${query} LIMIT ${ROWS - copy * MADE}`;
      files.push(await storeQuery(made, store, `${kind}/received_day=2025-11-13`, part));
    }
  }
  made.close();
  const engine = await openTables(store, manifest);
  await findLeaders(engine, await storedLeaders(store, manifest));
  const near = await storeQuery(engine, store, 'near', 'SELECT * FROM near ORDER BY text_digest');
  engine.close();
  store.commit({ ...manifest, files: [...files, near] });
}
