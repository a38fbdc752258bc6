import { basename, resolve } from 'node:path';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { type Context, countFindings, statusOf } from '../../proof/evidence/evidence.ts';
import { formatResults } from '../../proof/evidence/formatFindings.ts';
import { formatOf } from '../../proof/evidence/formatOf.ts';
import { readPolicy } from '../../proof/evidence/readPolicy.ts';
import { setOrderId } from '../../proof/evidence/resultFile.ts';
import { isSaved, recordFiles, savedEvidence } from '../../proof/evidence/savedEvidence.ts';
import { readSmallFile } from '../../proof/evidence/smallFile.ts';
import { type PublicFiles, publicFiles } from '../../proof/inclusion/publicFiles.ts';
import { openFiles, type PublicLog } from '../../proof/inclusion/publicLog.ts';
import { requireNoFile } from '../../shell/files/write.ts';
import { orderId, texts } from '../../shell/terminal/arguments.ts';
import { command } from '../../shell/terminal/command.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { PROGRAM } from '../../shell/terminal/programName.ts';
import { pause } from '../../shell/terminal/signals.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { counted as countOf } from '../../shell/text/numbers.ts';

function readBody(path: string, order: bigint | undefined): Context['body'] {
  const { name, bytes, isWhole } = readSmallFile(path);
  if (!isWhole) throw new Failure('usage', `${path} is larger than 1 MiB, so it is not a body.`);
  return { name, bytes: order === undefined ? bytes : setOrderId(bytes, order) };
}

/** Opens a file of evidence, or a folder of `--save`. @throws Failure if it is neither */
function openEvidence(path: string) {
  if (isSaved(path))
    return { read: { name: basename(path), path, bytes: Buffer.alloc(0), isWhole: true }, format: savedEvidence };
  const read = readSmallFile(path);
  return { read, format: formatOf(read) };
}

/**
 * Opens public logs. One that does not answer is named, if another one does.
 * @throws Failure if none answers, if one cannot be trusted, or if two are the same log
 */
async function openLogs(terminal: Terminal, sources: readonly { recorded: PublicFiles }[], policy: Policy) {
  const logs: PublicLog[] = [];
  const failures: [url: string, failure: Failure][] = [];
  for (const { recorded: source } of sources) {
    try {
      const log = await openFiles(source, policy);
      const same = logs.find(({ checkpoint }) => checkpoint.origin === log.checkpoint.origin);
      if (same) {
        const message = `${same.url} and ${log.url} are the same log, ${log.checkpoint.origin}.`;
        throw new Failure('usage', message, { advice: 'Give each log once.' });
      }
      logs.push(log);
    } catch (error) {
      if (!(error instanceof Failure && error.outcome === 'unreachable')) throw error;
      failures.push([source.url, error]);
    }
  }
  const [first] = failures;
  if (first && logs.length === 0) throw first[1];
  for (const [, { message }] of failures) terminal.note(message);
  return { logs, silent: failures.map(([url]) => url) };
}

