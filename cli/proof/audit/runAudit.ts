import { EMPTY_ROOT } from '../../../functions/c2sp/hashing.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { entryHashOf, keyPreimage, retentionPreimage } from '../../../functions/tlog/entryHash.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { checkpointPath, hintsPath } from '../../../functions/tlog/paths.ts';
import type { LoggedKey, ReceiptKeys } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { counted } from '../../shell/text/numbers.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { readPages } from '../../store/entries/readPages.ts';
import type { Target } from '../../store/targets/target.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';
import { parseHints } from '../inclusion/publicLog.ts';
import { noLogYet } from '../inclusion/publishedLog.ts';
import { quorumTime } from '../inclusion/quorumTime.ts';
import { trustedKeys } from '../inclusion/trustedKeys.ts';
import { type AuditData, openAuditData, rowsOf } from './auditData.ts';
import { auditAnnounced, auditHead, keysIn, readTlogItems, type TlogItems } from './auditHead.ts';
import { auditTree } from './auditTree.ts';
import { fileChecks, readNewest } from './checkFiles.ts';
import { checkRow } from './checkRow.ts';
import { type Comparison, compareTables } from './compareTables.ts';
import { Findings, type Report } from './findings.ts';
import { readKnown } from './known.ts';
import { checksOf, compareNames, listFiles } from './listFiles.ts';

const MINUTE_MS = 60_000;

/** The most days that the setting entryRetentionDays allows. */
const MAX_DAYS = 36_500;

/** The longest time between two checkpoints. */
const IDLE_MS = 10 * MINUTE_MS;

export interface AuditRequest {
  readonly files: TlogFiles;
  /** The tables; undefined: only the files of the log. */
  readonly target: Target | undefined;
  readonly policy: Policy;
  /** Checkpoints that somebody kept, by the names of their files. */
  readonly previous: readonly { readonly file: string; readonly checkpoint: OpenedCheckpoint }[];
  readonly known: readonly string[];
  readonly bodies: boolean;
}

export interface AuditResult {
  readonly checkpoint: OpenedCheckpoint;
  readonly files: number;
  /** The checkpoints of which the signature was verified and the root computed again. */
  readonly checkpoints: number;
  readonly keys: number;
  readonly comparison: Comparison;
  readonly hasTables: boolean;
  /** The parts that were not checked, in sentences. */
  readonly unchecked: readonly string[];
  readonly findings: Findings;
}

/** Returns the verifier keys that should be in the log, as the policy and the Tlog table name them. */
function keysOf({ policy }: AuditRequest, items: TlogItems, origin: string): string[] {
  const { current, previous = [] } = (items.receiptKeys ?? {}) as Partial<ReceiptKeys>;
  const named = [
    ...[...policy.logs.map(({ key }) => key), ...policy.receipts].map(formatVerifierKey),
    ...keysIn(items).map(({ key }) => key),
    ...[...(Array.isArray(previous) ? previous : []), current].map((one) => one?.verifierKey),
  ];
  const isOwn = (key: unknown): key is string =>
    typeof key === 'string' && (key.startsWith(`${origin}+`) || key.startsWith(`${origin}/receipts+`));
  return [...new Set(named.filter(isOwn))];
}

/** Reads the table into `row`, and reports what is wrong with each row by itself. */
async function readRows(terminal: Terminal, target: Target, bodies: boolean, data: AuditData, report: Report) {
  const reader = entriesReader(target.db, target.tables.aiLogs);
  for await (const { entries } of readPages(terminal, reader, {})) {
    for (const entry of entries) await data.row(checkRow(entry, bodies, report));
  }
}

