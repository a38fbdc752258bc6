import { resolve } from 'node:path';
import type { Context, EvidenceFormat, Findings } from '../evidence/evidence.ts';
import { journalEvidence } from '../evidence/journalEvidence.ts';
import { proofEvidence } from '../evidence/proofEvidence.ts';
import { readPolicy } from '../evidence/readPolicy.ts';
import { receiptEvidence } from '../evidence/receiptEvidence.ts';
import { setOrderId } from '../evidence/setOrderId.ts';
import { readSmallFile, type SmallFile } from '../evidence/smallFile.ts';
import { statementEvidence } from '../evidence/verifyStatement.ts';
import { orderId } from '../terminal/arguments.ts';
import { command } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../text/visible.ts';

/** The formats of evidence. A format is recognized by the content of a file, whatever its name. */
const FORMATS: readonly EvidenceFormat[] = [receiptEvidence, proofEvidence, journalEvidence, statementEvidence];

/** Files that people give by mistake, by their content, and what to give instead. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^ai-log-(entry|key)\//, 'This is a preimage. Give the .tlog-proof file that it belongs to.'],
  [
    /^\s*(#|log |witness |quorum )/,
    'This is a trust policy. Give it with --policy, and the receipts or proofs as files.',
  ],
  [/^AI-LOG-RECEIPT:/im, 'Keep only the value of the header in the file, without its name.'],
  [/^\S+\n\d+\n[A-Za-z0-9+/]{43}=\n/, 'This is a checkpoint. It says nothing about an entry: give a proof.'],
  [/^\s*\{/, 'This is JSON. Give the log with --body, and its receipt or proof as the file.'],
];

/** Returns the format of a file. @throws Failure if it has none */
function formatOf({ path, bytes }: SmallFile): EvidenceFormat {
  const text = bytes.toString();
  const format = FORMATS.find((one) => one.recognizes(text));
  if (format) return format;
  const isWide = bytes.includes(0) && /^(\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2));
  const [, mistake] = MISTAKES.find(([start]) => start.test(text)) ?? [];
  const advice = isWide ? 'It is UTF-16: save it as UTF-8.' : mistake;
  const names = FORMATS.map(({ name }) => name).join(', nor a ');
  throw new Failure('usage', `${path} is ${bytes.length === 0 ? 'empty' : `neither a ${names}`}.`, {
    advice:
      advice ??
      'Give a receipt (the header AI-LOG-RECEIPT, or its note), a .tlog-proof file, ailog-results.jsonl or a statement.',
  });
}

function formatFindings(file: string, { facts, proven, notProven, wrong }: Findings): string[] {
  const lines = [
    ...Object.entries(facts),
    ...proven.map((sentence) => ['proven', sentence]),
    ...notProven.map((sentence) => ['not proven', sentence]),
    ...wrong.map((sentence) => ['WRONG', sentence]),
  ];
  const status = wrong.length > 0 ? 'FAILED' : proven.length > 0 ? 'ok' : 'NO PROOF';
  return [
    `${status.padEnd(6)}  ${visible(file)}`,
    ...lines.map(([name = '', text]) => `  ${String(name).padEnd(12)}${visible(String(text))}`),
  ];
}

/** Reads the body to compare with, with the order id that the upload inserted. */
function readBody(path: string, order: bigint | undefined): Context['body'] {
  const { name, bytes, isWhole } = readSmallFile(path);
  if (!isWhole) throw new Failure('usage', `${path} is larger than 1 MiB, so it is not a body.`);
  return { name, bytes: order === undefined ? bytes : setOrderId(bytes, order) };
}

export default (terminal: Terminal) =>
  command('verify', {
    summary:
      'Verify receipts, proofs and statements, offline: without the service, AWS and the project. The exit code is 0 only if everything in the files holds. It says what the files do not prove.',
    examples: [
      ['verify log.note --policy tlog.policy', 'verify a receipt'],
      ['verify log.note --body log.json', 'and that it is about this body, with ./tlog.policy'],
      ['verify logs/ailog-results.jsonl', 'verify the receipts of all uploads of a folder, with its logs'],
      ['verify entry.tlog-proof', 'verify a proof, with its .preimage and .receipt beside it'],
      ['verify alpha.statement', 'verify every entry of a statement, and its figures'],
    ],
  })
    .argument(
      '<file...>',
      'receipts (the header AI-LOG-RECEIPT, or its note), .tlog-proof files, statements and result files of ailog upload',
    )
    .option('--policy <file>', 'the trust policy: the keys of the log, and its witnesses (default: tlog.policy)')
    .option('--body <file>', 'the body that was sent')
    .option('--order <id>', 'with --body: the id that ailog upload --order inserted', orderId)
    .option('--preimage <file>', 'the preimage of the entry (default: the .preimage file beside the proof)')
    .action(async (files, { policy: given, body, order, preimage, json }) => {
      const wrong = (message: string) =>
        new Failure('usage', message, { advice: 'ailog verify --help shows the usage.' });
      if (files.length > 1 && (body ?? preimage) !== undefined) throw wrong('--body and --preimage need one file.');
      if (order !== undefined && body === undefined) throw wrong('--order needs --body.');
      const path = (file: string) => resolve(terminal.cwd(), file);
      const { policy, path: policyPath } = readPolicy(terminal, given);
      const context: Context = {
        policy,
        body: body === undefined ? undefined : readBody(path(body), order),
        preimage: preimage === undefined ? undefined : readSmallFile(path(preimage)),
      };
      const evidence = files.map((file) => {
        const read = readSmallFile(path(file));
        const format = formatOf(read);
        for (const [option, value] of Object.entries({ body, preimage })) {
          if (value === undefined || format.options.includes(option as 'body' | 'preimage')) continue;
          throw wrong(`--${option} does not apply to a ${format.name}, such as ${file}.`);
        }
        return { file, read, format };
      });

      const counts = { entries: 0, failed: 0, unproven: 0 };
      const results = async function* () {
        for (const { file, read, format } of evidence) {
          for await (const findings of format.verify(read, context)) {
            if (terminal.signal.aborted) throw new Failure('interrupted', 'Interrupted.');
            counts.entries += 1;
            if (findings.wrong.length > 0) counts.failed += 1;
            else if (findings.proven.length === 0) counts.unproven += 1;
            yield { file, format: format.name, ...findings };
          }
        }
      };
      const described = async function* () {
        for await (const { file, format, facts, ...rest } of results()) {
          yield { file, format, ok: rest.wrong.length === 0 && rest.proven.length > 0, ...facts, ...rest };
        }
      };
      if (json) await terminal.jsonArray(described());
      else
        for await (const { file, ...findings } of results()) {
          for (const line of formatFindings(file, findings)) await terminal.print(line);
        }
      if (counts.failed > 0) terminal.reportNegative();
      if (counts.unproven > 0) terminal.reportUnchecked();
      const unproven = counts.unproven === 0 ? '' : `, without proof: ${counts.unproven}`;
      terminal.note(
        `Checked: ${counts.entries}, failed: ${counts.failed}${unproven}. Trusted: the keys in ${policyPath}.`,
      );
      if (given === undefined) terminal.note('Make sure that this policy is the one of the organisers.');
    });