export default (terminal: Terminal) =>
  command('verify', {
    summary:
      'Verify receipts, proofs and statements, without the service, AWS and the project. Only --log uses the network. The exit code is 0 only if everything in the files holds. It says what the files do not prove.',
    examples: [
      ['verify log.note --policy tlog.policy', 'verify a receipt'],
      ['verify log.note --body log.json', 'and that it is about this body, with ./tlog.policy'],
      ['verify logs/ailog-results.jsonl', 'verify the receipts of all uploads of a folder, with its logs'],
      ['verify log.note --log https://tlog.example.org', 'and that the public log has its entry'],
      ['verify ailog-results.jsonl --log https://one.example --log https://two.example', 'in the logs of two regions'],
      ['verify log.note --log https://tlog.example.org --save broken', 'keep a broken promise, to show it to others'],
      ['verify broken --policy tlog.policy', 'judge what somebody kept, without the log'],
      ['verify entry.tlog-proof', 'verify a proof, with its .preimage and .receipt beside it'],
      ['verify alpha.statement', 'verify every entry of a statement, and count what they say'],
    ],
  })
    .argument(
      '<file...>',
      'receipts (the header AI-LOG-RECEIPT, or its note), .tlog-proof files, statements, result files of uploads, and folders of --save',
    )
    .option('--policy <file>', 'the trust policy: the keys of the log, and its witnesses (default: tlog.policy)')
    .option('--body <file>', 'the body that was sent')
    .option('--order <id>', 'with --body: the id that the upload inserted', orderId)
    .option('--preimage <file>', 'the preimage of the entry (default: the .preimage file beside the proof)')
    .option('--log <url>', 'look the entries of receipts up in the public transparency log; can be repeated', texts)
    .option(
      '--save <folder>',
      'with --log: write the receipts that were broken or kept late into a new folder, with the part of the log that shows it',
    )
    .option('--verbose', 'show each entry of many, not only those that do not hold')
    .action(async (given, { policy: policyFile, body, order, preimage, log, save, verbose, json }) => {
      const wrong = (message: string) =>
        new Failure('usage', message, { advice: `${PROGRAM} verify --help shows the usage.` });
      if (given.length > 1 && (body ?? preimage) !== undefined) throw wrong('--body and --preimage need one file.');
      if (order !== undefined && body === undefined) throw wrong('--order needs --body.');
      if (save !== undefined && log?.length !== 1) throw wrong('--save needs one --log.');
      const path = (file: string) => resolve(terminal.cwd(), file);
      const { policy, path: policyPath } = readPolicy(terminal, policyFile);
      const parts = {
        policy,
        body: body === undefined ? undefined : readBody(path(body), order),
        preimage: preimage === undefined ? undefined : readSmallFile(path(preimage)),
      };
      const evidence = given.map((file) => {
        const { read, format } = openEvidence(path(file));
        for (const [option, value] of Object.entries({ body, preimage, log })) {
          if (value === undefined || format.options.includes(option as 'body')) continue;
          throw wrong(`--${option} does not apply to a ${format.name}, such as ${file}.`);
        }
        return { file, read, format };
      });

      if (save !== undefined) requireNoFile([path(save)]);
      const sources = log?.map((url) => recordFiles(publicFiles(url, terminal.signal)));
      const context: Context = { ...parts, ...(sources && (await openLogs(terminal, sources, policy))) };
      const counted = countFindings();
      const unkept = new Map<string, string>();
      const results = async function* () {
        for (const { file, read, format } of evidence) {
          for await (const findings of format.verify(read, context)) {
            await pause(terminal.signal);
            counted.add(findings);
            const { note, facts } = findings;
            if (note !== undefined && ['BROKEN', 'LATE'].includes(statusOf(findings)))
              unkept.set(`${facts.entryId}`, note);
            yield { file, format: format.name, ...findings };
          }
        }
      };
      const described = async function* () {
        for await (const { file, format, facts, isAboutFile: _, note: __, ...rest } of results()) {
          yield { file, format, ok: statusOf(rest) === 'ok', ...facts, ...rest };
        }
      };
      if (json) await terminal.jsonArray(described());
      else for await (const line of formatResults(results(), verbose ?? false)) await terminal.print(line);
      if (save !== undefined && unkept.size > 0) sources?.[0]?.save(path(save), unkept);
      const { counts } = counted;
      if (counts.FAILED + counts.FILES > 0) terminal.reportNegative();
      if (counts.BROKEN + counts.LATE > 0) terminal.reportBroken();
      if (counts['NO PROOF'] + counts['NOT YET'] > 0) terminal.reportUnchecked();
      terminal.note(`${counted.format()}. Trusted: the keys in ${policyPath}.`);
      if (save !== undefined) {
        const saved = `Kept in ${save}: ${countOf(unkept.size, 'receipt')}, with the part of the log. Give it to others with the policy.`;
        terminal.note(unkept.size > 0 ? saved : 'Nothing was kept: no promise was broken or kept late.');
      }
      if (policyFile === undefined) terminal.note('Make sure that this policy is the one of the organisers.');
    });
