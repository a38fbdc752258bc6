import pMap, { pMapIterable } from 'p-map';
import { HASH_BYTES, leafHashOf, sameHash } from '../../../functions/c2sp/hashing.ts';
import { appendEntries, appendHashes, rootOfEdge, type TileFile } from '../../../functions/c2sp/rightEdge.ts';
import { bundlesFrom, readBundle, TILE_WIDTH, tilePath } from '../../../functions/c2sp/tiles.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { type Commit, parseCommit } from '../../../functions/tlog/commit.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import {
  CHECKPOINT,
  COMMITS,
  checkpointPath,
  commitNumber,
  commitPath,
  receiptKeyPath,
} from '../../../functions/tlog/paths.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { pause } from '../../shell/terminal/signals.ts';
import { formatTime } from '../../shell/text/time.ts';
import { rowsOf } from '../../store/duckdb/duckdb.ts';
import { UNFINISHED } from '../../store/targets/tlogFiles.ts';
import { type GrownLog, isSameTree, lastTiles, NO_LOG, wrongTimes } from '../log/growBy.ts';
import { readReceiptKeys } from '../log/openLog.ts';
import type { Audit, Kept } from './auditData.ts';

const READS = 32;

/** A commit is stored in the minute in which it is decided. */
const STORED_MS = 10 * 60_000;

/** The time in which a run publishes what it has decided. */
const PUBLISHING_MS = 60_000;

const CHECKPOINTS = 'checkpoints/';

/** Lists the files of a log into `stored`. @returns their number, when each commit was stored, and the last number */
async function listFiles({ files, data }: Audit) {
  const commits = new Map<number, number>();
  let [listed, last] = [0, 0];
  for await (const { path, storedAt } of files.list('')) {
    if (path.startsWith(`${UNFINISHED}/`)) continue;
    listed += 1;
    await data.stored({ path });
    const n = commitNumber(path);
    if (n !== undefined) commits.set(n, storedAt);
    const named = path.startsWith(CHECKPOINTS) ? Number(path.slice(CHECKPOINTS.length)) : 0;
    last = Math.max(last, n ?? (path === checkpointPath(named) ? named : 0));
  }
  return { listed, commits, last };
}

/** Opens a file of the log, and reports everything wrong with it. @returns undefined if it cannot be used */
function openOrReport<Content>(
  { wrong }: Audit,
  path: string,
  bytes: Uint8Array | undefined,
  open: (text: string) => Content,
): Content | undefined {
  try {
    if (bytes) return open(Buffer.from(bytes).toString());
    wrong(path, 'is missing.');
  } catch (error) {
    const { message } = error as Error;
    wrong(path, message.startsWith(path) ? message.slice(path.length + 1) : `cannot be trusted: ${message}`);
  }
  return undefined;
}

/** Returns the entries that the bundles of a log have between two sizes; undefined if they do not have them. */
async function bundledEntries({ files }: Audit, from: number, to: number): Promise<Uint8Array[] | undefined> {
  const bundles = await pMap(
    bundlesFrom(from, to),
    async (tile) => {
      const bytes = await files.read(tilePath(tile));
      const entries = bytes && orUndefined(() => readBundle(bytes, tile.width));
      return entries?.every(({ length }) => length === HASH_BYTES) ? entries : undefined;
    },
    { concurrency: READS },
  );
  if (bundles.some((bundle) => bundle === undefined)) return undefined;
  return bundles.flatMap((bundle) => bundle ?? []).slice(from % TILE_WIDTH);
}

async function checkTiles(
  { files, data, isOwn, wrong }: Audit,
  tiles: readonly TileFile[],
  isNeeded: (path: string) => boolean,
): Promise<void> {
  const check = async ({ path, bytes }: TileFile) => {
    await data.expected({ path });
    const found = await files.read(path);
    if (!found && (isOwn || isNeeded(path))) wrong(path, 'is missing.');
    if (found && !sameHash(found, bytes)) wrong(path, 'does not have the entries of the log.');
  };
  await pMap(tiles, check, { concurrency: READS });
}

function checkKept({ report }: Audit, kept: readonly Kept[], { edge, tree }: GrownLog, entries: readonly Uint8Array[]) {
  for (const { path, size, root } of kept) {
    if (size <= tree.size || size > tree.size + entries.length) continue;
    const grown = appendHashes(edge, entries.slice(0, size - tree.size).map(leafHashOf));
    const problem = `${path} was signed for the first ${size} entries, and the log has others now: it was forked or rewritten.`;
    if (!sameHash(rootOfEdge(grown.edge), root)) report({ kind: 'kept', path, problem });
  }
}

