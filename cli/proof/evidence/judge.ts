/** Judges what somebody has of an entry by facts and one word: docs/formats.md. All of it works on a page, too. */
import { hash } from 'node:crypto';
import { entryIdOf } from '../../../functions/ailog/entry.ts';
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import { decodeBase64, decodeHash } from '../../../functions/c2sp/base64.ts';
import { parseCheckpoint } from '../../../functions/c2sp/checkpoint.ts';
import { leafHashOf } from '../../../functions/c2sp/hashing.ts';
import { parseNote, verifyNote } from '../../../functions/c2sp/note.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { requireSize } from '../../../functions/c2sp/treeSize.ts';
import { hexId, type VerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { PROMISE_MS, parseReceipt, type Receipt } from '../../../functions/receipts/receiptFormat.ts';
import {
  entryHashOf,
  entryPreimage,
  HASHED_ATTRIBUTES,
  type HashedAttributes,
} from '../../../functions/tlog/entryHash.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { receiptKeyName } from '../../../functions/tlog/receiptKeyNote.ts';
import { insertOrder } from './insertOrder.ts';
import { isPresent, type Members, textIn } from './lines.ts';

/** The words, the worst first. The word of a file is the worst word of its lines. */
export const WORDS = ['WRONG', 'MISSING', 'LATE', 'NO PROOF', 'ok'] as const;
export type Word = (typeof WORDS)[number];

/** The reasons for NO PROOF: what is not there, or not known. */
export type Lack =
  | ('receipt key' | 'log key' | 'checkpoint' | 'quorum' | 'proof' | 'other log' | 'not in the log' | 'not promised')
  | ('commits' | 'receipt' | 'rest of the line');

/** The facts of a line, as far as its hashes and signatures hold. Times are milliseconds since 1970. */
export interface Facts {
  uid?: string;
  entryId?: string;
  receivedAt?: number;
  bodySha256?: string;
  /** The log that promised the entry by a receipt, and by when. */
  promised?: Readonly<{ origin: string; deadline: number }>;
  hasBody?: boolean;
  place?: State & Readonly<{ index: number }>;
  /** The time when it came into the log, and how much too late, both by the organisers' storage. */
  cameAt?: number;
  late?: number;
  until?: number;
  /** For a line that is about no entry: the state of a log, a key of receipts, the number of lines before an end. */
  state?: State;
  key?: Readonly<{ origin: string; k: number; since: number }>;
  end?: number;
  /** The file of the log in a journal, and what the journal says of an upload without a receipt. */
  file?: string;
  said?: string;
  /** The name and id of the key that signed and is not known. */
  unknownKey?: string;
}

export interface Verdict {
  readonly word: Word;
  readonly facts: Readonly<Facts>;
  /** The parts that do not hold, as sentences without a full stop. They are for people only. */
  readonly wrong: readonly string[];
  readonly lacks: readonly Lack[];
}

/** An entry to look up; `origin`: the log whose receipt or proof the line has. */
export type Wanted = Readonly<{ entryHash: Uint8Array; origin: string | undefined }> &
  Readonly<Record<'receivedAt' | 'deadline', number>>;

export interface Known {
  readonly policy: Policy;
  /** The keys of the policy, and those that notes made known. `unchecked`: signatures of receipts are not checked. */
  readonly receiptKeys: readonly VerifierKey[] | 'unchecked';
  readonly checkpoint: OpenedCheckpoint | undefined;
  /** Returns the bytes of a body. @param file its name in the line, a plain one */
  readonly bodyOf?: ((file: string | undefined, sha256: string) => Uint8Array | undefined) | undefined;
}

function collect() {
  const wrong: string[] = [];
  const lacks: Lack[] = [];
  const facts: Facts = {};
  return {
    facts,
    wrong,
    lacks,
    must: (holds: boolean, problem: string): void => void (holds || wrong.push(problem)),
    /** Returns the result of a check; undefined if it throws: then its message is a problem. */
    attempt<T>(check: () => T): T | undefined {
      try {
        return check();
      } catch (error) {
        wrong.push((error as Error).message.replace(/\.$/, ''));
        return undefined;
      }
    },
    verdict(): Verdict {
      const word = wrong.length > 0 ? 'WRONG' : lacks.length > 0 ? 'NO PROOF' : 'ok';
      return { word, facts, wrong, lacks };
    },
  };
}

/** Judges by checks. A check that throws makes the word WRONG. */
export function judged(check: (collected: ReturnType<typeof collect>) => unknown): Verdict {
  const collected = collect();
  collected.attempt(() => check(collected));
  return collected.verdict();
}

export type State = Readonly<ReturnType<typeof stateOf>>;

/**
 * Returns the signed state of a log. `witnesses`: how many of the policy cosigned it; `needed`: how many must;
 * `seenBy`: by when these had seen it, in milliseconds since 1970; undefined: none must.
 */
export function stateOf({ origin, size, cosigned }: OpenedCheckpoint, { quorum }: Policy) {
  const { threshold, members } = quorum;
  const times = members.flatMap((name) => cosigned.get(name) ?? []).sort((one, other) => one - other);
  const last = times[threshold - 1];
  const seenBy = last === undefined ? undefined : last * 1000;
  return { origin, size, witnesses: cosigned.size, needed: threshold, seenBy };
}

/** Returns the first name and id among the signatures of a note, for people. */
export const signerOf = (signed: string): string =>
  parseNote(signed)
    .signatures.slice(0, 1)
    .map(({ name, id }) => `${name}+${hexId(id)}`)
    .join();

/** Opens a checkpoint whose log key may be unknown. @throws Error if it is none, or a known key did not sign it */
export function openCheckpointLine(signed: string, policy: Policy): OpenedCheckpoint | { readonly unknownKey: string } {
  const note = parseNote(signed);
  const { origin } = parseCheckpoint(note.text);
  const keys = [...policy.logs, ...policy.witnesses.values()].map(({ key }) => key);
  const isKnown = verifyNote(note, keys).some(({ type, name }) => type === 'note' && name === origin);
  return isKnown ? openCheckpoint(signed, policy) : { unknownKey: signerOf(signed) };
}

function readReceipt(text: string, keys: Known['receiptKeys']): { receipt?: Receipt; unknownKey?: string } {
  const signed = text.includes('\n') ? text : decodeBase64(text, 'The receipt').toString();
  const note = parseNote(signed);
  const receipt = parseReceipt(note.text);
  const signers = keys === 'unchecked' ? note.signatures : verifyNote(note, keys);
  const isKnown = signers.some(({ name }) => name === receiptKeyName(receipt.origin));
  return isKnown ? { receipt } : { unknownKey: signerOf(signed) };
}

/** Reads the second line of a preimage. @throws Error if the service does not write it so */
export function readEntry(text: string): HashedAttributes {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values) || values.length !== HASHED_ATTRIBUTES.length)
    throw new Error(`An entry is a list of ${HASHED_ATTRIBUTES.length} values`);
  for (const [at, name] of HASHED_ATTRIBUTES.entries()) {
    if (name === 'receivedAt' || name === 'bodyBytes') requireSize(values[at], name);
    else if (typeof values[at] !== 'string') throw new Error(`The ${name} of the entry must be a text`);
  }
  if (JSON.stringify(values) !== text) throw new Error('The entry is not spelt as the service writes it');
  return Object.fromEntries(HASHED_ATTRIBUTES.map((name, at) => [name, values[at]])) as unknown as HashedAttributes;
}

