import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import type { OpenedCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import type { LoggedKey } from '../../../functions/tlog/tlogTable.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { pause } from '../../shell/terminal/signals.ts';
import { counted } from '../../shell/text/numbers.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import type { Target } from '../../store/targets/target.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';
import { type KeyLeaf, keyLeavesIn } from '../inclusion/keyLeaves.ts';
import { quorumTime } from '../inclusion/publication.ts';
import { noLogYet } from '../inclusion/publishedLog.ts';
import { trustedKeys } from '../inclusion/trustedKeys.ts';
import {
  type Audit,
  type AuditData,
  addHints,
  addKnown,
  addLeaves,
  addRows,
  openAuditData,
  rowsOf,
} from './auditData.ts';
import { auditAnnounced, auditHead, keysIn, readTlogItems, type TlogItems } from './auditHead.ts';
import { auditKeys } from './auditKeys.ts';
import { auditTree } from './auditTree.ts';
import { fileChecks, readNewest } from './checkFiles.ts';
import { type Comparison, compareTables } from './compareTables.ts';
import { Findings, type Report } from './findings.ts';
import { checksOf, compareNames, listFiles } from './listFiles.ts';

const MINUTE_MS = 60_000;

const IDLE_MS = 10 * MINUTE_MS;

export interface AuditRequest {
  readonly files: TlogFiles;
  /** The tables; undefined: only the files of the log. */
  readonly target: Target | undefined;
  readonly policy: Policy;
  /** Checkpoints that somebody kept, with the names of their files. */
  readonly previous: readonly (OpenedCheckpoint & { readonly path: string })[];
  readonly known: readonly string[];
  readonly bodies: boolean;
}

export type AuditResult = Awaited<ReturnType<typeof runAudit>>;

/** Compares the sizes of kept checkpoints with that of the log. @throws Failure if one is of another log */
function checkPrevious(previous: AuditRequest['previous'], { size, origin }: Checkpoint, report: Report): void {
  for (const { path, ...kept } of previous) {
    if (kept.origin !== origin) {
      const advice = `This log is ${origin}. Leave the file out.`;
      throw new Failure('usage', `${path} is a checkpoint of another log, ${kept.origin}.`, { advice });
    }
    const problem = `${path} was signed for ${kept.size} entries, and the log has ${size}: it was rolled back.`;
    if (kept.size > size) report({ kind: 'previous', path, problem });
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

function uncheckedParts(
  { target, bodies }: AuditRequest,
  { stalled, olderGone }: Comparison,
  tree: { readonly root: boolean; readonly lost: number },
  unpublished: number,
  paths: Readonly<Record<'beyond' | 'absent' | 'nameless' | 'hintless' | 'strangeHints', readonly string[]>>,
): string[] {
  const { beyond, absent, nameless, hintless, strangeHints } = paths;
  return [
    tree.lost > 0 && `${tree.lost} entries of the log, because their files are missing or were changed.`,
    !tree.root && 'Whether the entries are those that were signed: they do not lead to the root.',
    unpublished > 0 && `${unpublished} entries that the head claims and no checkpoint has yet. Run the audit again.`,
    !target &&
      beyond.length > 0 &&
      `${counted(beyond.length, 'file')} of a larger tree than that of the checkpoint, such as ${beyond[0]}.`,
    !target && nameless.length > 0 && `${nameless[0]} Get a newer policy (keys: ${nameless.length}).`,
    hintless.length > 0 &&
      `The times of ${counted(hintless.length, 'checkpoint')} for readers of the public log: the hints do not name ${hintless[0]}.`,
    strangeHints.length > 0 && `${strangeHints[0]}: it has lines that are no hints (files: ${strangeHints.length}).`,
    absent.length > 0 && `${counted(absent.length, 'file')} that a copy may leave out, such as ${absent[0]}.`,
    stalled > 0 && `Entries that should be in the log by now: ${stalled}. The log stands still.`,
    olderGone > 0 &&
      `${olderGone} log entries that the table does not have any more, and that may be older than the log: they have expired, or somebody removed them.`,
    target && !bodies && 'Bodies, and the copies of order id, stage and model (--no-bodies).',
  ].filter((sentence) => typeof sentence === 'string');
}

/** Audits a log, and compares it with the tables. @throws Failure if it has no checkpoint that can be trusted */
export async function runAudit(terminal: Surroundings, request: AuditRequest) {
  const data = await openAuditData();
  try {
    return await auditInto(data, terminal, request);
  } finally {
    data.engine.close();
  }
}

async function auditInto(data: AuditData, terminal: Surroundings, request: AuditRequest) {
  const { files, target, policy, bodies, previous } = request;
  const { engine } = data;
  const findings = new Findings();
  const { report } = findings;
  const audit: Audit = { terminal, files, policy, data, report };
  const { listed, newestAt } = await listFiles(audit);
  const now = target ? await target.now() : Date.now();
  const [last] = await rowsOf<{ size: number; storedAt: number }>(
    engine,
    `SELECT position AS size, stored_at AS "storedAt" FROM file WHERE kind = 'checkpoint' ORDER BY position DESC LIMIT 1`,
  );
  const largest = { size: last?.size ?? 0, isFresh: target !== undefined && now - (last?.storedAt ?? 0) < MINUTE_MS };
  const newest = await readNewest(largest, audit);
  const items = target ? await readTlogItems(target) : { head: undefined, receiptKeys: undefined };
  if (!newest) throw noLog(request, items, listed, findings);
  const { size, root, origin } = newest;

  const unpublished = target ? await auditHead(items, newest, now, audit) : 0;
  const isClaimed = (key: LoggedKey) => key.size > size && key.size <= size + unpublished;
  const published = keysIn(items).filter((key) => !isClaimed(key));
  // `auditKeys` compares all leaves of the log with the keys.
  const { problems } = await trustedKeys(origin, { keys: published, receiptKeys: undefined, size: 0 }, files);
  for (const problem of problems) report({ kind: 'key', problem });
  const larger = await rowsOf<{ path: string }>(
    engine,
    `SELECT path FROM file WHERE position > ${size + unpublished} ORDER BY path`,
  );
  const beyond = larger.map(({ path }) => path);
  for (const path of target ? beyond : [])
    report({ kind: 'file', path, problem: `${path} belongs to a larger tree than was ever claimed.` });
  checkPrevious(previous, newest, report);
  for (const kept of previous) await data.kept({ path: kept.path, position: kept.size, root: kept.root });
  const strangeHints = await addHints(audit);
  for (const path of request.known) await addKnown(path, origin, audit);

  const counts = { checkpoints: 0 };
  const keyLeaves: KeyLeaf[] = [];
  const progress = terminal.progress(size, 'reading the log');
  const tree = await auditTree({
    files,
    size,
    root,
    checks: checksOf(engine, size),
    check: fileChecks(origin, counts, audit),
    onEntries: async (entries, first) => {
      await addLeaves(data, entries, first);
      keyLeaves.push(...keyLeavesIn(entries, first));
      progress.advance(entries.length, 'entries of the log read');
      await pause(terminal.signal);
    },
    report,
  });
  progress.stop(`${size} entries of the log read`);
  const problem = `The entries and tiles do not lead to the root of the newest checkpoint, of size ${size}.`;
  if (!tree.root) report({ kind: 'root', problem });
  if (target) await addRows(target, bodies, audit);
  const absent = await compareNames(engine, { size, isCopy: target === undefined, report });
  const hintless = await rowsOf<{ path: string }>(
    engine,
    `SELECT path FROM file f ANTI JOIN hint h ON h.size = f.position WHERE kind = 'checkpoint' AND position <= ${size} ORDER BY position`,
  );
  const { nameless, ...keys } = await auditKeys(items, origin, keyLeaves, audit);
  for (const problem of target ? nameless : []) report({ kind: 'key', problem });
  if (target && unpublished === 0) await auditAnnounced(items, audit);

  const witnessedAt = quorumTime(newest, policy);
  if (witnessedAt !== undefined) await data.cosigned({ size, cosigned_at: witnessedAt });
  const reader = target && entriesReader(target);
  const comparison = await compareTables(engine, {
    now,
    hasTables: target !== undefined,
    // A copy is younger than its files. An idle log signs a checkpoint every 10 minutes.
    newestAt: target ? (newestAt ?? last?.storedAt ?? 0) : (witnessedAt ?? (newestAt ?? 0) - IDLE_MS),
    read: async ({ uid, entryId }) => (await reader?.get({ uid, entryId })) as Record<string, unknown> | undefined,
    report,
  });
  await pause(terminal.signal);
  return {
    checkpoint: newest,
    files: listed,
    /** Those of which the signature was verified and the root computed again. */
    checkpoints: counts.checkpoints,
    ...keys,
    comparison,
    hasTables: target !== undefined,
    hasWitnesses: policy.quorum !== 'none',
    /** The parts that were not checked, in sentences. */
    unchecked: uncheckedParts(request, comparison, tree, unpublished, {
      beyond,
      absent,
      nameless,
      hintless: hintless.map(({ path }) => path),
      strangeHints,
    }),
    findings,
  };
}
