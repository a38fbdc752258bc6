/**
 * The commit protocol: how entries come into the transparency log, from top to bottom in the order in which it happens.
 * A run can be killed at any point, and several can run at once. The head in the Tlog table decides what the next
 * leaves are; everything else follows from it and from files that are stored before it. Comments say what is durable at
 * each point, and what the next run makes of it. Step numbers are those of docs/design.md, "Life of a leaf";
 * docs/decisions/transparency-log.md says what the log is for.
 *
 * Model: FiloSottile/sunlight, internal/ctlog/ctlog.go, `sequencePool`.
 */
import pMap from 'p-map';
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from '../c2sp/checkpoint.ts';
import { EMPTY_ROOT, sameHash, splitHashes } from '../c2sp/hashing.ts';
import { parseNote, type Signer, signNote, verifyNote } from '../c2sp/note.ts';
import type { Policy } from '../c2sp/policy.ts';
import { appendEntries, rootOfEdge, type TileFile } from '../c2sp/rightEdge.ts';
import { tilePath } from '../c2sp/tiles.ts';
import { treeReader } from '../c2sp/treeReader.ts';
import { formatVerifierKey } from '../c2sp/verifierKey.ts';
import { orUndefined } from '../orUndefined.ts';
import { firstHead, type HeadChange, type headTable, markBefore, nextHead } from '../tlog/head.ts';
import { formatHint, parseHints } from '../tlog/hints.ts';
import { openCheckpoint } from '../tlog/openCheckpoint.ts';
import { CHECKPOINT, checkpointPath, cosignedPath, hintsPath, stagingPath } from '../tlog/paths.ts';
import type { Head } from '../tlog/tlogTable.ts';
import type { Arrivals } from './arrivals.ts';
import { FatalError } from './fatalError.ts';
import { createFile, readVerifiedEdge, requireFile, type StoredFile, type TlogStorage } from './storage.ts';
import { requestCosignatures } from './witnesses.ts';

/**
 * The time by which the clocks of two machines may differ. Less than the lag of a deployment, so that no entry is
 * received before the cursor.
 */
const CLOCK_TOLERANCE_MS = 5000;

/** The attempts to read head and checkpoint without a change by another sequencer in between. */
const TRIES = 5;

const WRITES = 16;

export interface SequencerOptions {
  /** The name of the log, which is the first line of every checkpoint. */
  readonly origin: string;
  readonly storage: TlogStorage;
  readonly heads: ReturnType<typeof headTable>;
  readonly arrivals: Arrivals;
  /** Returns the keys that sign checkpoints: one, or two during a rotation. */
  readonly signers: (abortSignal: AbortSignal) => Promise<readonly Signer[]>;
  /** The witnesses to ask and their quorum; undefined: no witnesses. */
  readonly witnesses: Policy | undefined;
  readonly witnessTimeoutMs: number;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Returns the milliseconds that a second clock is ahead of this one, as its answers to the first reads of a run say.
   * Undefined: there is one clock, that of this machine.
   */
  readonly correction?: () => number;
  /** The time that an entry waits before it is sequenced. Longer than an upload takes and the index usually needs. */
  readonly lagMs: number;
  /** The time before the cursor that is read again with every append: the index may show an entry as late as this. */
  readonly windowMs: number;
}

/** Ends a run because another sequencer was first. It is no failure: the other one does the work. */
export class Superseded extends Error {}

/** The log as one run sees and changes it. An object is used for one run only. */
export class Sequencer {
  readonly options: SequencerOptions;
  readonly abortSignal: AbortSignal;
  #head: Head;
  /** The published checkpoint; undefined: nothing was published yet. */
  #checkpoint: StoredFile | undefined;
  #published = false;
  /** Why witnesses did not cosign, by their names in the policy. */
  readonly witnessFailures: Record<string, string> = {};
  /** What witnesses said last that contradicts the log, by their names in the policy. */
  witnessContradictions: Readonly<Record<string, string>>;

  private constructor(
    options: SequencerOptions,
    abortSignal: AbortSignal,
    head: Head,
    checkpoint: StoredFile | undefined,
  ) {
    this.options = options;
    this.abortSignal = abortSignal;
    this.#head = head;
    this.#checkpoint = checkpoint;
    this.witnessContradictions = head.contradictions ?? {};
  }

  /** The head that this run has read, or claimed since. */
  get head(): Head {
    return this.#head;
  }

  get hasPublished(): boolean {
    return this.#published;
  }

