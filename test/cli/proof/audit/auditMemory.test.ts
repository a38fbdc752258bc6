import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { execute } from '../../../setup/execute.ts';

const urlOf = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)));

/** Prints the bytes that an audit of a tree keeps for a leaf. The engine has what is compared. */
const PROGRAM = `
  const { auditTree } = await import(${urlOf('cli/proof/audit/auditTree.ts')});
  const { appendEntries, EMPTY_EDGE, rootOfEdge } = await import(${urlOf('functions/c2sp/rightEdge.ts')});
  const { hash } = await import('node:crypto');
  const { mkdtempSync, mkdirSync, writeFileSync, readFileSync } = await import('node:fs');
  const used = () => { gc(); gc(); const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };

  const LEAVES = 40960;
  const folder = mkdtempSync('tree-');
  for (const level of ['entries', '0', '1']) mkdirSync(folder + '/tile/' + level, { recursive: true });
  let edge = EMPTY_EDGE;
  for (let from = 0; from < LEAVES; from += 2048) {
    const appended = appendEntries(edge, Array.from({ length: 2048 }, (_, at) => hash('sha256', String(from + at), 'buffer')));
    edge = appended.edge;
    for (const { path, bytes } of appended.files) {
      mkdirSync(folder + '/' + path.slice(0, path.lastIndexOf('/')), { recursive: true });
      writeFileSync(folder + '/' + path, bytes);
    }
  }
  const root = rootOfEdge(edge);
  edge = undefined;
  const seen = [];
  let problems = 0;
  const result = await auditTree({
    files: { read: async (path) => readFileSync(folder + '/' + path) },
    size: LEAVES, root, checks: [], check: async () => {}, report: () => { problems += 1; },
    onEntries: async (_entries, first) => { const bundle = first / 256; if (bundle === 40 || bundle === 152) seen.push(used()); },
  });
  const perLeaf = (seen[1] - seen[0]) / (112 * 256);

  console.log(JSON.stringify({ root: result.root, problems, perLeaf }));
`;

test('an audit keeps nothing in its own memory for a leaf or a full tile', async () => {
  const { stdout } = await execute([process.execPath, '--expose-gc', '--input-type=module', '-e', PROGRAM]);
  const { perLeaf, ...outcome } = JSON.parse(stdout);
  expect(outcome).toEqual({ root: true, problems: 0 });
  // The hashes of level 0 alone would be 32 bytes a leaf.
  expect(perLeaf).toBeLessThan(20);
});
