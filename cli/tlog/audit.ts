import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type Policy, parsePolicy } from '../../functions/c2sp/policy.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { keysIn } from '../audit/auditHead.ts';
import type { AuditRequest } from '../audit/auditState.ts';
import { runAudit } from '../audit/runAudit.ts';
import { showAsJson, showResult } from '../audit/showResult.ts';
import { readLogItems } from '../audit/snapshot.ts';
import { readSmallFile, textOf } from '../evidence/smallFile.ts';
import { policyText } from '../inclusion/policyText.ts';
import { type Target, withTarget } from '../target/target.ts';
import { folderFiles } from '../target/tlogFiles.ts';
import { count } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { watchInterruption } from '../terminal/watchInterruption.ts';

/** The folder of an audit's work, in the working directory. */
const WORK_FOLDER = 'ailog-audit.work';

/** The time after which the state of an audit is kept again, in milliseconds. */
const KEEP_AFTER_MS = 1000;

const repeated = (value: string, before: readonly string[] | undefined): string[] => [...(before ?? []), value];

function folder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be the name of a folder.');
  return text;
}

/** Reads a policy. @throws Failure if it is not one */
function readPolicy(path: string): { readonly text: string; readonly policy: Policy } {
  const file = readSmallFile(path);
  try {
    const text = textOf(file);
    return { text, policy: parsePolicy(text) };
  } catch (cause) {
    throw new Failure('usage', `${path} is not a policy: ${(cause as Error).message}`, { cause });
  }
}

/** Returns the policy of a target's own keys. @throws Failure if the Tlog table has none */
async function ownPolicy(target: Target, witnesses: string | undefined) {
  const keys = keysIn(await readLogItems(target)).head;
  const text = policyText({ keys, witnesses });
  return { text, policy: parsePolicy(text) };
}

/** Reads a checkpoint that somebody kept. @throws Failure if the policy does not trust it */
function readKept(path: string, file: string, policy: Policy): AuditRequest['previous'][number] {
  const read = readSmallFile(path);
  try {
    return { file, checkpoint: openCheckpoint(textOf(read), policy) };
  } catch (cause) {
    throw new Failure('usage', `${file} is not a checkpoint that the policy trusts: ${(cause as Error).message}`, {
      cause,
      advice: 'Give a checkpoint as the log or a witness published it, with its signatures.',
    });
  }
}

/** Returns a text that tells a file from its earlier and later versions. */
function versionOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${path} (${size} bytes, ${new Date(mtimeMs).toISOString()})`;
}

export default (terminal: Terminal) =>
  targetCommand('audit', {
    summary:
      'Check the whole transparency log, and compare it with the tables: name every entry that was edited, removed, inserted or backdated. With --log, check a copy of the log alone, without AWS. The exit code is 1 if anything contradicts, and 5 if something could not be checked.',
    examples: [
      ['tlog audit', 'the local log against the local tables'],
      [
        'tlog audit --stack AiLogUpload-prod --policy tlog.policy',
        'a deployment; run it again after Ctrl-C to continue',
      ],
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
    .option('--previous <file>', 'a checkpoint that was kept: the log must begin with it; can be repeated', repeated)
    .option(
      '--known <file>',
      'a receipt, a result file of ailog upload, or an earlier export or statement; can be repeated',
      repeated,
    )
    .option('--retention <days>', 'the setting entryRetentionDays, if no entry is left that tells it', count)
    .option('--no-bodies', 'do not check bodies and their copies')
    .option('--full', 'show all findings')
    .option('--work <folder>', 'keep the state of the audit here', folder, WORK_FOLDER)
    .action(async ({ log, policy, previous = [], known = [], retention, bodies, full, work, json, ...where }) => {
      const inFolder = (path: string) => resolve(terminal.cwd(), path);
      const given = policy === undefined ? undefined : readPolicy(inFolder(policy));
      const show = json ? showAsJson(terminal) : showResult(terminal, { full, trustsTarget: given === undefined });

      const run = async (
        { text, policy }: ReturnType<typeof readPolicy>,
        from: Pick<AuditRequest, 'files' | 'target'>,
        name: string,
      ) => {
        const kept = previous.map((file) => readKept(inFolder(file), file, policy));
        const question = JSON.stringify({
          log: from.files.location,
          tables: name,
          policy: createHash('sha256').update(text).digest('hex'),
          previous: previous.map((path) => versionOf(inFolder(path))),
          known: known.map((path) => versionOf(inFolder(path))),
          retention,
          bodies,
        });
        const files = {
          previous: kept,
          known: known.map(inFolder),
          workFolder: inFolder(work),
          keepAfter: KEEP_AFTER_MS,
        };
        await runAudit(terminal, { ...from, ...files, policy, retention, bodies, question }, show);
      };

      if (log !== undefined) {
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
        const files = folderFiles(inFolder(log));
        return Promise.race([run(given, { files, target: undefined }, ''), stop]);
      }
      await withTarget(terminal, where, async (target) => {
        const { files, witnesses } = await target.openTlog();
        await run(given ?? (await ownPolicy(target, witnesses)), { files, target }, target.tables.aiLogs);
      });
    });