async function checkNames({ data, report }: Audit): Promise<void> {
  const others = 'SELECT path FROM stored ANTI JOIN expected USING (path) ORDER BY path LIMIT 1000';
  for (const { path } of await rowsOf<{ path: string }>(data.engine, others))
    report({ kind: 'tree', path, problem: `${path.replaceAll('\n', '\\n')} does not belong to the log.` });
}

/** Checks the versions in a bucket: only `checkpoint` is replaced, by a later commit's, and nothing is deleted. */
async function checkVersions({ files, wrong }: Audit): Promise<void> {
  /** By the digests of checkpoints: the commits; those of `checkpoint`, the newest first. */
  const commits = new Map<string, number>();
  const shown: string[] = [];
  let before = '';
  for (const prefix of [COMMITS, CHECKPOINT]) {
    for await (const { path, isMarker, etag } of files.versions?.(prefix) ?? []) {
      if (isMarker) wrong(path, 'has a delete marker: somebody deleted it.');
      else if (path === CHECKPOINT) shown.push(etag);
      else if (path === before) wrong(path, 'has several versions: somebody replaced it.');
      else if (prefix === CHECKPOINT) commits.set(etag, Number(path.slice(CHECKPOINTS.length)));
      if (!isMarker) before = path;
    }
  }
  const numbers = shown.map((etag) => commits.get(etag));
  if (numbers.includes(undefined)) wrong(CHECKPOINT, 'had a version that is not the checkpoint of a commit.');
  const back = numbers.find((n, at) => at > 0 && n !== undefined && n > (numbers[at - 1] ?? n));
  if (back !== undefined) wrong(CHECKPOINT, `was that of commit ${back}, and then that of an earlier one.`);
}

/**
 * Audits the files of a log: grows a tree by the entries of each commit, and compares all tiles and checkpoints with
 * it. If a commit was changed, entry bundles and signed checkpoint tell what it was. Memory does not grow with the log.
 * @returns `newest`: the newest commit that holds; `unchecked`: what could not be checked, in sentences
 * @throws Failure if the log has no checkpoint that can be trusted
 */
