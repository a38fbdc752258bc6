import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEvidence } from '../../../cli/review/verdicts/readEvidence.ts';
import { entryHashOf, entryPreimage } from '../../../functions/tlog/entryHash.ts';
import { localWorld, notes } from '../../setup/world.ts';

const data = await localWorld().sequenced({ isLive: true });
const { owner: team, folder } = data;
const first = await data.upload({ stage: 'one', orderId: 590480926522704171n });
const second = await data.upload({ stage: 'two' });
await data.sequence();

let made = 0;
/** Writes a statement. @returns the result of the command, its name and its lines */
async function statement(...args: string[]) {
  made += 1;
  const name = `${made}.statement`;
  const ran = await data.ailog(['statement', ...args, '-o', name]);
  const path = join(folder, name);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  return { ...ran, name, text, lines: lines.map((line) => JSON.parse(line)) };
}
const verify = async (...args: string[]) => {
  const { exitCode, stdout } = await data.ailog(['verify', ...args, '--json']);
  return { exitCode, words: JSON.parse(stdout).map(({ word }: { word: string }) => word) };
};
const change = (uid: string, entryId: string, name: string, value: unknown) =>
  data.tamper({ uid, entryId }, { [name]: value });

test('of a team has each of its entries with body and proof, and holds offline and in the log', async () => {
  const { name, lines, ...ran } = await statement('--uid', team.uid);
  expect(ran).toMatchObject(notes(0, `Written to ${name}. Entries: 2, in the transparency log: 2.`));
  expect(lines.map((line) => Object.keys(line).join())).toEqual([
    'checkpoint',
    'entry,index,proof,body',
    'entry,index,proof,body',
    'end',
  ]);
  const [, one] = lines;
  expect(`ai-log-entry/v1\n${one.entry}`).toBe(entryPreimage(await data.stored(first)));
  expect(await verify(name)).toEqual({ exitCode: 0, words: ['ok', 'ok', 'ok', 'ok'] });
  expect(await verify(name, '--log', data.logFolder)).toEqual({ exitCode: 0, words: ['ok', 'ok', 'ok', 'ok'] });
  writeFileSync(join(folder, 'changed'), readFileSync(join(folder, name), 'utf8').replace('"two', '"tow'));
  expect(await verify('changed')).toEqual({ exitCode: 1, words: expect.arrayContaining(['ok', 'ok', 'ok']) });
});

test('of a period has the entries that were signed in it', async () => {
  const at = new Date(Number(second.slice(0, 13))).toISOString();
  expect((await statement('--uid', team.uid, '--since', at)).lines).toHaveLength(3);
  expect((await statement('--uid', team.uid, '--until', at)).lines[1].entry).toContain(first);
});

test('of one entry has it alone, and its proof for other programs', async () => {
  const { name, lines } = await statement('--entry', first.slice(0, 20));
  expect([lines.length, await verify(name)]).toEqual([3, { exitCode: 0, words: ['ok', 'ok', 'ok'] }]);
  const proof = await statement('--entry', first, '--uid', team.uid, '--tlog-proof');
  expect(proof.exitCode).toBe(0);
  const { index, proof: hashes } = lines[1];
  const text = hashes.map((hash: string) => `${hash}\n`).join('');
  expect(proof.text).toBe(`c2sp.org/tlog-proof@v1\nindex ${index}\n${text}\n${lines[0].checkpoint}`);
});

