import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { FATAL_CONDITIONS } from '../../functions/sequencer/fatalError.ts';
import type { Log } from '../../functions/sequencer/sequence.ts';
import { type Commit, formatCommit } from '../../functions/tlog/commit.ts';
import { checkpointPath, commitPath } from '../../functions/tlog/paths.ts';
import { receiptKeyTable } from '../../functions/tlog/receiptKeyTable.ts';
import { newSigner } from '../c2sp/keys.ts';
import { noDeadline, world } from '../setup/world.ts';
import { intercepted, Killed } from './intercept.ts';

/** A log with commits of 0, 3 and 6 leaves, and entries that the next run appends. */
const log = await world().sequenced();
await log.run();
for (let at = 0; at < 2; at += 1) {
  await log.grow(3);
  await log.run();
}
await log.grow(3);
afterEach(await log.keep());

/** What someone does to the log. */
type Tampering = () => unknown;
/** What the next run works with, if it differs. */
type Options = () => Partial<Log>;

const write = (name: string, by: string | ((text: string) => string)): Tampering => {
  const change = typeof by === 'string' ? () => by : by;
  return () => log.write(name, Buffer.from(change(log.read(name).toString('latin1')), 'latin1'));
};
/** Changes one bit in the middle of a file. */
const flip = (name: string): Tampering =>
  write(name, (text) => {
    const middle = Math.floor(text.length / 2);
    return `${text.slice(0, middle)}${String.fromCharCode(text.charCodeAt(middle) ^ 1)}${text.slice(middle + 1)}`;
  });
const remove =
  (name: string): Tampering =>
  () =>
    rmSync(join(log.logFolder, name), { recursive: true });
const copy =
  (from: string, to: string): Tampering =>
  () =>
    log.write(to, log.read(from));
/** Stores a commit as another one. */
const recommit =
  (n: number, change: (commit: Commit) => Partial<Commit>): Tampering =>
  () =>
    log.write(commitPath(n), formatCommit({ ...log.commit(n), ...change(log.commit(n)) }));
const otherRoot = ({ to }: Commit) => ({ to: { ...to, root: Buffer.alloc(32) } });
const both =
  (...changes: readonly Tampering[]): Tampering =>
  async () => {
    for (const change of changes) await change();
  };

/** Decides a commit and dies. */
async function decideOnly(): Promise<void> {
  const storage = intercepted('storage', log.options.storage, (call, phase, path) => {
    if (call === 'storage.create' && phase === 'after' && path === commitPath(4)) throw new Killed();
  });
  await expect(log.run({ storage })).rejects.toBeInstanceOf(Killed);
}

async function signAsStranger(): Promise<void> {
  const text = formatCheckpoint({ origin: log.options.origin, ...log.commit(4).to });
  const signed = await signNote(text, [newSigner(log.options.origin)], noDeadline());
  log.write(checkpointPath(4), signed);
}

const nothing: Tampering = () => undefined;
const TILE = 'tile/0/000.p/6';
const BUNDLE = 'tile/entries/000.p/6';
/** Puts the checkpoint of the commit before in the place of the newest. */
const checkpointBack = copy(checkpointPath(2), 'checkpoint');
const withFloor =
  (floor: number): Options =>
  () => ({ table: { ...log.options.table, getFloor: async () => floor } });
const withoutFloor = withFloor(0);
const ofStranger = (origin: string): Partial<Log> => ({ origin, signers: async () => [newSigner(origin)] });