/** Puts the keys, and what hints, files and kept checkpoints tell, into their tables. */
async function readOthers(request: AuditRequest, keys: readonly string[], origin: string, data: AuditData) {
  const { files, target } = request;
  for await (const { path } of target ? files.list(hintsPath('')) : []) {
    const text = Buffer.from((await files.read(path)) ?? []).toString();
    for (const hint of parseHints(text, Number.MAX_SAFE_INTEGER)) await data.hint(hint);
  }
  for (const key of keys) await data.key({ hash: entryHashOf(keyPreimage(key)), name: key });
  for (const path of request.known) {
    for await (const { uid, entryId, receivedAt, source, ...rest } of readKnown(path, origin, request.policy)) {
      const times = { received_at: receivedAt, source: JSON.stringify(source) };
      await data.known({ ...rest, uid, entry_id: entryId, ...times });
    }
  }
  for (const { file, checkpoint } of request.previous)
    await data.kept({ path: file, position: checkpoint.size, root: checkpoint.root });
}

/** Reads the checkpoint of a size; undefined if there is none that can be trusted. */
async function readKept({ read }: TlogFiles, size: number, policy: Policy): Promise<OpenedCheckpoint | undefined> {
  const signed = await read(checkpointPath(size));
  try {
    return signed && openCheckpoint(Buffer.from(signed).toString(), policy);
  } catch {
    return undefined;
  }
}

