import { resolve } from 'node:path';
import { type Context, countFindings, statusOf } from '../proof/evidence/evidence.ts';
import { formatResults } from '../proof/evidence/formatFindings.ts';
import { formatOf } from '../proof/evidence/formatOf.ts';
import { policyOption, readPolicy } from '../proof/evidence/readPolicy.ts';
import { setOrderId } from '../proof/evidence/resultFile.ts';
import { readSmallFile } from '../proof/evidence/smallFile.ts';
import { publicFiles } from '../proof/inclusion/publicFiles.ts';
import { openFiles } from '../proof/inclusion/publicLog.ts';
import { orderId } from '../shell/terminal/arguments.ts';
import { defineCommand } from '../shell/terminal/defineCommand.ts';
import { Failure } from '../shell/terminal/failure.ts';
import { PROGRAM } from '../shell/terminal/programName.ts';
import { pause } from '../shell/terminal/signals.ts';

function readBody(path: string, order: bigint | undefined): Context['body'] {
  const { name, bytes, isWhole } = readSmallFile(path);
  if (!isWhole) throw new Failure('usage', `${path} is larger than 1 MiB, so it is not a body.`);
  return { name, bytes: order === undefined ? bytes : setOrderId(bytes, order) };
}

export default defineCommand({
  words: 'verify',
  for: 'Teams',
  summary: 'Verify receipts, proofs and statements, without the service, AWS and the project.',
  details:
    'Only --log uses the network. The exit code is 0 only if everything in the files holds. It says what the files do not prove.',
  examples: [
    ['verify log.note --policy tlog.policy', 'verify a receipt'],
    ['verify log.note --body log.json', 'and that it is about this body, with ./tlog.policy'],
    ['verify logs/ailog-results.jsonl', 'verify the receipts of all uploads of a folder, with its logs'],
    ['verify log.note --log https://tlog.example.org', 'and that the public log has its entry'],
    ['verify entry.tlog-proof', 'verify a proof, with its .preimage and .receipt beside it'],
    ['verify alpha.statement', 'verify every entry of a statement, and count what they say'],
  ],
  args: {
    given: {
      name: '<file...>',
      help: 'receipts (the header AI-LOG-RECEIPT, or its note), .tlog-proof files, statements, and result files of uploads',
    },
  },
  options: {
    policyFile: policyOption,
    body: { flags: '--body <file>', help: 'the body that was sent' },
    order: { flags: '--order <id>', help: 'with --body: the id that the upload inserted', read: orderId },
    preimage: {
      flags: '--preimage <file>',
      help: 'the preimage of the entry (default: the .preimage file beside the proof)',
    },
    url: { flags: '--log <url>', help: 'look the entries of receipts up in the public transparency log' },
    verbose: { flags: '--verbose', help: 'show each entry of many, not only those that do not hold' },
  },
  async run({ given, policyFile, body, order, preimage, url }, { terminal, remark }) {
    const wrong = (message: string) =>
      new Failure('usage', message, { advice: `${PROGRAM} verify --help shows the usage.` });
    if (given.length > 1 && (body ?? preimage) !== undefined) throw wrong('--body and --preimage need one file.');
    if (order !== undefined && body === undefined) throw wrong('--order needs --body.');
    const path = (file: string) => resolve(terminal.cwd(), file);
    const { policy, path: policyPath } = readPolicy(terminal, policyFile);
    const parts = {
      policy,
      body: body === undefined ? undefined : readBody(path(body), order),
      preimage: preimage === undefined ? undefined : readSmallFile(path(preimage)),
    };
    const evidence = given.map((file) => {
      const read = readSmallFile(path(file));
      const format = formatOf(read);
      for (const [option, value] of Object.entries({ body, preimage, log: url })) {
        if (value === undefined || format.options.includes(option as 'body')) continue;
        throw wrong(`--${option} does not apply to a ${format.name}, such as ${file}.`);
      }
      return { file, read, format };
    });
    const log = url === undefined ? undefined : await openFiles(publicFiles(url, terminal.signal), policy);
    const context: Context = { ...parts, log };
    const results = async function* () {
      const counted = countFindings();
      for (const { file, read, format } of evidence) {
        for await (const findings of format.verify(read, context)) {
          await pause(terminal.signal);
          counted.add(findings);
          yield { file, format: format.name, ...findings };
        }
      }
      const { counts } = counted;
      if (counts.FAILED + counts.FILES > 0) terminal.reportNegative();
      if (counts.BROKEN + counts.LATE > 0) terminal.reportBroken();
      if (counts['NO PROOF'] + counts['NOT YET'] > 0) terminal.reportUnchecked();
      remark(`${counted.format()}. Trusted: the keys in ${policyPath}.`);
      if (policyFile === undefined) remark('Make sure that this policy is the one of the organisers.');
    };
    return results();
  },
  async *json(results) {
    for await (const { file, format, facts, isAboutFile: _, ...rest } of results) {
      yield { file, format, ok: statusOf(rest) === 'ok', ...facts, ...rest };
    }
  },
  shows: (results, { verbose }) => formatResults(results, verbose),
});
