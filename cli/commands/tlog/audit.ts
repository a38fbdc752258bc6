import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { CHECKPOINT } from '../../../functions/tlog/paths.ts';
import { keysIn, readTlogItems } from '../../proof/audit/auditHead.ts';
import { type AuditRequest, runAudit } from '../../proof/audit/runAudit.ts';
import { showAsJson, showResult } from '../../proof/audit/showResult.ts';
import { readPolicy } from '../../proof/evidence/readPolicy.ts';
import { readSmallFile, textOf } from '../../proof/evidence/smallFile.ts';
import { openKept } from '../../proof/inclusion/followLog.ts';
import { readOwnPolicy } from '../../proof/inclusion/publishedLog.ts';
import { texts } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { watchInterruption } from '../../shell/terminal/signals.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';
import { folderFiles } from '../../store/targets/tlogFiles.ts';

/** Reads a checkpoint that somebody kept. @throws Failure if the policy does not trust it */
function readKept(path: string, file: string, policy: Policy) {
  const read = readSmallFile(path);
  const advice = 'Give a checkpoint as the log or a witness published it, with its signatures.';
  return openKept(file, policy, advice, () => textOf(read));
}

export default (terminal: Terminal) =>
  targetCommand('audit', {
    summary:
      'Check the whole transparency log, and compare it with the tables: name every entry that was edited, removed, inserted or backdated. With --log, check a copy of the log alone, without AWS. The exit code is 1 if anything contradicts, 6 if entries were logged after the deadlines of their receipts, and 5 if something could not be checked.',
    examples: [
      ['tlog audit', 'the local log against the local tables'],
      ['tlog audit --stack AiLogUpload-prod --policy tlog.policy', 'a deployment'],
      ['tlog audit --log copy/ --policy tlog.policy', 'a copy of the bucket, offline'],
      [
        'tlog audit --log copy/ --policy tlog.policy --previous kept',
        'and that it still has what a kept checkpoint had',
      ],
      ['tlog audit --known before.jsonl', 'name removed and edited entries by an earlier export'],
    ],
  })
    .option('--log <folder>', 'check this copy of the log instead of a target; needs --policy')
    .option('--policy <file>', 'trust the keys of this policy (default: those in the Tlog table of the target)')
    .option('--previous <file>', 'a checkpoint that was kept: the log must begin with it; can be repeated', texts)
    .option(
      '--known <file>',
      'a receipt, a result file of ailog upload, or an earlier export or statement; can be repeated',
      texts,
    )
    .option('--no-bodies', 'do not check bodies and their copies')
    .option('--full', 'show all findings')
    .action(async ({ log, policy, previous = [], known = [], bodies, full, json, ...where }) => {
      const inFolder = (path: string) => resolve(terminal.cwd(), path);
      const given = policy === undefined ? undefined : readPolicy(terminal, policy).policy;
      const audit = async (trusted: Policy, subject: Pick<AuditRequest, 'files' | 'target'>) => {
        const kept = previous.map((file) => readKept(inFolder(file), file, trusted));
        const request = { ...subject, policy: trusted, previous: kept, known: known.map(inFolder), bodies };
        const result = await runAudit(terminal, request);
        if (json) await showAsJson(terminal, result);
        else await showResult(terminal, result, { full, trustsTarget: given === undefined });
      };
      if (log === undefined) {
        return withTarget(terminal, where, async (target) => {
          const opened = await target.openTlog();
          const { files } = opened;
          if (given) return audit(given, { files, target });
          const signed = await files.read(CHECKPOINT);
          const keys = keysIn(await readTlogItems(target));
          const own = await readOwnPolicy(target, opened, { keys }, signed && Buffer.from(signed).toString());
          return audit(own.policy, { files, target });
        });
      }
      if (where.local || where.stack) {
        throw new Failure('usage', '--log checks a copy, without a target.', {
          advice: 'Leave out --log to compare a target with its log, or leave out --local and --stack.',
        });
      }
      if (!given) {
        throw new Failure('usage', '--log needs --policy.', {
          advice: 'The policy has the keys to trust: ailog tlog export-policy writes it, and organisers publish it.',
        });
      }
      if (!statSync(inFolder(log)).isDirectory()) throw new Failure('usage', `${log} is not a folder.`);
      const { stop } = watchInterruption(terminal.signal);
      return Promise.race([audit(given, { files: folderFiles(inFolder(log)), target: undefined }), stop]);
    });
