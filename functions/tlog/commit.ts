import { decodeBase64, decodeHash } from '../c2sp/base64.ts';
import { sameHash, splitHashes } from '../c2sp/hashing.ts';
import { requireSize } from '../c2sp/treeSize.ts';

/** How long the sequencer looks for an entry that the index shows late, in milliseconds. Audits judge by it, too. */
export const WINDOW_MS = 600_000;

/** The most that the cursor goes forward in one commit, in milliseconds: a log that stood still keeps its place. */
export const STEP_MS = 600_000;

/** A tree by the number of its leaves and its root, 32 bytes. */
export interface Tree {
  readonly size: number;
  readonly root: Uint8Array;
}

/** A decision of the sequencer: which entries come next. Times are ms since 1970. docs/formats.md has the format. */
export interface Commit {
  readonly origin: string;
  /** 1 for the first. */
  readonly n: number;
  /** The time of the decision, by a clock that was compared with the clock of the storage. */
  readonly time: number;
  /**
   * Entries received before are in the log up to and with this commit, except those that the index shows late. The
   * cursor never goes back, and no commit has an entry that was received after its cursor.
   */
  readonly cursor: number;
  /** Entries received before were looked for a second time, two days later. */
  readonly looked: number;
  /** The days for which entries are kept; 0: for ever. */
  readonly retentionDays: number;
  /** The tree before, and the tree with the entries. */
  readonly from: Tree;
  readonly to: Tree;
  /** The entry hashes between both trees, 32 bytes each, in the order of the log. */
  readonly entries: readonly Uint8Array[];
}

/** The most entries of a commit. */
export const COMMIT_ENTRIES = 8192;

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const treeText = ({ size, root }: Tree) => ({ size, root: encode(root) });

/** Returns the text of a commit: one JSON object without spaces, its members in this order. */
export const formatCommit = ({ origin, n, time, cursor, looked, retentionDays, from, to, entries }: Commit): string =>
  JSON.stringify({
    version: 1,
    origin,
    n,
    time,
    cursor,
    looked,
    retentionDays,
    from: treeText(from),
    to: treeText(to),
    entries: encode(Buffer.concat(entries)),
  });

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

function readNumber(members: Members, name: string): number {
  const value = members[name];
  if (typeof value !== 'number') throw new Error(`${name} must be a number`);
  requireSize(value, name);
  return value;
}

function readText(members: Members, name: string): string {
  const value = members[name];
  if (typeof value !== 'string') throw new Error(`${name} must be a text`);
  return value;
}

function readTree(members: Members, name: string): Tree {
  const tree = members[name];
  if (!isObject(tree)) throw new Error(`${name} must be an object`);
  return { size: readNumber(tree, 'size'), root: decodeHash(readText(tree, 'root'), `The root in ${name}`) };
}

/**
 * Reads a commit. @param path of its file, for the message @throws Error if the text is not exactly what `formatCommit`
 * writes, or if its entries do not fill the sizes. It does not check whether the roots follow from the entries.
 */
export function parseCommit(text: string, path = 'The commit'): Commit {
  try {
    const members: unknown = JSON.parse(text);
    if (!isObject(members)) throw new Error('it must be an object');
    const commit: Commit = {
      origin: readText(members, 'origin'),
      n: readNumber(members, 'n'),
      time: readNumber(members, 'time'),
      cursor: readNumber(members, 'cursor'),
      looked: readNumber(members, 'looked'),
      retentionDays: readNumber(members, 'retentionDays'),
      from: readTree(members, 'from'),
      to: readTree(members, 'to'),
      entries: splitHashes(decodeBase64(readText(members, 'entries'), 'entries')),
    };
    const { n, from, to, entries } = commit;
    if (n < 1) throw new Error('n must be at least 1');
    if (entries.length > COMMIT_ENTRIES) throw new Error(`it must have at most ${COMMIT_ENTRIES} entries`);
    if (to.size - from.size !== entries.length) throw new Error('its entries must fill the sizes');
    if (entries.length === 0 && !sameHash(from.root, to.root)) throw new Error('without entries, the root must stay');
    if (formatCommit(commit) !== text) throw new Error('it must be spelt as the sequencer writes it');
    return commit;
  } catch (error) {
    throw new Error(`${path} is not a commit: ${(error as Error).message}.`, { cause: error });
  }
}

/** Returns the index in the log of an entry that a commit has; undefined if the commit does not have it. */
export function indexIn({ from, entries }: Commit, entryHash: Uint8Array): number | undefined {
  const at = entries.findIndex((one) => sameHash(one, entryHash));
  return at === -1 ? undefined : from.size + at;
}