const SHARED = ['uid', 'entryId', 'receivedAt', 'bodySha256'] as const;

function readProof(members: Members): { index: number; proof: Uint8Array[] } | undefined {
  const { index, proof } = members;
  if (!isPresent(index) && !isPresent(proof)) return undefined;
  if (typeof index !== 'number') throw new Error('The index of the proof must be a number');
  if (!Array.isArray(proof)) throw new Error('The proof must be a list of texts');
  requireSize(index, 'index of the proof');
  return { index, proof: proof.map((one, at) => decodeHash(String(one), `Hash ${at + 1} of the proof`)) };
}

/** Judges a line about an entry, without a log. @returns the verdict, and what to look up if somebody has a log */
export function judgeEntry(members: Members, known: Known): Verdict & { readonly wanted?: Wanted } {
  const collected = collect();
  const { facts, lacks, must, attempt } = collected;
  const text = (name: string) => attempt(() => textIn(members, name));

  const values = text('entry');
  const entry = values === undefined ? undefined : attempt(() => readEntry(values));
  const given = text('receipt');
  const { receipt, unknownKey } = (given !== undefined && attempt(() => readReceipt(given, known.receiptKeys))) || {};
  if (unknownKey !== undefined) {
    lacks.push('receipt key');
    facts.unknownKey = unknownKey;
  }
  const body = members.body === '' ? '' : text('body');
  const [file, order, ...ids] = ['file', 'order', 'entryId', 'id'].map(text);
  must(order === undefined || /^\d+$/.test(order), 'order must be a text of digits');
  const proof = attempt(() => readProof(members));
  if (file !== undefined) facts.file = file;
  const told = entry ?? receipt;
  if (!told) return collected.verdict();

  const { uid, entryId, receivedAt, bodySha256 } = told;
  Object.assign(facts, { uid, entryId, receivedAt, bodySha256 });
  const entryHash = entry ? entryHashOf(entryPreimage(entry)) : Buffer.from((receipt as Receipt).entryHash, 'hex');
  if (entry)
    must(entryIdOf(entry) === entryId, 'The entry id does not follow from access key, timestamp and signature');
  const times = [entry, receipt].flatMap((one) => (one ? [one.receivedAt - Number(one.entryId.slice(0, 13))] : []));
  const isNear = times.every((delay) => Math.abs(delay) <= CLOCK_TOLERANCE_MS);
  must(isNear, `It was received more than ${CLOCK_TOLERANCE_MS / 1000} s from the timestamp that was signed`);
  if (receipt) facts.promised = { origin: receipt.origin, deadline: receipt.deadline };
  if (entry && receipt) {
    const other = SHARED.find((name) => entry[name] !== receipt[name]);
    must(!other, `The receipt is of another entry: its ${other} differs`);
    must(other !== undefined || receipt.entryHash === entryHash.toString('hex'), 'The receipt is of another entry');
  }
  const kept = ids.find((id) => id !== undefined && id !== entryId);
  must(kept === undefined, `It is about the entry ${entryId}, not ${kept}`);

  // Evidence of others must not name files elsewhere.
  const isElsewhere = file !== undefined && /[/\\]/.test(file);
  const beside = body === undefined && !isElsewhere ? known.bodyOf?.(file, bodySha256) : undefined;
  const sent = beside && order !== undefined ? insertOrder(beside, order) : beside;
  const bytes = body === undefined ? sent : Buffer.from(body);
  if (bytes) {
    const sha256 = hash('sha256', bytes);
    facts.hasBody = sha256 === bodySha256;
    must(facts.hasBody, `The body is another one: its SHA-256 is ${sha256}, that of the entry is ${bodySha256}`);
    const isLong = !facts.hasBody || !entry || entry.bodyBytes === bytes.length;
    must(isLong, `The body has ${bytes.length} bytes, the entry says ${entry?.bodyBytes}`);
  }

  const { checkpoint, policy } = known;
  if (proof && !checkpoint) lacks.push('checkpoint');
  if (proof && checkpoint) {
    const { origin, size, root } = checkpoint;
    must(!receipt || receipt.origin === origin, `The receipt is of the log ${receipt?.origin}, the proof of ${origin}`);
    const isThere = verifyInclusion(proof.proof, { index: proof.index, size, leafHash: leafHashOf(entryHash), root });
    must(isThere, 'The proof does not show this entry: the entry or the proof was changed');
    if (isThere) facts.place = { ...stateOf(checkpoint, policy), index: proof.index };
  }
  if (given === undefined && !proof) lacks.push('proof');

  const verdict = collected.verdict();
  if (verdict.word === 'WRONG') return verdict;
  const deadline = receipt?.deadline ?? receivedAt + PROMISE_MS;
  const origin = receipt?.origin ?? (proof && checkpoint?.origin);
  return { ...verdict, wanted: { entryHash, receivedAt, deadline, origin } };
}