export async function auditFiles(audit: Audit) {
  const { terminal, files, policy, kept, isOwn, now, data, report, wrong } = audit;
  const unchecked: string[] = [];
  const progress = terminal.progress(undefined, 'listing the files of the log');
  const { listed, commits, ...found } = await listFiles(audit);
  // Files that were stored while others were listed belong to the log too.
  let { last } = found;
  while (await files.read(commitPath(last + 1))) last += 1;
  progress.advance(0, `${listed} files of the log listed`);
  const open = (path: string, bytes: Uint8Array | undefined) =>
    openOrReport(audit, path, bytes, (text) => openCheckpoint(text, policy));

  const newest = open(CHECKPOINT, await files.read(CHECKPOINT));
  const origin = audit.origin ?? newest?.origin ?? policy.logs[0]?.key.name ?? '';
  if (newest && newest.origin !== origin) wrong(CHECKPOINT, `is of another log, ${newest.origin}.`);

  const read = async (n: number) => ({
    n,
    bytes: await files.read(commitPath(n)),
    signed: await files.read(checkpointPath(n)),
  });
  const numbers = Array.from({ length: last }, (_, at) => at + 1);
  let grown: GrownLog = NO_LOG;
  let published: OpenedCheckpoint | undefined;
  const isNeeded = lastTiles(newest?.size ?? 0);
  let isWhole = true;
  for await (const { n, bytes, signed } of pMapIterable(numbers, read, { concurrency: READS, backpressure: 64 })) {
    const path = commitPath(n);
    await data.expected({ path });
    await data.expected({ path: checkpointPath(n) });
    const parsed = openOrReport(audit, path, bytes, (text) => parseCommit(text, path));
    const commit = parsed?.n === n && parsed.origin === origin ? parsed : undefined;
    if (parsed && !commit) wrong(path, `is commit ${parsed.n} of ${parsed.origin}.`);
    const isFresh = isOwn && now - (commits.get(n) ?? now) < PUBLISHING_MS;
    if (
      n === last &&
      commit &&
      newest &&
      isSameTree(newest, grown.tree) &&
      (!signed || (isFresh && !isSameTree(commit.to, newest)))
    ) {
      // A run has decided it, and has not published it yet.
      if (!isFresh) unchecked.push(`${path}, which is not published yet.`);
      for (const file of appendEntries(grown.edge, commit.entries).files) await data.expected({ path: file.path });
      break;
    }
    const checkpoint = open(checkpointPath(n), signed);
    if (checkpoint && checkpoint.origin !== origin)
      wrong(checkpointPath(n), `is of another log, ${checkpoint.origin}.`);
    if (checkpoint && commit && !isSameTree(checkpoint, commit.to))
      wrong(path, `has another tree than ${checkpointPath(n)}, which is signed.`);

    // The signed tree decides which tree the commit had.
    const tree = checkpoint ?? commit?.to;
    const follows = (entries: readonly Uint8Array[] | undefined) => {
      if (!tree || !entries || grown.tree.size + entries.length !== tree.size) return undefined;
      const next = appendEntries(grown.edge, entries);
      return sameHash(rootOfEdge(next.edge), tree.root) ? { ...next, entries } : undefined;
    };
    let next = follows(commit?.entries);
    if (!next && commit && checkpoint && isSameTree(checkpoint, commit.to))
      wrong(path, 'does not have the entries that were signed.');
    if (!next && tree && tree.size >= grown.tree.size)
      next = follows(await bundledEntries(audit, grown.tree.size, tree.size));
    if (!next || !tree) {
      if (tree) wrong(checkpointPath(n), 'does not follow from any entries of the log.');
      unchecked.push(`The log from ${path} on: its entries do not lead to a root that was signed.`);
      isWhole = false;
      break;
    }
    if (commit && !isSameTree(commit.from, grown.tree)) wrong(path, 'does not continue the commit before.');
    const times = commit && wrongTimes(commit, grown.last);
    if (times) wrong(path, `goes back: ${times}.`);
    const storedAt = commits.get(n);
    if (isOwn && commit && storedAt !== undefined && Math.abs(storedAt - commit.time) > STORED_MS)
      wrong(path, `was stored at ${formatTime(storedAt)}, and says ${formatTime(commit.time)}.`);
    checkKept(audit, kept, grown, next.entries);
    await checkTiles(audit, next.files, isNeeded);
    for (const [at, hash] of next.entries.entries()) await data.leaf({ idx: grown.tree.size + at, hash, n });
    const known = commit ?? grown.last ?? { time: 0, cursor: 0, looked: 0, retentionDays: 0 };
    const { time, cursor, looked, retentionDays: days } = known;
    // Nothing is concluded from the times of a commit that is lost.
    await data.commit(commit ? { n, time, cursor, looked, days } : { n, days });
    const stands: Commit = { ...known, origin, n, from: grown.tree, to: tree, entries: next.entries };
    grown = { edge: next.edge, tree: { size: tree.size, root: tree.root }, last: stands };
    published = checkpoint ?? published;
    progress.advance(0, `${tree.size} entries of the log read`);
    await pause(terminal.signal);
  }
  progress.stop(`${grown.tree.size} entries of the log read`);

  const checkpoint =
    isWhole && newest && published && !isSameTree(newest, grown.tree) ? published : (newest ?? published);
  if (!checkpoint) {
    throw new Failure('negative', `The log in ${files.location} has no checkpoint that can be trusted.`, {
      advice: 'Check the folder or bucket, and that the policy has the key of the log.',
    });
  }
  const { size } = grown.tree;
  if (newest && isWhole && newest.size < size)
    wrong(CHECKPOINT, `has the size ${newest.size}, and there is one of ${size}: an older one was put back.`);
  else if (newest && isWhole && !isSameTree(newest, grown.tree) && !(await files.read(commitPath(last + 1))))
    wrong(CHECKPOINT, `of size ${newest.size} is not that of the newest commit, of size ${size}.`);
  if (!checkpoint.quorum) unchecked.push('By whom the log was seen: too few witnesses cosigned its checkpoint.');
  const most = Math.max(checkpoint.size, size);
  for (const one of kept) {
    const problem = `${one.path} was signed for ${one.size} entries, and the log has ${most}: it was rolled back.`;
    if (one.size > most) report({ kind: 'kept', path: one.path, problem });
  }
  const keys = policy.logs.map(({ key }) => key);
  const { certified, problems } = await readReceiptKeys(files, origin, keys);
  for (const problem of problems) report({ kind: 'tree', path: problem.split(' ')[0], problem });
  for (let k = 1; k <= certified.length + problems.length; k += 1) await data.expected({ path: receiptKeyPath(k) });
  await data.expected({ path: CHECKPOINT });
  if (isWhole) await checkNames(audit);
  await checkVersions(audit);
  return { checkpoint, files: listed, newest: grown.last, receiptKeys: certified, unchecked };
}
