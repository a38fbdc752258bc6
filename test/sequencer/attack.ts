import { createHash, generateKeyPairSync } from 'node:crypto';
import { parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { rawPublicKeyOf, signEd25519 } from '../../functions/c2sp/ed25519.ts';
import { sameHash } from '../../functions/c2sp/hashing.ts';
import { parseNote } from '../../functions/c2sp/note.ts';
import { verifyConsistency } from '../../functions/c2sp/proofs.ts';
import { bundlesFrom, readBundle, tilePath } from '../../functions/c2sp/tiles.ts';
import { treeReader } from '../../functions/c2sp/treeReader.ts';
import { verifierKey } from '../../functions/c2sp/verifierKey.ts';
import { FatalError } from '../../functions/sequencer/fatalError.ts';
import { type Log, run } from '../../functions/sequencer/sequence.ts';
import type { TlogStorage } from '../../functions/sequencer/storage.ts';
import { COMMIT_ENTRIES, type Commit, parseCommit, type Tree } from '../../functions/tlog/commit.ts';
import { findCommit } from '../../functions/tlog/findCommit.ts';
import { CHECKPOINT, COMMITS, checkpointPath } from '../../functions/tlog/paths.ts';
import { HOUR_MS, MINUTE_MS } from '../setup/time.ts';
import { type Intercept, intercepted, Killed, randomFrom } from './intercept.ts';

const START = Date.UTC(2026, 0, 1);
const WINDOW_MS = 10 * MINUTE_MS;
const LAG_MS = 30_000;
const ORIGIN = 'x/log';

const { privateKey } = generateKeyPairSync('ed25519');
const key = verifierKey(ORIGIN, rawPublicKeyOf(privateKey));

/** An entry, and from when on the index shows it. */
interface Uploaded {
  readonly receivedAt: number;
  readonly visibleAt: number;
  readonly entryHash: Buffer;
}

interface Plan {
  readonly seed: number;
  /** Opens the files of the log, as a run does that starts cold. */
  readonly open: () => TlogStorage;
  readonly rounds: number;
  /** The share of calls before or after which a run is killed, and of calls that sleep past later commits. */
  readonly kills: number;
  readonly sleeps: number;
  /** The most runs at once. */
  readonly parallel: number;
  /** The share of rounds with more entries than a commit has. */
  readonly rushes: number;
  /** Runs whose clock is not that of the storage: they must stop, and write nothing. */
  readonly jumps: number;
  /** What somebody does to the log before the quiet end. */
  readonly tamper?: () => Promise<void>;
}

/**
 * Plays a log whose runs are killed, sleep, overlap and see different indexes, and checks at its end that nothing is
 * lost, doubled, forked or gone back.
 * @throws Error that says what is wrong
 */
export async function attack({ seed, open, rounds, kills, sleeps, parallel, rushes, jumps, tamper }: Plan) {
  const random = randomFrom(seed);
  const counts = { runs: 0, kills: 0, sleeps: 0, superseded: 0, stopped: 0, entries: 0, commits: 0, late: 0 };
  let clock = START;
  let floor = 0;
  let made = 0;
  const uploaded: Uploaded[] = [];
  /** Every tree that was signed, and the checkpoint that was shown last. */
  const signed = new Map<number, Buffer>();
  let shown = 0;
  let gates: (() => void)[] = [];

  const upload = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      made += 1;
      const receivedAt = clock - Math.floor(random() * 5000);
      const late = random();
      // Usually within a second, some within eight minutes, a few only after the window.
      const delay = late < 0.97 ? 1000 : late < 0.995 ? Math.floor(random() * 8 * MINUTE_MS) : HOUR_MS;
      const entryHash = createHash('sha256').update(`${seed} ${made}`).digest();
      uploaded.push({ receivedAt, visibleAt: receivedAt + delay, entryHash });
    }
  };

  const treeOf = (bytes: Uint8Array): Tree => parseCheckpoint(parseNote(Buffer.from(bytes).toString()).text);

  /** Reads the checkpoint as somebody does who follows the log. */
  const follow = async (): Promise<void> => {
    const file = await open().get(CHECKPOINT, new AbortController().signal);
    const { size } = file ? treeOf(file.bytes) : { size: 0 };
    if (size < shown) throw new Error(`NOT MONOTONE: the checkpoint went back from ${shown} to ${size} leaves.`);
    shown = size;
  };

  /** Opens the files for a run, and checks that a checkpoint never takes the place of a larger one. */
  const openChecked = (): TlogStorage => {
    const storage = open();
    const sizes = new Map<string | undefined, number>([[undefined, 0]]);
    return {
      ...storage,
      async get(path, signal) {
        const file = await storage.get(path, signal);
        if (file && path === CHECKPOINT) sizes.set(file.etag, treeOf(file.bytes).size);
        return file;
      },
      async replace(path, bytes, etag, signal) {
        const isDone = await storage.replace(path, bytes, etag, signal);
        if (isDone && treeOf(bytes).size < (sizes.get(etag) ?? 0)) throw new Error('NOT MONOTONE: a run goes back.');
        return isDone;
      },
    };
  };

  /** One run, which knows nothing of others. */
  const one = async (danger: number): Promise<void> => {
    counts.runs += 1;
    let dead = false;
    const kill = () => {
      dead = true;
      counts.kills += 1;
      throw new Killed();
    };
    const intercept: Intercept = async (call, phase) => {
      if (dead) throw new Killed();
      if (random() < 0.3) await new Promise((done) => setImmediate(done));
      if (dead || random() < danger * kills) kill();
      if (phase === 'before' && /create|replace/.test(call) && random() < danger * sleeps) {
        counts.sleeps += 1;
        await new Promise<void>((done) => gates.push(done));
      }
    };
    const storage = openChecked();
    const skew = random() < danger * jumps ? (random() < 0.5 ? -HOUR_MS : HOUR_MS) : 0;
    const log: Log = {
      origin: ORIGIN,
      storage: intercepted('storage', storage, intercept),
      table: intercepted(
        'table',
        {
          getFloor: async () => floor,
          raiseFloor: async (n: number) => {
            floor = Math.max(floor, n);
          },
        },
        intercept,
      ),
      arrivals: intercepted(
        'arrivals',
        {
          beginning: async () => START - 5000,
          // The index is late, and differs between two runs of the same time.
          between: async ([from, until]: readonly [number, number]) =>
            uploaded.filter(
              ({ receivedAt, visibleAt }) =>
                receivedAt >= from &&
                receivedAt < until &&
                visibleAt <= clock &&
                (clock - receivedAt > 5 * MINUTE_MS || random() < 0.8),
            ),
        },
        intercept,
      ),
      signers: async () => [
        {
          key,
          sign: async (message) => {
            const { size, root } = parseCheckpoint(message.toString());
            const other = signed.get(size);
            if (other && !sameHash(other, root)) throw new Error(`FORKED: two trees of size ${size} are signed.`);
            signed.set(size, Buffer.from(root));
            await intercept('signer.sign', 'before', undefined);
            return signEd25519(privateKey, message);
          },
        },
      ],
      witnesses: undefined,
      witnessTimeoutMs: 1000,
      now: () => clock + skew,
      correction: () => -skew,
      lagMs: LAG_MS,
      windowMs: WINDOW_MS,
      stepMs: 10 * MINUTE_MS,
      retentionDays: 0,
    };
    try {
      const { superseded } = await run(log, new AbortController().signal);
      if (superseded) counts.superseded += 1;
      if (skew !== 0) throw new Error('A run with a wrong clock did not stop.');
    } catch (error) {
      if (error instanceof Killed) return;
      if (skew !== 0 && error instanceof FatalError && error.condition === 'clock-differs') counts.stopped += 1;
      else throw error;
    }
  };

  // The log begins after the table.
  for (let hour = 0; hour < 2; hour += 1) {
    upload(Math.floor(random() * 12));
    clock += HOUR_MS;
  }
  const sleeping: Promise<void>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    upload(random() < rushes ? COMMIT_ENTRIES + 1000 : Math.floor(random() * 12));
    const runs = Array.from({ length: 1 + Math.floor(random() * parallel) }, () => one(1));
    // Whoever sleeps wakes up after others have gone on.
    const done = Promise.all(runs).then(() => undefined);
    done.catch(() => undefined);
    sleeping.push(done);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setTimeout(next, 0));
    await Promise.race([done, new Promise((next) => setTimeout(next, 20))]);
    if (random() < 0.3) for (const wake of gates.splice(0)) wake();
    await follow();
    const step = random();
    clock += step < 0.05 ? 37 * MINUTE_MS : step < 0.07 ? 5 * HOUR_MS : MINUTE_MS;
  }
  const waking = setInterval(() => {
    for (const wake of gates.splice(0)) wake();
  }, 1);
  await Promise.all(sleeping).finally(() => clearInterval(waking));
  gates = [];
  await tamper?.();
  // A quiet end: what is in the window, then the second look at every hour.
  for (let at = 0; at < 15; at += 1) {
    clock += MINUTE_MS;
    await one(0);
  }
  for (const wait of [50 * HOUR_MS, HOUR_MS]) {
    clock += wait;
    await one(0);
  }

  const storage = open();
  const signal = new AbortController().signal;
  const read = async (path: string): Promise<Buffer> => {
    const file = await storage.get(path, signal);
    if (!file) throw new Error(`There is no ${path}.`);
    return Buffer.from(file.bytes);
  };
  const commits: Commit[] = [];
  for (const path of await storage.list(COMMITS, '', signal)) commits.push(parseCommit((await read(path)).toString()));
  const newest = treeOf(await read(CHECKPOINT));
  const leaves: string[] = [];
  for (const bundle of bundlesFrom(0, newest.size))
    for (const leaf of readBundle(await read(tilePath(bundle)), bundle.width)) leaves.push(leaf.toString('hex'));
  const logged = new Set(leaves);
  const wanted = new Set(uploaded.map(({ entryHash }) => entryHash.toString('hex')));
  const lost = [...wanted].filter((one) => !logged.has(one));
  if (lost.length > 0) throw new Error(`LOST: ${lost.length} entries are not in the log.`);
  if (logged.size < leaves.length) throw new Error(`DOUBLED: ${leaves.length - logged.size} entries are there twice.`);
  if (logged.size > wanted.size) throw new Error('STRANGE: the log has entries that nobody uploaded.');

  const reader = treeReader(async (tile) => read(tilePath(tile)), newest.size);
  let before: Tree = { size: 0, root: commits[0]?.from.root as Uint8Array };
  for (const { n, from, to } of commits) {
    if (!sameHash(from.root, before.root)) throw new Error(`FORKED: the commit ${n} does not continue the one before.`);
    const tree = treeOf(await read(checkpointPath(n)));
    if (tree.size !== to.size || !sameHash(tree.root, to.root))
      throw new Error(`FORKED: the checkpoint of ${n} differs.`);
    if (!verifyConsistency(await reader.consistencyProof(to.size), to, newest))
      throw new Error(`FORKED: the commit ${n} is not a beginning of the newest tree.`);
    before = to;
  }
  await follow();
  for (const [at, { cursor, looked, time }] of commits.entries()) {
    const last = commits[at - 1];
    if (last && (cursor < last.cursor || looked < last.looked || time < last.time))
      throw new Error(`NOT MONOTONE: a time of the commit ${at + 1} goes back.`);
  }
  // Whoever looks for an entry finds it from its time. What the index shows in the window is there when it has passed.
  const places = new Map(
    commits.flatMap(({ n, entries }) => entries.map((one) => [Buffer.from(one).toString('hex'), n])),
  );
  const last = commits.at(-1) as Commit;
  for (const { receivedAt, visibleAt, entryHash } of uploaded) {
    const readCommit = async (n: number) => commits[n - 1] as Commit;
    const first = (await findCommit(readCommit, last, receivedAt)) as number;
    const place = places.get(entryHash.toString('hex')) as number;
    if (place < first) throw new Error(`NOT FOUND: an entry is in the commit ${place}, before ${first}.`);
    const until = await findCommit(readCommit, last, receivedAt + WINDOW_MS);
    if (visibleAt - receivedAt >= HOUR_MS) counts.late += 1;
    else if (place > (until as number)) throw new Error(`LATE: an entry is in the commit ${place}, after ${until}.`);
  }
  return { ...counts, entries: leaves.length, commits: commits.length };
}
