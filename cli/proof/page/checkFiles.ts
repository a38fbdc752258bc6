import { hash } from 'node:crypto';
import { type Policy, parsePolicy } from '../../../functions/c2sp/policy.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { WORDS, type Word } from '../evidence/judge.ts';
import { isPresent, linesIn, type Members, readLine } from '../evidence/lines.ts';
import { type LineVerdict, verify } from '../evidence/verify.ts';

export type Report = Awaited<ReturnType<typeof checkFiles>>;

export type FileResult = Readonly<Awaited<ReturnType<typeof checkFile>>>;

type Kind = 'policy' | 'statement' | 'result file' | 'receipt' | 'body' | 'unknown';

const SMALL_BYTES = 1024 * 1024;

const PIECE_BYTES = 2 ** 20;
const KEPT_VERDICTS = 10_000;

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.size; start += PIECE_BYTES) {
    yield new Uint8Array(await file.slice(start, start + PIECE_BYTES).arrayBuffer());
  }
}

const smallBytes = async (file: File) => new Uint8Array(await file.slice(0, SMALL_BYTES + 1).arrayBuffer());

const hasOne = (members: Members, ...names: string[]) => names.some((name) => isPresent(members[name]));

async function kindOf(file: File): Promise<Kind> {
  const text = Buffer.from(await smallBytes(file))
    .toString()
    .replace(/^\ufeff/, '');
  if (/\.policy$/.test(file.name) || /^\s*(#|log |witness |quorum )/.test(text)) return 'policy';
  for await (const raw of linesIn(piecesOf(file))) {
    const line = orUndefined(() => readLine(raw)) ?? 'blank';
    if (line === 'blank') continue;
    if (line === 'cut off') break;
    if (hasOne(line, 'checkpoint', 'receipt-keys', 'entry', 'end')) return 'statement';
    if (hasOne(line, 'state') && hasOne(line, 'file', 'sign')) return 'result file';
    // Any line that is no JSON is taken for the header of a receipt.
    const isHeader = Object.keys(line).length > 1 || /^[\w+/]{100,}=*$/.test(String(line.receipt));
    if (hasOne(line, 'receipt') && (isHeader || String(line.receipt).includes('\n'))) return 'receipt';
    break;
  }
  return /^\s*\{/.test(text) && file.size <= SMALL_BYTES ? 'body' : 'unknown';
}

/**
 * Verifies a file. @returns how many lines, and how many entries, have each word; the verdicts that are shown; and
 * `isChanged`: a line is changed, or the end of a statement is missing
 */
async function checkFile(file: File, kind: Kind, policy: Policy, bodies: Map<string, Uint8Array>) {
  const counts = new Map<Word, number>();
  const entries = new Map<Word, number>();
  const kept: Record<'bad' | 'good', LineVerdict[]> = { bad: [], good: [] };
  let [isChanged, open] = [false, 0];
  // Each body is there by its name and by its digest.
  const only = kind === 'receipt' && bodies.size === 2 ? [...bodies.values()][0] : undefined;
  const bodyOf = (name: string | undefined, sha256: string) => bodies.get(name ?? '') ?? bodies.get(sha256) ?? only;
  for await (const verdict of verify(piecesOf(file), { policy, bodyOf })) {
    const { word, about } = verdict;
    counts.set(word, (counts.get(word) ?? 0) + 1);
    const like = kept[word === 'ok' ? 'good' : 'bad'];
    if (like.length < KEPT_VERDICTS) like.push(verdict);
    if (about === 'entry' || about === 'upload') entries.set(word, (entries.get(word) ?? 0) + 1);
    else isChanged ||= word === 'WRONG' || about === 'line';
    open = about === 'end' ? 0 : open + (verdict.facts.place ? 1 : 0);
  }
  const verdicts = [...kept.bad, ...kept.good].slice(0, KEPT_VERDICTS);
  return { name: file.name, kind, counts, verdicts, entries, isChanged: isChanged || open > 0 };
}

/**
 * Verifies files as `ailog verify` does. A body belongs to the evidence that names its file or its digest.
 * @returns what each file is, the results, what could not be used, and what to compare of the policy, if there is
 * exactly one
 */
export async function checkFiles(files: Iterable<File>) {
  const kinds = new Map<string, Kind>();
  const bodies = new Map<string, Uint8Array>();
  const digests = new Map<string, string>();
  const evidence: File[] = [];
  const policies: File[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const kind = await kindOf(file);
    kinds.set(file.name, kind);
    if (kind === 'policy') policies.push(file);
    else if (kind === 'unknown') problems.push(`${file.name} is no policy, no evidence and no log.`);
    else if (kind !== 'body') evidence.push(file);
    if (kind !== 'body') continue;
    const bytes = await smallBytes(file);
    const digest = hash('sha256', bytes) as string;
    digests.set(file.name, digest);
    bodies.set(file.name, bytes).set(digest, bytes);
  }

  const [trusted, ...others] = policies;
  if (others.length > 0) problems.push('There are several policies. Start again with that of the organisers.');
  const none = { kinds, results: [] as FileResult[], problems, policy: undefined };
  if (!trusted || others.length > 0) return none;
  const bytes = await smallBytes(trusted);
  let policy: Policy;
  try {
    policy = parsePolicy(Buffer.from(bytes).toString());
    if (policy.logs.length === 0) throw new Error('It names no log, so it trusts nothing.');
  } catch (error) {
    problems.push(`${trusted.name} is not a trust policy: ${(error as Error).message}`);
    return none;
  }

  const results: FileResult[] = [];
  const used = new Set<string>();
  for (const file of evidence) {
    const result = await checkFile(file, kinds.get(file.name) as Kind, policy, bodies);
    for (const { facts } of result.verdicts) used.add(facts.file ?? '').add(facts.bodySha256 ?? '');
    if (result.counts.size === 0) problems.push(`${file.name} says nothing about an entry.`);
    else results.push(result);
  }
  for (const [name, digest] of digests) {
    const isUsed = used.has(name) || used.has(digest);
    if (!isUsed && !(results.length === 1 && results[0]?.kind === 'receipt'))
      problems.push(`${name} belongs to none of the evidence here.`);
  }
  const keys = [...policy.logs.map(({ key }) => key), ...policy.receipts];
  const shown = {
    file: trusted.name,
    'keys of': [...new Set(keys.map(({ name }) => name))].join(', '),
    'SHA-256': hash('sha256', bytes) as string,
  };
  return { kinds, results, problems, policy: shown };
}

/** Returns the worst word that has a count; undefined: there is none. */
export const worstOf = (counts: ReadonlyMap<Word, number>): Word | undefined => WORDS.find((word) => counts.has(word));
