import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { execute } from '../../setup/execute.ts';

const urlOf = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../../${path}`, import.meta.url)));

/**
 * Prints the bytes that an audit of a log keeps: for a leaf of a tree, for a full tile, and for a checkpoint with its
 * files.
 */
const PROGRAM = `
  const { auditTree, NO_TREE } = await import(${urlOf('cli/audit/auditTree.ts')});
  const { sortListing } = await import(${urlOf('cli/audit/listing.ts')});
  const { appendEntries, EMPTY_EDGE, rootOfEdge } = await import(${urlOf('functions/c2sp/rightEdge.ts')});
  const { tilePath } = await import(${urlOf('functions/c2sp/tiles.ts')});
  const { hash } = await import('node:crypto');
  const { mkdtempSync, mkdirSync, writeFileSync, readFileSync } = await import('node:fs');
  const used = () => { gc(); gc(); const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };

  const LEAVES = 40960;
  const folder = mkdtempSync('tree-');
  for (const level of ['entries', '0', '1']) mkdirSync(folder + '/tile/' + level, { recursive: true });
  let edge = EMPTY_EDGE;
  const paths = [];
  for (let from = 0; from < LEAVES; from += 2048) {
    const appended = appendEntries(edge, Array.from({ length: 2048 }, (_, at) => hash('sha256', String(from + at), 'buffer')));
    edge = appended.edge;
    for (const { path, bytes } of appended.files) {
      mkdirSync(folder + '/' + path.slice(0, path.lastIndexOf('/')), { recursive: true });
      writeFileSync(folder + '/' + path, bytes);
      paths.push(path);
    }
  }
  const root = rootOfEdge(edge);
  edge = undefined;
  const listing = sortListing(paths, LEAVES);
  const seen = [];
  let problems = 0;
  const result = await auditTree({
    files: { read: async (path) => readFileSync(folder + '/' + path) },
    size: LEAVES, root, listing,
    onEntry: () => {}, report: () => { problems += 1; }, checksUntil: () => [], advance: () => {},
    keep: (state) => { const { bundle } = state(); if (bundle === 40 || bundle === 152) seen.push(used()); },
  }, NO_TREE);
  const perLeaf = (seen[1] - seen[0]) / (112 * 256);

  const measure = (count, pathsOf) => {
    const sort = (from, until) => sortListing((function* () { for (let n = from; n < until; n += 1) yield* pathsOf(n); })(), 1e9);
    sort(0, 100);
    const before = used();
    const kept = sort(0, count);
    const after = used();
    if (kept.files < count) throw new Error('not all files were sorted');
    return (after - before) / count;
  };
  const perTile = measure(10000, (n) => [tilePath({ level: 0, index: n, width: 256 }), tilePath({ level: 'entries', index: n, width: 256 })]);
  const rootText = 'ab'.repeat(32);
  const perCheckpoint = measure(10000, (n) => {
    const size = n * 10 + 1;
    const tile = { index: Math.floor(size / 256), width: size % 256 || 1 };
    return ['checkpoints/' + size, 'staging/' + size + '-' + (size + 10) + '-' + rootText, tilePath({ level: 0, ...tile }), tilePath({ level: 'entries', ...tile })];
  });
  console.log(JSON.stringify({ root: result.root, problems, perLeaf, perTile, perCheckpoint }));
`;

test('an audit keeps nothing for a leaf or a full tile, and little for a checkpoint', async () => {
  const { stdout } = await execute([process.execPath, '--expose-gc', '--input-type=module', '-e', PROGRAM]);
  const { perLeaf, perTile, perCheckpoint, ...outcome } = JSON.parse(stdout);
  expect(outcome).toEqual({ root: true, problems: 0 });
  // The level-0 hashes alone would be 32 bytes a leaf, and a path at least 40 bytes a tile.
  expect(perLeaf).toBeLessThan(20);
  expect(perTile).toBeLessThan(8);
  expect(perCheckpoint).toBeLessThan(250);
});
