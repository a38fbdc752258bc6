import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import type { CertifiedReceiptKey } from '../../../functions/tlog/receiptKeyNote.ts';
import { receiptKeyItem, receiptKeyTable } from '../../../functions/tlog/receiptKeyTable.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { readTimeout } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { type Audit, type Kept, openAuditData } from './auditData.ts';
import { auditFiles } from './auditFiles.ts';
import { auditRows } from './auditRows.ts';
import { byEntry, collectFindings } from './findings.ts';
import { readKnown } from './known.ts';

interface AuditRequest extends Pick<Audit, 'files' | 'policy'> {
  /** The tables; undefined: `files` are a copy of the log. */
  readonly target: Target | undefined;
  readonly known: readonly string[];
  readonly bodies: boolean;
}

export type AuditResult = Awaited<ReturnType<typeof runAudit>>;

/** Compares the keys and the floor of the table with the log: each contradicts the other if one is rolled back. */
async function auditTable(target: Target, newest: number, keys: readonly CertifiedReceiptKey[], { report }: Audit) {
  const { origin } = await target.openTlog();
  const table = receiptKeyTable(target.db, target.tables.receiptKeys, origin);
  const wrong = (problem: string) => report({ kind: 'tree', problem });
  const floor = await table.getFloor(readTimeout());
  if (floor > newest)
    wrong(`The table has published commit ${floor}, and the log has ${newest}: the log was rolled back.`);
  const notes = new Map(keys.map(({ k, key }) => [k, formatVerifierKey(key)]));
  for (let k = 1; k <= Math.max(1, ...notes.keys()) + 1; k += 1) {
    const stored = await table.getKey(receiptKeyItem(k), readTimeout());
    if (stored && stored.verifierKey !== notes.get(k))
      wrong(`The table has another receipt key ${k} than the log: receipts of it prove nothing.`);
  }
}

/** Audits a log, and compares it with the tables. @throws Failure if it has no checkpoint that can be trusted */
export async function runAudit(terminal: Surroundings, request: AuditRequest) {
  const { files, policy, target, known, bodies } = request;
  const data = await openAuditData();
  try {
    const { counts, listed, report } = collectFindings();
    const wrong: Audit['wrong'] = (path, what) => report({ kind: 'tree', path, problem: `${path} ${what}` });
    const kept: Kept[] = [];
    for (const path of known) kept.push(...(await readKnown(path, { terminal, policy, data })));
    const now = target ? await target.now() : Date.now();
    const origin = target ? (await target.openTlog()).origin : undefined;
    const isOwn = target !== undefined;
    const audit: Audit = { terminal, files, origin, policy, kept, isOwn, now, data, report, wrong };
    const { checkpoint, newest, receiptKeys, unchecked, ...read } = await auditFiles(audit);
    if (target) await auditTable(target, newest?.n ?? 0, receiptKeys, audit);
    const comparison = newest && (await auditRows(target, newest, bodies, audit));
    return {
      origin: checkpoint.origin,
      size: checkpoint.size,
      root: Buffer.from(checkpoint.root).toString('base64'),
      witnesses: [...checkpoint.cosigned.keys()],
      files: read.files,
      commits: newest?.n ?? 0,
      hasTables: isOwn,
      ...comparison,
      unchecked: [
        ...unchecked,
        ...(comparison && comparison.pending > 0 ? [`${comparison.pending} entries that are not in the log yet.`] : []),
        ...(target && !bodies ? ['Bodies, and the copies of order id, stage and model (--no-bodies).'] : []),
      ],
      counts,
      findings: listed.sort(byEntry),
    };
  } finally {
    data.engine.close();
  }
}
