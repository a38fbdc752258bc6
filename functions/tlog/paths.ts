/** The paths of the files of a transparency log, in a bucket or a folder: docs/formats.md says what they contain. */

/** The newest checkpoint. It is the only file that is ever replaced. */
export const CHECKPOINT = 'checkpoint';

/** The folder of the commits. */
export const COMMITS = 'commits/';

const DIGITS = 10;

const padded = (n: number): string => String(n).padStart(DIGITS, '0');

/** Returns the path of the n-th commit, such as `commits/0000000007`. Paths sort as their numbers. */
export const commitPath = (n: number): string => `${COMMITS}${padded(n)}`;

/** Returns the path of the checkpoint of the n-th commit. */
export const checkpointPath = (n: number): string => `checkpoints/${padded(n)}`;

/** Returns the number in the path of a commit; undefined if it is no such path. */
export function commitNumber(path: string): number | undefined {
  const n = Number(path.slice(COMMITS.length));
  return n > 0 && path === commitPath(n) ? n : undefined;
}

/** Returns the path of the note about the k-th receipt key. */
export const receiptKeyPath = (k: number): string => `receipt-keys/${k}`;

/** Returns the headers with which a file is served. Source: C2SP tlog-tiles, "APIs". */
export const headersOf = (path: string) => ({
  contentType: path.startsWith('tile/')
    ? 'application/octet-stream'
    : path.startsWith(COMMITS)
      ? 'application/json'
      : 'text/plain; charset=utf-8',
  cacheControl: path === CHECKPOINT ? 'no-cache' : 'public, max-age=31536000, immutable',
});