type Cases = readonly (readonly [what: string, tamper: Tampering, options?: Options])[];
const tampering: Readonly<Record<(typeof FATAL_CONDITIONS)[number], Cases>> = {
  'file-differs': [
    ['a tile stands where the next one belongs', () => log.write('tile/0/000.p/9', 'x')],
    ['a checkpoint stands where the next one belongs', copy(checkpointPath(2), checkpointPath(4))],
    ['a stranger has signed the checkpoint of a decision', both(decideOnly, signAsStranger)],
    ['the newest commit is spelt otherwise', write(commitPath(3), (text) => text.replace(',', ', '))],
    ['the newest commit has another number', recommit(3, () => ({ n: 2 }))],
    ['a commit of the window is changed', flip(commitPath(2))],
    ['the checkpoint is no note', write('checkpoint', 'x')],
    ['the signature of the checkpoint is wrong', write('checkpoint', (text) => text.replace('\n6\n', '\n7\n'))],
  ],
  'root-differs': [
    ['a tile of hashes is changed', flip(TILE)],
    ['a tile of hashes is cut short', write(TILE, 'x')],
    ['a tile of hashes is gone', remove(TILE)],
    ['a bundle of entries is changed', flip(BUNDLE)],
    [
      'one of the entries in a bundle is another',
      write(BUNDLE, (text) => `${text.slice(0, -1)}${text.endsWith('x') ? 'y' : 'x'}`),
    ],
    ['a bundle of entries is cut short', write(BUNDLE, 'x')],
    ['a commit that is not published has another root', both(decideOnly, recommit(4, otherRoot))],
    ['the newest commit has another root than the checkpoint', recommit(3, otherRoot)],
  ],
  'key-unknown': [
    ['another key is configured', nothing, () => ofStranger(log.options.origin)],
    ['the log has another name', nothing, () => ofStranger('another/log')],
  ],
  'clock-differs': [
    ['the clock is behind that of the storage', nothing, () => ({ correction: () => 10_000 })],
    ['the clock is ahead of that of the storage', nothing, () => ({ correction: () => -10_000 })],
    ['the clock is behind the newest commit', () => log.clock.set(log.newest().time - 6000)],
  ],
  'rolled-back': [
    ['the newest commit is gone', remove(commitPath(3))],
    ['a commit of the window is gone', remove(commitPath(2))],
    ['every commit is gone', remove('commits')],
    ['the checkpoint is that of the commit before', checkpointBack],
    ['the checkpoint is gone', remove('checkpoint')],
    ['the checkpoint is rolled back before the decision of a run that died', both(decideOnly, checkpointBack)],
    ['the newest commit and the floor are gone', remove(commitPath(3)), withoutFloor],
    ['the floor is too high', () => log.options.table.raiseFloor(4, noDeadline())],
    ['checkpoint and commit are rolled back, and the floor is not', both(checkpointBack, remove(commitPath(3)))],
    ['the floor and every commit are gone, and the checkpoint is not', remove('commits'), withoutFloor],
    ['the only commit and its checkpoint are gone', both(remove('commits'), remove('checkpoint')), withFloor(1)],
  ],
};
const cases = FATAL_CONDITIONS.flatMap((condition) =>
  tampering[condition].map(([what, tamper, options]) => [what, condition, tamper, options] as const),
);

test.each(cases)('%s: %s, and nothing is written', async (_what, condition, tamper, change) => {
  await tamper();
  const options = change?.() ?? {};
  const before = log.files();
  await expect(log.run(options)).rejects.toMatchObject({ name: 'FatalError', condition });
  const after = log.files();
  // A tile of entries can be stored before one that differs; nothing is signed or decided.
  const written = [...after.keys()].filter((path) => !before.has(path));
  if (condition !== 'file-differs') expect(written).toEqual([]);
  expect(after.get('checkpoint')).toEqual(before.get('checkpoint'));
  await expect(log.run(options)).rejects.toMatchObject({ condition });
});

test.each<[string, Options]>([
  ['that of the storage, by 5 s', () => ({ correction: () => 5000 })],
  ['the clock, of which that of the storage is 5 s behind', () => ({ correction: () => -5000 })],
  ['the newest commit, made 5 s later', () => ({ now: () => log.newest().time - 5000 })],
])('%s, stops nothing', async (_what, options) => {
  expect(await log.run(options())).toMatchObject({ superseded: false });
});

test('five conditions stop the log', () => {
  expect(FATAL_CONDITIONS).toHaveLength(5);
});

test('a run that cannot raise the floor fails', async () => {
  const { raiseFloor } = receiptKeyTable(log.db, 'none', log.options.origin);
  const table = { ...log.options.table, raiseFloor };
  await expect(log.run({ table })).rejects.toThrow(ResourceNotFoundException);
});

test('a table that lost its floor is no reason to stop: the bucket shows all that there was', async () => {
  expect(await log.run(withoutFloor())).toMatchObject({ appended: 3 });
  await log.expectWhole();
});