/**
 * A log has an entry, proven; or its files contradict each other; or its commits do not have it. `isAbsent`: the tree
 * that its checkpoint signs does not have it either.
 */
export type Answer =
  | { readonly index: number; readonly cameAt: number }
  | { readonly wrong: string }
  | { readonly isAbsent: () => Promise<boolean> };

/**
 * A log that was asked: its newest checkpoint, the cursor of its newest commit, and the time of its first one. What was
 * received before had no receipt, and is not late.
 */
export type AskedLog = Readonly<{ checkpoint: OpenedCheckpoint; cursor: number; began: number }>;

/** Judges an entry with what a log says about it. @param verdict that of the line alone */
export async function judgePlace(
  { facts, lacks }: Verdict,
  wanted: Wanted,
  answer: Answer,
  { log: { checkpoint, cursor, began }, policy }: { readonly log: AskedLog; readonly policy: Policy },
): Promise<Verdict> {
  const say = (word: Word, more: Partial<Verdict> = {}): Verdict => ({
    ...{ word, wrong: [], lacks: [] },
    ...more,
    facts: { ...facts, until: cursor, ...more.facts },
  });
  const noProof = (lack: Lack) => say('NO PROOF', { lacks: [lack] });
  if (lacks.includes('receipt key')) return noProof('receipt key');
  if (wanted.origin !== undefined && wanted.origin !== checkpoint.origin) return noProof('other log');
  if ('isAbsent' in answer) {
    if (!facts.promised) return noProof('not promised');
    if (cursor < wanted.deadline) return noProof('not in the log');
    // Nobody signs commits: somebody could take the entry out of a copy of them, and accuse the service.
    return (await answer.isAbsent()) ? say('MISSING') : noProof('commits');
  }
  if ('wrong' in answer) return say('WRONG', { wrong: [answer.wrong] });
  const { index, cameAt } = answer;
  const isPromised = facts.promised !== undefined || wanted.receivedAt >= began;
  const late = isPromised ? Math.max(0, cameAt - wanted.deadline) : 0;
  const placed = { facts: { place: { ...stateOf(checkpoint, policy), index }, cameAt, late } };
  if (late > 0) return say('LATE', placed);
  return checkpoint.quorum ? say('ok', placed) : say('NO PROOF', { ...placed, lacks: ['quorum'] });
}