  /**
   * Opens the log: reads its head and its checkpoint, and publishes a head that an earlier run claimed but did not
   * publish. Creates the first head of a new log.
   * @throws FatalError if head, checkpoint, tiles, keys and clock contradict each other
   * @throws Superseded if another sequencer publishes the same head
   */
  static async open(options: SequencerOptions, abortSignal: AbortSignal): Promise<Sequencer> {
    const { storage, heads, arrivals, now, lagMs, correction = () => 0 } = options;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      // Step 3: in this order, because a checkpoint is never larger than a head that is read after it.
      const checkpoint = await storage.get(CHECKPOINT, abortSignal);
      const head = await heads.get(abortSignal);
      // One run with a clock that is a day ahead would move the cursor past a day of entries.
      if (Math.abs(correction()) > CLOCK_TOLERANCE_MS) {
        const timeOf = (ahead: number) => new Date(now() + ahead).toISOString();
        const message = `The clock reads ${timeOf(0)}, and that of the storage ${timeOf(correction())}.`;
        throw new FatalError('clock-differs', message);
      }
      if (!head) {
        if (checkpoint) throw new FatalError('storage-ahead', 'There is a checkpoint, and the Tlog table has no head.');
        const beginning = await arrivals.beginning(abortSignal);
        await heads.claim(firstHead(now(), Math.min(now() - lagMs, beginning)), abortSignal);
        continue;
      }
      await requireKnownKey(options, head, checkpoint, abortSignal);
      await requireClock(options, head, abortSignal);
      const published = publishedIn(checkpoint);
      if (published.size > head.size) {
        const sizes = `The checkpoint has the size ${published.size}, the head ${head.size}.`;
        throw new FatalError('storage-ahead', sizes);
      }
      const isPublished = published.size === head.size;
      // Otherwise, other sequencers published and claimed between the two reads.
      if (!isPublished && published.size !== head.fromSize) continue;
      if (!sameHash(published.root, isPublished ? head.root : head.fromRoot)) {
        const message = `The checkpoint of size ${published.size} does not have the root of the head that was claimed.`;
        throw new FatalError('root-differs', message);
      }
      const sequencer = new Sequencer(options, abortSignal, head, checkpoint);
      // Step 4: an earlier run died after its claim, or another one is between claim and checkpoint at this moment.
      // Both write the same files, so it does not matter which of them finishes.
      if (!isPublished) await sequencer.#publish(await sequencer.#stagedFiles());
      return sequencer;
    }
    throw new FatalError('storage-behind', 'The checkpoint is older than the last two heads, and stays so.');
  }

  /**
   * Appends entries and publishes them.
   * @param entryHashes 32 bytes each, in the order of the log. If there are none, only the head changes.
   * @throws FatalError if the tiles of the log do not match its root, or a file exists with other bytes
   * @throws Superseded if another sequencer appended or published since this one read the head
   */
  async append(entryHashes: readonly Uint8Array[], change: HeadChange = {}): Promise<void> {
    if (entryHashes.length === 0) return this.claimHead(change);
    const { storage } = this.options;
    const { size: fromSize, root: fromRoot } = this.#head;
    const { edge, files } = appendEntries(await readVerifiedEdge(storage, this.#head, this.abortSignal), entryHashes);
    const batch = { size: edge.size, root: rootOfEdge(edge), fromSize, fromRoot };

    await createFile(storage, { path: stagingPath(batch), bytes: Buffer.concat(entryHashes) }, this.abortSignal);
    // The batch is durable, and no head names it. After a crash here, or a lost claim, nobody reads it again: the
    // cursor has not moved, so the next run reads the same entries, and perhaps more.

    // Step 6.
    await this.claimHead({ ...change, ...batch });
    // The order of the log is decided: cursor and batch are in one write, so no entry is appended twice or left out. A
    // crash from here on leaves a head without its checkpoint. The next run computes the same files from the staged
    // batch.

    await this.#publish(files);
  }

  /**
   * Claims the head that follows the present one, on the condition that nobody else has: of several sequencers, one
   * wins.
   * @throws Superseded if another sequencer was first. This one has signed nothing for the head that it wanted.
   */
  async claimHead(change: HeadChange): Promise<void> {
    const head = nextHead(this.#head, this.options.now(), change);
    if (!(await this.options.heads.claim(head, this.abortSignal))) throw new Superseded();
    this.#head = head;
  }

  /** Publishes the claimed head: its tiles and entry bundles, then its checkpoint. */
  async #publish(files: readonly TileFile[]): Promise<void> {
    // Step 7. Files that an earlier run or another sequencer stored are kept. Other bytes in one of them are fatal: two
    // histories.
    const store = (file: TileFile) => createFile(this.options.storage, file, this.abortSignal);
    await pMap(files, store, { concurrency: WRITES });
    // The tiles are durable before anything is signed, so each checkpoint has its tree. After a crash among them, the
    // next run stores the rest.
    await this.publishCheckpoint();
  }

  /**
   * Signs the checkpoint of the head, whose tiles are stored, has it cosigned, stores it at its permanent path, and
   * makes it the newest one. Cosignatures that it has are kept.
   * @param again true: witnesses that have cosigned it are asked too, so that everyone sees that the log is alive
   * @throws FatalError if another checkpoint of this size exists, or if a witness has seen another log
   * @throws Superseded if another sequencer replaced the newest checkpoint meanwhile
   */
  async publishCheckpoint({ again = false } = {}): Promise<void> {
    const { origin, storage, signers, witnesses } = this.options;
    const claimed = { origin, size: this.#head.size, root: this.#head.root };
    const text = formatCheckpoint(claimed);
    // Step 8. Ed25519 is deterministic: after a crash, the next run signs the same bytes again.
    const signed = await signNote(text, await signers(this.abortSignal), this.abortSignal);
    const newest = Buffer.from(await this.#cosigned(claimed, signed, again));

    const path = checkpointPath(claimed.size);
    if ((await storage.create(path, Buffer.from(signed), this.abortSignal)) === 'different') {
      // Before a rotation, other keys signed the same checkpoint. Any other difference is fatal.
      const kept = Buffer.from(await requireFile(storage, path, this.abortSignal)).toString();
      if (parseNote(kept).text !== text) throw new FatalError('file-differs', `${path} is another checkpoint.`);
    }
    // The first one that the quorum has cosigned stays, so that a later proof has the times of these cosignatures.
    if (witnesses && witnesses.quorum !== 'none' && this.#hasQuorum(newest, await signers(this.abortSignal))) {
      await storage.create(cosignedPath(claimed.size), newest, this.abortSignal);
    }
    // The checkpoint is durable for good, and is not the newest one yet. After a crash here, the next run finds it.

    // Before anyone sees the checkpoint, so that none is without its hint.
    await this.#writeHint();

    // Step 9.
    if (!(await storage.replace(CHECKPOINT, newest, this.#checkpoint?.etag, this.abortSignal))) throw new Superseded();
    // Everyone sees the entries now. After a crash here, nothing is left to do.
    const stored = await storage.get(CHECKPOINT, this.abortSignal);
    // This run must not take the version of another sequencer for its own, and replace it.
    if (!stored || !sameHash(stored.bytes, newest)) throw new Superseded();
    this.#checkpoint = stored;
    this.#published = true;
  }

  /**
   * Adds the line of the head to the hints of its day. Lines stay: somebody who writes the tables can remove marks. The
   * line of a run that died before its checkpoint was published has a time that is too early; this one follows it.
   */
  async #writeHint(): Promise<void> {
    const { storage, now } = this.options;
    const { cursor, size, fromSize: from } = this.#head;
    const path = hintsPath(new Date(cursor).toISOString().slice(0, 10));
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const before = await storage.get(path, this.abortSignal);
      const text = before ? Buffer.from(before.bytes).toString() : '';
      const last = parseHints(text).findLast((hint) => hint.size === size && hint.cursor === cursor);
      // Another sequencer is publishing the same head.
      if (last && now() - last.published < CLOCK_TOLERANCE_MS) return;
      const lines = Buffer.from(`${text}${formatHint({ cursor, size, published: now(), from })}`);
      if (await storage.replace(path, lines, before?.etag, this.abortSignal)) return;
    }
    throw new Superseded();
  }

  /** Returns a signed checkpoint with the cosignatures that it has, and those of the witnesses that answer in time. */
  async #cosigned(checkpoint: Checkpoint, signed: string, again: boolean): Promise<string> {
    const { storage, heads, witnesses, witnessTimeoutMs } = this.options;
    if (!witnesses) return signed;
    // Those of another checkpoint do not verify.
    const kept = this.#checkpoint ? parseNote(Buffer.from(this.#checkpoint.bytes).toString()).signatures : [];
    const reader = treeReader((tile) => requireFile(storage, tilePath(tile), this.abortSignal), checkpoint.size);
    const { consistencyProof } = reader;
    const { fromSize } = this.#head;
    const submission = { checkpoint, signed, kept, again, fromSize, witnessTimeoutMs, consistencyProof };
    try {
      const { cosigned, failures, contradictions, names } = await requestCosignatures(
        witnesses,
        submission,
        this.abortSignal,
      );
      Object.assign(this.witnessFailures, failures);
      // A witness that then fails has not taken back what it said; one that cosigns has.
      const before = Object.entries(this.witnessContradictions).filter(
        ([name]) => witnesses.witnesses.has(name) && !names.has(name),
      );
      this.witnessContradictions = { ...Object.fromEntries(before), ...contradictions };
      return cosigned;
    } catch (error) {
      if (!(error instanceof FatalError)) throw error;
      // If another sequencer went on meanwhile, the witness has seen what that one published.
      if ((await heads.get(this.abortSignal))?.version !== this.#head.version) throw new Superseded();
      throw error;
    }
  }

  /** Computes the files of the claimed head from its staged batch and the tree before it. */
  async #stagedFiles(): Promise<TileFile[]> {
    const { storage } = this.options;
    const { size, root, fromSize, fromRoot } = this.#head;
    const edge = await readVerifiedEdge(storage, { size: fromSize, root: fromRoot }, this.abortSignal);
    const staged = await requireFile(storage, stagingPath(this.#head), this.abortSignal);
    const appended = appendEntries(edge, splitHashes(staged));
    if (appended.edge.size === size && sameHash(rootOfEdge(appended.edge), root)) return appended.files;
    const message = `The root of the claimed head of size ${size} does not follow from its staged entries.`;
    throw new FatalError('root-differs', message);
  }

  /** Returns true if the published checkpoint has the quorum of cosignatures. */
  async hasQuorum(): Promise<boolean> {
    if (!this.options.witnesses || !this.#checkpoint) return true;
    return this.#hasQuorum(this.#checkpoint.bytes, await this.options.signers(this.abortSignal));
  }

  #hasQuorum(signed: Uint8Array, signers: readonly Signer[]): boolean {
    const policy = { ...(this.options.witnesses as Policy), logs: signers.map(({ key }) => ({ key })) };
    // One that was signed before a key rotation, or is damaged, is signed and cosigned again.
    return orUndefined(() => openCheckpoint(Buffer.from(signed).toString(), policy))?.quorum ?? false;
  }
}

/**
 * Returns the size and root of the published checkpoint. Its signatures need no check: the claimed root is compared.
 */
const publishedIn = (checkpoint: StoredFile | undefined): Pick<Checkpoint, 'size' | 'root'> =>
  checkpoint
    ? parseCheckpoint(parseNote(Buffer.from(checkpoint.bytes).toString()).text)
    : { size: 0, root: EMPTY_ROOT };

/**
 * Checks that a key of the log goes on signing. A verifier trusts a new key only because its entry hash is under a
 * checkpoint that an older key signed.
 * @throws FatalError if the log has another name, or if none of the configured keys is in it
 */
async function requireKnownKey(
  { origin, signers }: SequencerOptions,
  { keys }: Head,
  checkpoint: StoredFile | undefined,
  abortSignal: AbortSignal,
) {
  const known = keys.map(({ key }) => key).filter((key) => key.startsWith(`${origin}+`));
  if (keys.length > 0 && known.length === 0) {
    const message = `The head has no key of the log ${origin}; its newest key is ${keys.at(-1)?.key}.`;
    throw new FatalError('origin-differs', message);
  }
  const own = (await signers(abortSignal)).map(({ key }) => key);
  const given = own.map(formatVerifierKey);
  if (given.some((key) => known.includes(key))) return;
  // A log is new, or somebody has emptied the keys of its head: then only a key may go on that has signed.
  const signed = checkpoint && parseNote(Buffer.from(checkpoint.bytes).toString());
  if (keys.length === 0 && (!signed || verifyNote(signed, own).length > 0)) return;
  const message = `The configured checkpoint keys ${given.join(', ')} are not in the log. Its newest key is ${known.at(-1) ?? 'unknown'}.`;
  throw new FatalError('key-unknown', message);
}

/**
 * Checks that the clock has come to the time of the head. If not, the clock was ahead when the head was written: what
 * is received until then is before the cursor, so the head notes from which mark on the index is to be read again.
 * @throws FatalError if the clock reads earlier than when the head was written, or than its cursor
 */
async function requireClock({ heads, now }: SequencerOptions, head: Head, abortSignal: AbortSignal): Promise<void> {
  const time = now();
  const { marks, readAgainFrom: noted = Number.POSITIVE_INFINITY } = head;
  const written = Math.max(head.writtenAt, head.cursor);
  if (time >= written - CLOCK_TOLERANCE_MS) return;
  const readAgainFrom = (markBefore(marks, time) ?? marks[0])?.cursor;
  // If another sequencer has written the head meanwhile, it or the next run notes it.
  if (readAgainFrom !== undefined && readAgainFrom < Math.min(noted, head.cursor))
    await heads.claim(nextHead(head, time, { readAgainFrom }), abortSignal);
  const [clock, ahead] = [time, written].map((ms) => new Date(ms).toISOString());
  throw new FatalError('clock-moved-back', `The clock reads ${clock}; the head was written at ${ahead}.`);
}
