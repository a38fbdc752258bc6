import type { Checkpoint } from '../tlog/checkpoint.ts';
import { formatSignature, parseNote, parseSignatures, verifyNote } from '../tlog/note.ts';
import type { Party, Policy } from '../tlog/policy.ts';
import { parseSize } from '../tlog/treeSize.ts';

/** The longest answer that is read, in bytes: a witness may sign with keys that nobody here knows. */
const ANSWER_LIMIT = 65_536;

/** A checkpoint that is asked to be cosigned. */
interface Submission {
  readonly checkpoint: Checkpoint;
  /** The checkpoint with the log's own signatures. */
  readonly signed: string;
  /** The size that the witnesses have most likely seen last. */
  readonly fromSize: number;
  /** Milliseconds that a witness has for one answer. */
  readonly timeout: number;
  /** Returns the proof that the checkpoint's tree begins with its first leaves. */
  readonly consistencyProof: (from: number) => Promise<readonly Uint8Array[]>;
}

/** Asks a witness once. @param from the size that it saw last */
async function addCheckpoint(url: string, from: number, submission: Submission, abortSignal: AbortSignal) {
  const { signed, timeout, consistencyProof } = submission;
  const proof = (await consistencyProof(from)).map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  const response = await fetch(`${url.replace(/\/$/, '')}/add-checkpoint`, {
    method: 'POST',
    body: `old ${from}\n${proof.join('')}\n${signed}`,
    redirect: 'error',
    signal: AbortSignal.any([abortSignal, AbortSignal.timeout(timeout)]),
  });
  return { status: response.status, text: await readAnswer(response) };
}

/** Reads an answer. @throws Error if it is longer than a witness's answer can be */
async function readAnswer({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > ANSWER_LIMIT) throw new Error(`The witness answered with more than ${ANSWER_LIMIT} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Returns the witness's signature line on a checkpoint.
 * Source: C2SP tlog-witness, "add-checkpoint".
 * @throws Error if it does not give one
 */
async function cosign(
  { key, url }: Required<Party>,
  submission: Submission,
  abortSignal: AbortSignal,
): Promise<string> {
  let answer = await addCheckpoint(url, submission.fromSize, submission, abortSignal);
  if (answer.status === 409) {
    // It saw another checkpoint last, and says of which size.
    const from = parseSize(answer.text.trimEnd());
    if (from > submission.checkpoint.size) throw new Error(`The witness saw the log at size ${from} already.`);
    answer = await addCheckpoint(url, from, submission, abortSignal);
  }
  if (answer.status !== 200) throw new Error(`The witness answered HTTP ${answer.status}.`);
  const own = parseSignatures(answer.text).filter(({ name, id }) => name === key.name && id === key.id);
  const note = { text: parseNote(submission.signed).text, signatures: own };
  if (verifyNote(note, [key]).length === 0) throw new Error('The witness answered without a signature of its key.');
  return own.map(formatSignature).join('');
}

/**
 * Asks every witness of the policy that has a URL, all at once.
 * @returns the checkpoint with the cosignatures that came, and why the others did not, by the witnesses' names
 */
export async function requestCosignatures(
  { witnesses }: Policy,
  submission: Submission,
  abortSignal: AbortSignal,
): Promise<{ cosigned: string; failures: Record<string, string> }> {
  const failures: Record<string, string> = {};
  const lines = await Promise.all(
    [...witnesses].map(async ([name, { key, url }]) => {
      try {
        return url === undefined ? '' : await cosign({ key, url }, submission, abortSignal);
      } catch (error) {
        failures[name] = String(error);
        return '';
      }
    }),
  );
  return { cosigned: submission.signed + lines.join(''), failures };
}
