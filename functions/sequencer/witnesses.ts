import type { Checkpoint } from '../c2sp/checkpoint.ts';
import { formatSignature, type NoteSignature, parseNote, parseSignatures, verifyNote } from '../c2sp/note.ts';
import type { Party, Policy } from '../c2sp/policy.ts';
import { parseSize } from '../c2sp/treeSize.ts';
import { FatalError } from './fatalError.ts';

/** The longest response that is read. A witness may also sign with keys that are not in the policy. */
const ANSWER_LIMIT_BYTES = 65_536;

interface Submission {
  readonly checkpoint: Checkpoint;
  /** The checkpoint with the log's own signatures. */
  readonly signed: string;
  readonly kept: readonly NoteSignature[];
  /** True: witnesses whose cosignature is kept are asked for a new one. */
  readonly again: boolean;
  /** The size that the witnesses most likely saw last. */
  readonly fromSize: number;
  readonly witnessTimeoutMs: number;
  /** Returns the proof that the checkpoint's tree begins with its first leaves. */
  readonly consistencyProof: (from: number) => Promise<readonly Uint8Array[]>;
}

/** Sends one add-checkpoint request. @param from the size that the witness saw last */
async function addCheckpoint(url: string, from: number, submission: Submission, abortSignal: AbortSignal) {
  const { signed, witnessTimeoutMs, consistencyProof } = submission;
  const proof = (await consistencyProof(from)).map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  const response = await fetch(`${url.replace(/\/$/, '')}/add-checkpoint`, {
    method: 'POST',
    body: `old ${from}\n${proof.join('')}\n${signed}`,
    redirect: 'error',
    signal: AbortSignal.any([abortSignal, AbortSignal.timeout(witnessTimeoutMs)]),
  });
  return { status: response.status, text: await readAnswer(response) };
}

/** Reads a response. @throws Error if it is longer than `ANSWER_LIMIT_BYTES` */
async function readAnswer({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > ANSWER_LIMIT_BYTES)
      throw new Error(`The witness answered with more than ${ANSWER_LIMIT_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const contradiction = (name: string, what: string): FatalError =>
  new FatalError('witness-contradicts', `The witness ${name} ${what}: the log was forked or rolled back.`);

/**
 * Returns the witness's signature line on a checkpoint. Source: C2SP tlog-witness, "add-checkpoint".
 * @throws FatalError if the witness has seen a larger log, or one that this one does not continue
 * @throws Error if the witness does not cosign for another reason
 */
async function cosign(
  { key, url }: Required<Party>,
  from: number,
  submission: Submission,
  abortSignal: AbortSignal,
): Promise<string> {
  const { checkpoint, signed } = submission;
  let old = from;
  let answer = await addCheckpoint(url, old, submission, abortSignal);
  // To a witness that saw this size last, only another root is a conflict. It says so in words of its own.
  const isOtherRoot = () =>
    answer.status === 409 && old === checkpoint.size && !(/^\d+\n?$/.test(answer.text) && Number(answer.text) !== old);
  if (answer.status === 409 && !isOtherRoot()) {
    // The witness saw another checkpoint last; the response is its size.
    old = parseSize(answer.text.trimEnd());
    if (old > checkpoint.size)
      throw contradiction(key.name, `has seen ${old} leaves, and there are ${checkpoint.size}`);
    answer = await addCheckpoint(url, old, submission, abortSignal);
  }
  if (answer.status === 422 || isOtherRoot())
    throw contradiction(key.name, 'has seen a log that this one does not continue');
  if (answer.status !== 200) throw new Error(`The witness answered HTTP ${answer.status}.`);
  const own = parseSignatures(answer.text).filter(({ name, id }) => name === key.name && id === key.id);
  const note = { text: parseNote(signed).text, signatures: own };
  if (verifyNote(note, [key]).length === 0) throw new Error('The witness answered without a signature of its key.');
  return own.map(formatSignature).join('');
}

/** Returns the signature lines of a witness that a checkpoint has already; an empty text if they are wrong. */
function keptLines({ key }: Party, { signed, kept }: Submission): string {
  const own = kept.filter(({ name, id }) => name === key.name && id === key.id);
  try {
    verifyNote({ text: parseNote(signed).text, signatures: own }, [key]);
    return own.map(formatSignature).join('');
  } catch {
    return '';
  }
}

/**
 * Asks every witness of the policy that has a URL and has not cosigned yet, concurrently.
 * @returns the checkpoint with all cosignatures, and an error message for each witness that failed, by its name
 * @throws FatalError see `cosign`
 */
export async function requestCosignatures(
  { witnesses }: Policy,
  submission: Submission,
  abortSignal: AbortSignal,
): Promise<{ cosigned: string; failures: Record<string, string> }> {
  const failures: Record<string, string> = {};
  const lines = await Promise.all(
    [...witnesses].map(async ([name, { key, url }]) => {
      const before = keptLines({ key }, submission);
      if (url === undefined || (before !== '' && !submission.again)) return before;
      const from = before === '' ? submission.fromSize : submission.checkpoint.size;
      try {
        return await cosign({ key, url }, from, submission, abortSignal);
      } catch (error) {
        if (error instanceof FatalError) throw error;
        failures[name] = String(error);
        return before;
      }
    }),
  );
  return { cosigned: submission.signed + lines.join(''), failures };
}
