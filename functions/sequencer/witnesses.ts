import { formatSignature, parseNote, parseSignatures, verifyNote } from '../c2sp/note.ts';
import type { Party, Policy } from '../c2sp/policy.ts';
import { parseSize } from '../c2sp/treeSize.ts';

/** The longest answer that is read. A witness may also sign with keys that are not in the policy. */
const ANSWER_LIMIT_BYTES = 65_536;

interface Submission {
  /** The checkpoint with the log's own signatures. */
  readonly signed: string;
  /** The size that the witnesses most likely saw last. */
  readonly from: number;
  readonly timeoutMs: number;
  /** Returns the proof that the checkpoint's tree begins with its first leaves. */
  readonly consistencyProof: (from: number) => Promise<readonly Uint8Array[]>;
}

async function readAnswer({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > ANSWER_LIMIT_BYTES) throw new Error(`The answer has more than ${ANSWER_LIMIT_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns a witness's signature line on a checkpoint. Source: C2SP tlog-witness, "add-checkpoint". */
async function cosign({ key, url }: Required<Party>, submission: Submission, signal: AbortSignal): Promise<string> {
  const { signed, from, timeoutMs, consistencyProof } = submission;
  const ask = async (old: number) => {
    const proof = (await consistencyProof(old)).map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
    const response = await fetch(`${url.replace(/\/$/, '')}/add-checkpoint`, {
      method: 'POST',
      body: `old ${old}\n${proof.join('')}\n${signed}`,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return { status: response.status, text: await readAnswer(response) };
  };
  let answer = await ask(from);
  // The witness saw another checkpoint last, and answers with its size. A larger one than this has no proof.
  if (answer.status === 409) answer = await ask(parseSize(answer.text.trimEnd()));
  if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${JSON.stringify(answer.text)}`);
  const line = parseSignatures(answer.text).find(({ name, id }) => name === key.name && id === key.id);
  if (!line) throw new Error('The answer has no signature of its key.');
  verifyNote({ text: parseNote(signed).text, signatures: [line] }, [key]);
  return formatSignature(line);
}

/**
 * Asks every witness of the policy that has a URL. The operators are told its answer, which never stops the log.
 * @returns `lines`: the cosignatures that hold; `failures`: why others did not cosign, by their names in the policy
 */
export async function askWitnesses(policy: Policy, submission: Submission, abortSignal: AbortSignal) {
  const failures: Record<string, string> = {};
  const ask = async ([name, { key, url }]: readonly [string, Party]): Promise<string> => {
    if (url === undefined) return '';
    try {
      return await cosign({ key, url }, submission, abortSignal);
    } catch (error) {
      failures[name] = String(error).slice(0, 200);
      return '';
    }
  };
  const lines = (await Promise.all([...policy.witnesses].map(ask))).join('');
  return { lines, failures };
}
