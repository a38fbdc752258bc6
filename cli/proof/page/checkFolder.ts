import { createHash } from 'node:crypto';
import { failureOf } from '../../shell/terminal/failure.ts';
import type { Findings } from '../evidence/evidence.ts';
import { FORMAT_NAMES, formatOf } from '../evidence/formatOf.ts';
import { besideProof } from '../evidence/proofEvidence.ts';
import { policyOf } from '../evidence/readPolicy.ts';
import { readSmallFile, type SmallFile } from '../evidence/smallFile.ts';
import { verified } from './crypto.ts';

export type Report = Awaited<ReturnType<typeof checkFolder>>;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns the kind of a file by its content, or by its name if a program has changed the content. */
function kindOf(file: SmallFile): string {
  const text = file.bytes.toString().replace(/^\ufeff/, '');
  if (/\.policy$/.test(file.name) || /^\s*(#|log |witness |quorum )/.test(text)) return 'policy';
  if (/\.preimage$/.test(file.name) || /^ai-log-(entry|key)\//.test(text)) return 'preimage';
  try {
    return formatOf(file).name;
  } catch {
    return file.isWhole && /^\s*\{/.test(text) ? 'body' : 'unknown';
  }
}

/**
 * Verifies files as `ailog verify` does. A proof takes the preimage and the receipt of its name. A body belongs to the
 * evidence that names its digest, or to the only evidence that can have one.
 * @returns the kind of each file by its name, what was found in each, and why files are not verified; `policy`: what to
 * compare of it, if there is exactly one that is valid
 */
export async function checkFolder(names: Iterable<string>) {
  const files = [...names].map((name) => readSmallFile(name));
  const kinds = new Map(files.map((file) => [file.name, kindOf(file)]));
  const those = (...wanted: string[]) => files.filter(({ name }) => wanted.includes(kinds.get(name) as string));
  const results: { name: string; findings: readonly Findings[] }[] = [];
  const problems: string[] = [];
  const attempt = async <Result>(step: () => Result | Promise<Result>): Promise<Result | undefined> => {
    try {
      return await step();
    } catch (error) {
      const { message, advice = '' } = failureOf(error);
      // Advice that names an option is about the command line.
      problems.push(/(?:^|\s)--\w/.test(advice) ? message : `${message} ${advice}`.trim());
      return undefined;
    }
  };

  for (const file of those('unknown')) await attempt(() => formatOf(file));
  const [trusted, ...others] = those('policy');
  if (others.length > 0) problems.push('There are several policies. Start again with that of the organisers.');
  const policy = trusted && others.length === 0 ? await attempt(() => policyOf(trusted)) : undefined;
  if (!trusted || !policy) return { kinds, results, problems, policy: undefined };

  const proofs = those('proof');
  const parts = new Set(proofs.flatMap((proof) => ['preimage', 'receipt'].map((end) => besideProof(proof, end))));
  const evidence = those(...FORMAT_NAMES).filter(({ name }) => !parts.has(name));
  const preimages = those('preimage').filter(({ name }) => !parts.has(name));
  const preimage = proofs.length === 1 ? preimages.shift() : undefined;
  const bodies = new Map(those('body').map((file) => [sha256(file.bytes), file]));
  const takers = evidence.filter((file) => formatOf(file).options.includes('body'));
  const only = takers.length === 1 && bodies.size === 1 ? [...bodies.values()][0] : undefined;
  const used = new Set<string>();
  for (const file of evidence) {
    const check = (body?: SmallFile) =>
      verified(() => Array.fromAsync(formatOf(file).verify(file, { policy, body, preimage })));
    const findings = await attempt(async () => {
      const first = await check();
      const said = JSON.stringify(first);
      const body = [...bodies].find(([digest]) => said.includes(digest))?.[1] ?? only;
      for (const { facts } of first) used.add(String(facts.log));
      if (!body || !takers.includes(file)) return first;
      used.add(body.name);
      return check(body);
    });
    if (findings) results.push({ name: file.name, findings });
    if (findings?.length === 0) problems.push(`${file.name} says nothing about an entry.`);
  }
  for (const { name } of [...bodies.values(), ...preimages]) {
    if (!used.has(name)) problems.push(`${name} belongs to none of the evidence here.`);
  }
  const all = [...policy.logs.map(({ key }) => key), ...policy.receipts];
  const keys = [...new Set(all.map(({ name }) => name))].join(', ');
  const shown = { file: trusted.name, 'keys of': keys, 'SHA-256': sha256(trusted.bytes) };
  return { kinds, results, problems, policy: shown };
}
