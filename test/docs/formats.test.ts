import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verify } from '../../cli/proof/evidence/verify.ts';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { formatCommit, parseCommit } from '../../functions/tlog/commit.ts';

const PAGE = readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8');

/** The examples of the page, by the names of their files. A preimage has no line end after it. */
const examples = Object.fromEntries(
  [...PAGE.matchAll(/^```text (\S+)\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [
    name,
    name.endsWith('.preimage') ? text.trimEnd() : text,
  ]),
);
const { 'entry.preimage': preimage = '', 'entry.receipt': receipt = '', 'tlog.policy': policy = '' } = examples;

test('the examples are one entry, its receipt, and the policy that verifies it', async () => {
  const line = JSON.stringify({ entry: preimage.split('\n')[1], receipt });
  const [verdict] = await Array.fromAsync(verify([Buffer.from(line)], { policy: parsePolicy(policy) }));
  expect(verdict).toMatchObject({ word: 'ok', facts: { uid: '1001', receivedAt: 1763103201345 } });
});

test('the preimages have the entry hashes that the page says', () => {
  const [, unusual = ''] = /```json\n(ai-log-entry\/v1\n.*?)\n```/s.exec(PAGE) ?? [];
  for (const text of [preimage, unusual]) {
    expect(PAGE).toContain(`\`${createHash('sha256').update(text).digest('hex')}\``);
    const [header = '', values = ''] = text.split('\n');
    expect(`${header}\n${JSON.stringify(JSON.parse(values))}`).toBe(text);
  }
});

test('a commit has the members that the page shows, in this order', () => {
  const [, shown = ''] = /^(\{"version":1,.*\})$/m.exec(PAGE) ?? [];
  const tree = { size: 0, root: new Uint8Array(32) };
  const times = { time: 1, cursor: 1, looked: 1, retentionDays: 0 };
  const commit = formatCommit({ origin: 'o', n: 7, ...times, from: tree, to: tree, entries: [] });
  expect(parseCommit(commit).n).toBe(7);
  const names = (text: string) => [...text.matchAll(/"(\w+)":/g)].map(([, name]) => name);
  expect(names(shown)).toEqual(names(commit));
});

test('the variable of the receipt key is found in the policy as docs/teams.md shows', () => {
  const clients = readFileSync(new URL('../../docs/teams.md', import.meta.url), 'utf8');
  const [, pattern = ''] = /sed -n '(s\/.*?\/p)' tlog\.policy/.exec(clients) ?? [];
  const key = execFileSync('sed', ['-n', pattern], { input: policy, encoding: 'utf8' });
  expect(key).toBe(`${policy.split('\n')[1]?.slice('# receipts '.length)}\n`);
});
