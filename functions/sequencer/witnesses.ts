import type { Checkpoint } from '../c2sp/checkpoint.ts';
import { readCosignature } from '../c2sp/cosignature.ts';
import { formatSignature, type NoteSignature, parseNote, parseSignatures, verifyNote } from '../c2sp/note.ts';
import { type Party, type Policy, quorumReached } from '../c2sp/policy.ts';
import { parseSize } from '../c2sp/treeSize.ts';
import { orUndefined } from '../orUndefined.ts';
import { FatalError } from './fatalError.ts';

/** The longest response that is read. A witness may also sign with keys that are not in the policy. */
const ANSWER_LIMIT_BYTES = 65_536;

/** The most characters of a message about a witness. */
const MESSAGE_LIMIT = 200;

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

/** A witness says that it has seen a larger log of this name, or one that this one does not continue. */
class Contradiction extends Error {}

/**
 * Returns the line of a witness among signature lines on a checkpoint: the newest one, because a line more for each
 * answer would make the note longer than readers accept. An empty text if there is none.
 * @throws Error if a signature of the witness is wrong
 */
function lineOf({ key }: Party, signed: string, signatures: readonly NoteSignature[]): string {
  const own = signatures.filter(({ name, id }) => name === key.name && id === key.id);
  verifyNote({ text: parseNote(signed).text, signatures: own }, [key]);
  const timeOf = ({ signature }: NoteSignature) => readCosignature(signature)?.timestamp ?? 0;
  const [newest] = own.toSorted((one, other) => timeOf(other) - timeOf(one));
  return newest ? formatSignature(newest) : '';
}

/**
 * Returns the witness's signature line on a checkpoint. Source: C2SP tlog-witness, "add-checkpoint".
 * @throws Contradiction if the witness has seen a larger log, or one that this one does not continue
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
    if (old > checkpoint.size) throw new Contradiction(`It has seen ${old} leaves, and there are ${checkpoint.size}.`);
    answer = await addCheckpoint(url, old, submission, abortSignal);
  }
  if (answer.status === 422 || isOtherRoot())
    throw new Contradiction('It has seen a log that this one does not continue.');
  if (answer.status !== 200) throw new Error(`The witness answered HTTP ${answer.status}.`);
  const line = lineOf({ key }, signed, parseSignatures(answer.text));
  if (line === '') throw new Error('The witness answered without a signature of its key.');
  return line;
}

/**
 * Asks every witness of the policy that has a URL and has not cosigned yet, concurrently. What one of them says is the
 * unsigned word of one party: it stops the log only if the others cannot reach the quorum.
 * @returns `cosigned`: the checkpoint with all cosignatures; `names`: the witnesses whose cosignature it has;
 * `failures`: why others did not cosign, and `contradictions`: those that say that the log was forked or rolled back,
 * by their names in the policy
 * @throws FatalError if witnesses contradict the log, and the quorum cannot be reached without them
 */
export async function requestCosignatures(policy: Policy, submission: Submission, abortSignal: AbortSignal) {
  const failures: Record<string, string> = {};
  const contradictions: Record<string, string> = {};
  const ask = async (name: string, { key, url }: Party): Promise<string> => {
    const before = orUndefined(() => lineOf({ key }, submission.signed, submission.kept)) ?? '';
    if (url === undefined || (before !== '' && !submission.again)) return before;
    const from = before === '' ? submission.fromSize : submission.checkpoint.size;
    try {
      return await cosign({ key, url }, from, submission, abortSignal);
    } catch (error) {
      // What is missing is of the log, not of the witness.
      if (error instanceof FatalError) throw error;
      // Whoever answers decides about the length, and the log line has the metrics too.
      failures[name] = String(error).slice(0, MESSAGE_LIMIT);
      if (error instanceof Contradiction) contradictions[name] = error.message;
      return before;
    }
  };
  const lines = await Promise.all(
    [...policy.witnesses].map(async ([name, party]) => [name, await ask(name, party)] as const),
  );
  const others = [...policy.witnesses.keys()].filter((name) => !Object.hasOwn(contradictions, name));
  if (Object.keys(contradictions).length > 0 && !quorumReached(policy, new Set(others))) {
    const said = Object.entries(contradictions).map(
      ([name, what]) => `The witness ${name} contradicts the log: ${what}`,
    );
    throw new FatalError('witness-contradicts', `${said.join(' ')} The quorum cannot be reached without it.`);
  }
  let cosigned = submission.signed;
  for (const [name, line] of lines) {
    if (orUndefined(() => parseNote(cosigned + line))) cosigned += line;
    else failures[name] = 'The checkpoint has as many signatures as a note can have.';
  }
  const names = new Set(lines.flatMap(([name, line]) => (line === '' ? [] : [name])));
  return { cosigned, failures, contradictions, names };
}