/** Audits a log, and compares it with the tables. @throws Failure if it has no checkpoint that can be trusted */
export async function runAudit(
  terminal: Terminal,
  request: AuditRequest,
  show: (result: AuditResult) => Promise<void>,
): Promise<void> {
  const { files, target, policy, bodies } = request;
  const data = await openAuditData();
  const { engine } = data;
  try {
    const findings = new Findings();
    const { report } = findings;
    const { listed, newestAt } = await listFiles(terminal, files, data, report);
    const now = target ? await target.now() : Date.now();
    const [last] = await rowsOf<{ size: number; storedAt: number }>(
      engine,
      `SELECT position AS size, stored_at AS "storedAt" FROM file WHERE kind = 'checkpoint' ORDER BY position DESC LIMIT 1`,
    );
    const largest = { size: last?.size ?? 0, isFresh: target !== undefined && now - (last?.storedAt ?? 0) < MINUTE_MS };
    const newest = await readNewest(files, { policy, largest, report });
    const items = target ? await readTlogItems(target) : { head: undefined, receiptKeys: undefined };
    if (!newest) throw noLog(request, items, listed, findings);
    const { size, root, origin } = newest;
    const rootAt = async (size: number) => (size === 0 ? EMPTY_ROOT : (await readKept(files, size, policy))?.root);
    const hasFile = async (path: string) => (await files.modifiedAt(path)) !== undefined;
    const unpublished = target ? await auditHead(items, newest, { data, now, rootAt, hasFile, report }) : 0;
    const isClaimed = (key: LoggedKey) => key.size > size && key.size <= size + unpublished;
    const { problems } = await trustedKeys(
      origin,
      keysIn(items).filter((key) => !isClaimed(key)),
      files,
    );
    for (const problem of problems) report({ kind: 'key', problem });
    const beyond = await rowsOf<{ path: string }>(
      engine,
      `SELECT path FROM file WHERE position > ${size + unpublished} ORDER BY path`,
    );
    for (const { path } of target ? beyond : [])
      report({ kind: 'file', path, problem: `${path} belongs to a larger tree than was ever claimed.` });
    for (const { file: path, checkpoint } of request.previous) {
      if (checkpoint.origin !== origin) {
        const advice = `This log is ${origin}. Leave the file out.`;
        throw new Failure('usage', `${path} is a checkpoint of another log, ${checkpoint.origin}.`, { advice });
      }
      const problem = `${path} was signed for ${checkpoint.size} entries, and the log has ${size}: it was rolled back.`;
      if (checkpoint.size > size) report({ kind: 'previous', path, problem });
    }
    const keys = keysOf(request, items, origin);
    await readOthers(request, keys, origin, data);

    const counts = { checkpoints: 0 };
    const daysOf = new Map<string, number>();
    for (let days = 0; days <= MAX_DAYS; days += 1) {
      daysOf.set(entryHashOf(retentionPreimage(days)).toString('latin1'), days);
    }
    const progress = terminal.progress(size, 'reading the log');
    const tree = await auditTree({
      files,
      size,
      root,
      checks: checksOf(engine, size),
      check: fileChecks({ policy, origin }, counts, report),
      onEntries: async (entries, first) => {
        for (const [at, hash] of entries.entries()) {
          if (hash) await data.leaf({ idx: first + at, hash, days: daysOf.get(Buffer.from(hash).toString('latin1')) });
        }
        progress.advance(entries.length, 'entries of the log read');
        if (terminal.signal.aborted) throw new Failure('interrupted', 'Interrupted.');
      },
      report,
    });
    progress.stop(`${size} entries of the log read`);
    if (target) await readRows(terminal, target, bodies, data, report);
    const absent = await compareNames(engine, { size, isCopy: target === undefined, report });
    const problem = `The entries and tiles do not lead to the root of the newest checkpoint, of size ${size}.`;
    if (!tree.root) report({ kind: 'root', problem });
    const missing = await rowsOf<{ key: string }>(
      engine,
      'SELECT name AS key FROM key k ANTI JOIN leaf l ON l.hash = k.hash ORDER BY name',
    );
    for (const { key } of missing) report({ kind: 'key', problem: `The key ${key} has no leaf in the log.` });
    if (target && unpublished === 0) await auditAnnounced(items, data, report);
    const reader = target && entriesReader(target.db, target.tables.aiLogs);
    const comparison = await compareTables(engine, {
      now,
      hasTables: target !== undefined,
      // A copy is younger than its files. An idle log signs a checkpoint every 10 minutes.
      newestAt: target ? (newestAt ?? last?.storedAt ?? 0) : (quorumTime(newest, policy) ?? (newestAt ?? 0) - IDLE_MS),
      read: async ({ uid, entryId }) => (await reader?.get({ uid, entryId })) as Record<string, unknown> | undefined,
      report,
    });
    if (terminal.signal.aborted) throw new Failure('interrupted', 'Interrupted.');
    const unchecked = [
      tree.lost > 0 && `${tree.lost} entries of the log, because their files are missing or were changed.`,
      !tree.root && 'Whether the entries are those that were signed: they do not lead to the root.',
      unpublished > 0 && `${unpublished} entries that the head claims and no checkpoint has yet. Run the audit again.`,
      !target &&
        beyond[0] &&
        `${counted(beyond.length, 'file')} of a larger tree than that of the checkpoint, such as ${beyond[0].path}.`,
      absent.length > 0 && `${counted(absent.length, 'file')} that a copy may leave out, such as ${absent[0]}.`,
      comparison.stalled > 0 &&
        `Entries that should be in the log by now: ${comparison.stalled}. The log stands still.`,
      comparison.olderGone > 0 &&
        `${comparison.olderGone} log entries that the table does not have any more, and that may be older than the log: they have expired, or somebody removed them.`,
      target && !bodies && 'Bodies, and the copies of order id, stage and model (--no-bodies).',
    ].filter((sentence) => typeof sentence === 'string');
    const figures = {
      checkpoint: newest,
      files: listed,
      checkpoints: counts.checkpoints,
      keys: keys.length - missing.length,
    };
    await show({ ...figures, comparison, hasTables: target !== undefined, unchecked, findings });
  } finally {
    engine.close();
  }
}

function noLog({ files, target }: AuditRequest, { head }: TlogItems, listed: number, findings: Findings): Failure {
  if (target && listed === 0 && !head) return noLogYet(target.name);
  const problems = findings.of('checkpoint').map(({ problem }) => ` ${problem}`);
  const message = `The log in ${files.location} has no checkpoint that can be trusted.${problems.join('')}`;
  return new Failure('negative', message, {
    advice: 'Check the folder or bucket, and that the policy has the key of the log.',
  });
}
