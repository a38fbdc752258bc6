import { expect, test } from 'vitest';
import { auditTree } from '../../../../cli/proof/audit/auditTree.ts';
import { type Finding, Findings } from '../../../../cli/proof/audit/findings.ts';
import { rootOfEdge } from '../../../../functions/c2sp/rightEdge.ts';
import { entriesOf, memoryLog } from '../../../c2sp/trees.ts';
import { flip } from './copiedLog.ts';

const SIZE = 65_536 + 10;
const tree = memoryLog();
tree.append(entriesOf(SIZE));

/** Audits the tree with another file at a path. @returns the findings, and whether the root follows */
async function audit(path: string, bytes: Uint8Array | undefined): Promise<{ found: Finding[]; root: boolean }> {
  const findings = new Findings();
  const { root } = await auditTree({
    files: { read: async (one) => (one === path ? bytes : tree.files.get(one)) },
    size: SIZE,
    root: rootOfEdge(tree.edge()),
    checks: (async function* () {})(),
    check: async () => {},
    onEntries: async () => {},
    report: findings.report,
  });
  return { found: [...findings.of('tile'), ...findings.of('bundle')], root };
}

test('a full tile above level 0 that is missing or changed is named', async () => {
  const path = 'tile/1/000';
  const bytes = Buffer.from(tree.files.get(path) as Uint8Array);
  expect(await audit(path, bytes)).toEqual({ found: [], root: true });
  const named = (problem: string) => ({ found: [{ kind: 'tile', path, problem: `${path} ${problem}.` }], root: true });
  expect(await audit(path, undefined)).toEqual(named('is missing'));
  expect(await audit(path, flip(bytes, 5000))).toEqual(named('does not follow from the tiles below it'));
});