test('of entries of several teams has each once, and is evidence of both', async () => {
  const other = await data.oldTeam();
  const copy = await data.logged({ stage: 'one' }, other);
  const { name, lines, ...ran } = await statement('--entry', copy, '--entry', first, '--entry', first.slice(0, 25));
  expect(ran).toMatchObject(notes(0, `Written to ${name}. Entries: 2, in the transparency log: 2.`));
  expect(lines.slice(1, 3).map(({ entry }) => [first, copy].find((id) => entry.includes(id)))).toEqual([first, copy]);
  expect(await verify(name)).toEqual({ exitCode: 0, words: ['ok', 'ok', 'ok', 'ok'] });
  for (const [uid, id] of [
    [team.uid, first],
    [other.uid, copy],
  ] as const)
    expect((await readEvidence(join(folder, name), uid)).period.from).toBe(
      new Date(Number(id.slice(0, 13))).toISOString(),
    );
  await expect(readEvidence(join(folder, name), '9999')).rejects.toThrow('it has no entry of this team');
});

test('an export as JSON lines has no proofs, and is found in the log', async () => {
  await data.ailog(['logs', 'export', '--uid', team.uid, '-o', 'all.jsonl']);
  expect(await verify('all.jsonl')).toEqual({ exitCode: 5, words: ['NO PROOF', 'NO PROOF'] });
  expect(await verify('all.jsonl', '--log', data.logFolder)).toEqual({ exitCode: 0, words: ['ok', 'ok'] });
});

// biome-ignore format: one case a line
test.each<[string, string[], RegExp]>([
  ['neither a team nor an entry', [], /^Give --uid UID or --entry ID\./],
  ['a period of an entry', ['--entry', first, '--since', '2025-11-14'], /^--since and --until select entries of a team/],
  ['a proof of two entries', ['--entry', first, '--entry', second, '--tlog-proof'], /^--tlog-proof is about one entry/],
  ['a proof of a team', ['--uid', team.uid, '--tlog-proof'], /^--tlog-proof is about one entry/],
])('%s is no statement: exit code 2', async (_name, args, says) => {
  expect(await statement(...args)).toMatchObject({ ...notes(2, says), lines: [] });
});

describe('an entry that the log does not have', async () => {
  const other = await data.oldTeam();
  const logged = () => data.logged({ stage: 'logged' }, other);

  test('because it is new: it has no proof yet', async () => {
    const own = await data.oldTeam();
    await data.logged({}, own);
    const id = await data.upload({ stage: 'new' }, own);
    const { lines, name, ...ran } = await statement('--uid', own.uid);
    expect(ran).toMatchObject(notes(0, 'Not in the log yet, so without a proof: 1.'));
    expect(Object.keys(lines[2])).toEqual(['entry', 'body']);
    expect(await verify(name)).toEqual({ exitCode: 5, words: ['ok', 'ok', 'NO PROOF', 'ok'] });
    expect(await statement('--entry', id, '--tlog-proof')).toMatchObject(
      notes(1, `There is no proof of entry ${id}: it is not in the log yet.`),
    );
  });

  test('because its row was changed: exit code 1', async () => {
    const id = await logged();
    const before = entryHashOf(entryPreimage(await data.stored(id, other)));
    await change(other.uid, id, 'locale', 'xx-XX');
    expect(entryHashOf(entryPreimage(await data.stored(id, other))).equals(before)).toBe(false);
    const { lines, name, ...ran } = await statement('--entry', id);
    expect(ran).toMatchObject(notes(1, 'Changed since they were stored: 1. ailog tlog audit names them.'));
    expect(lines[1]).not.toHaveProperty('proof');
    expect((await verify(name)).exitCode).toBe(5);
  });

  test('because its body is damaged: the line has none', async () => {
    const id = await logged();
    await change(other.uid, id, 'body', Buffer.from('damaged'));
    const { lines, ...ran } = await statement('--entry', id);
    expect(ran).toMatchObject(notes(1, 'Damaged: 1. ailog logs verify says what is wrong with them.'));
    expect(Object.keys(lines[1])).toEqual(['entry', 'index', 'proof']);
  });

  test('because a value is of another type: it is left out', async () => {
    const id = await logged();
    await change(other.uid, id, 'locale', 7);
    expect(await statement('--entry', id)).toMatchObject({ exitCode: 1, lines: [] });
  });
});
