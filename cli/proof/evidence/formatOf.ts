import { Failure } from '../../shell/terminal/failure.ts';
import type { EvidenceFormat } from './evidence.ts';
import { proofEvidence } from './proofEvidence.ts';
import { receiptEvidence } from './receiptEvidence.ts';
import { resultEvidence } from './resultFile.ts';
import type { SmallFile } from './smallFile.ts';
import { statementEvidence } from './verifyStatement.ts';

/** The formats of evidence. A format is recognized by the content of a file, not by its name. */
const FORMATS: readonly EvidenceFormat[] = [receiptEvidence, proofEvidence, resultEvidence, statementEvidence];

export const FORMAT_NAMES = FORMATS.map(({ name }) => name);

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

const RIGHT =
  'Give a receipt (the header AI-LOG-RECEIPT, or its note), a .tlog-proof file, ailog-results.jsonl or a statement.';

/** Returns the format of a file. @throws Failure if it has none */
export function formatOf({ path, bytes }: SmallFile): EvidenceFormat {
  const text = bytes.toString();
  const format = FORMATS.find((one) => one.recognizes(text));
  if (format) return format;
  const isWide = bytes.includes(0) && /^(\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2));
  const [, mistake = RIGHT] = MISTAKES.find(([start]) => start.test(text)) ?? [];
  const advice = isWide ? 'It is UTF-16: save it as UTF-8.' : mistake;
  const problem = bytes.length === 0 ? 'empty' : `neither a ${FORMAT_NAMES.join(', nor a ')}`;
  throw new Failure('usage', `${path} is ${problem}.`, { advice });
}
