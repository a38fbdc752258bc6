import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { FATAL_CONDITIONS } from '../../functions/sequencer/fatalError.ts';
import type { Log } from '../../functions/sequencer/sequence.ts';
import { formatCommit } from '../../functions/tlog/commit.ts';
import { checkpointPath, commitPath } from '../../functions/tlog/paths.ts';
import { newSigner } from '../c2sp/keys.ts';
import { openFixture } from '../setup/fixture.ts';
import { intercepted, Killed } from './intercept.ts';
import { type LogFixture, openLogFixture } from './logFixture.ts';

const fixture = await openFixture();

/** A log with commits of 0, 3 and 6 leaves, and entries that the next run appends. */
async function openLog(): Promise<LogFixture> {
  const log = openLogFixture({ ...fixture, ...(await openFixture()) });
  await log.run();
  for (let at = 0; at < 2; at += 1) {
    await log.grow(3);
    await log.run();
  }
  await log.grow(3);
  return log;
}

const rewrite = (log: LogFixture, name: string, by: (text: string) => string) =>
  writeFileSync(join(log.folder, name), by(readFileSync(join(log.folder, name), 'latin1')), 'latin1');

/** Changes one bit in the middle of a file. */
const flip = (log: LogFixture, name: string) =>
  rewrite(log, name, (text) => {
    const middle = Math.floor(text.length / 2);
    return `${text.slice(0, middle)}${String.fromCharCode(text.charCodeAt(middle) ^ 1)}${text.slice(middle + 1)}`;
  });

const remove = (log: LogFixture, name: string) => rmSync(join(log.folder, name));

/** Decides a commit and dies. */
async function decideOnly(log: LogFixture): Promise<void> {
  const storage = intercepted('storage', log.options.storage, (call, phase, path) => {
    if (call === 'storage.create' && phase === 'after' && path === commitPath(4)) throw new Killed();
  });
  await expect(log.run({ storage })).rejects.toBeInstanceOf(Killed);
}

/** What someone does to the log, and what the next run works with, if it differs. */
type Tampering = (log: LogFixture) => unknown;
type Options = (log: LogFixture) => Partial<Log>;

const nothing: Tampering = () => undefined;

const tampering: readonly [what: string, condition: (typeof FATAL_CONDITIONS)[number], Tampering, Options?][] = [
  [
    'a tile stands where the next one belongs',
    'file-differs',
    (log) => writeFileSync(join(log.folder, 'tile/0/000.p/9'), 'x'),
  ],
  [
    'a checkpoint stands where the next one belongs',
    'file-differs',
    (log) => writeFileSync(join(log.folder, checkpointPath(4)), readFileSync(join(log.folder, checkpointPath(2)))),
  ],
  [
    'a stranger has signed the checkpoint of a decision',
    'file-differs',
    async (log) => {
      await decideOnly(log);
      const text = formatCheckpoint({ origin: log.options.origin, ...log.commit(4).to });
      const stranger = newSigner(log.options.origin);
      writeFileSync(join(log.folder, checkpointPath(4)), await signNote(text, [stranger], AbortSignal.timeout(1000)));
    },
  ],
  [
    'the newest commit is spelt otherwise',
    'file-differs',
    (log) => rewrite(log, commitPath(3), (text) => text.replace(',', ', ')),
  ],
  [
    'the newest commit has another number',
    'file-differs',
    (log) => writeFileSync(join(log.folder, commitPath(3)), formatCommit({ ...log.commit(3), n: 2 })),
  ],
  ['a commit of the window is changed', 'file-differs', (log) => flip(log, commitPath(2))],
  ['the checkpoint is no note', 'file-differs', (log) => writeFileSync(join(log.folder, 'checkpoint'), 'x')],
  [
    'the signature of the checkpoint is wrong',
    'file-differs',
    (log) => rewrite(log, 'checkpoint', (text) => text.replace('\n6\n', '\n7\n')),
  ],
  ['a tile of hashes is changed', 'root-differs', (log) => flip(log, 'tile/0/000.p/6')],
  ['a tile of hashes is cut short', 'root-differs', (log) => writeFileSync(join(log.folder, 'tile/0/000.p/6'), 'x')],
  ['a tile of hashes is gone', 'root-differs', (log) => remove(log, 'tile/0/000.p/6')],
  ['a bundle of entries is changed', 'root-differs', (log) => flip(log, 'tile/entries/000.p/6')],
  [
    'a bundle of entries is cut short',
    'root-differs',
    (log) => writeFileSync(join(log.folder, 'tile/entries/000.p/6'), 'x'),
  ],
  [
    'a commit that is not published has another root',
    'root-differs',
    async (log) => {
      await decideOnly(log);
      const commit = log.commit(4);
      writeFileSync(
        join(log.folder, commitPath(4)),
        formatCommit({ ...commit, to: { ...commit.to, root: Buffer.alloc(32) } }),
      );
    },
  ],
  [
    'the newest commit has another root than the checkpoint',
    'root-differs',
    (log) => {
      const commit = log.commit(3);
      writeFileSync(
        join(log.folder, commitPath(3)),
        formatCommit({ ...commit, to: { ...commit.to, root: Buffer.alloc(32) } }),
      );
    },
  ],
  [
    'another key is configured',
    'key-unknown',
    nothing,
    (log) => ({ signers: async () => [newSigner(log.options.origin)] }),
  ],
  [
    'the log has another name',
    'key-unknown',
    nothing,
    () => ({ origin: 'another/log', signers: async () => [newSigner('another/log')] }),
  ],
  ['the clock is behind that of the storage', 'clock-differs', nothing, () => ({ correction: () => 10_000 })],
  ['the clock is ahead of that of the storage', 'clock-differs', nothing, () => ({ correction: () => -10_000 })],
  ['the clock is behind the newest commit', 'clock-differs', (log) => log.clock.set(log.newest().time - 6000)],
  ['the newest commit is gone', 'rolled-back', (log) => remove(log, commitPath(3))],
  ['a commit of the window is gone', 'rolled-back', (log) => remove(log, commitPath(2))],
  ['every commit is gone', 'rolled-back', (log) => rmSync(join(log.folder, 'commits'), { recursive: true })],
  [
    'the checkpoint is that of the commit before',
    'rolled-back',
    (log) => writeFileSync(join(log.folder, 'checkpoint'), readFileSync(join(log.folder, checkpointPath(2)))),
  ],
  ['the checkpoint is gone', 'rolled-back', (log) => remove(log, 'checkpoint')],
  [
    'the checkpoint is rolled back before the decision of a run that died',
    'rolled-back',
    async (log) => {
      await decideOnly(log);
      writeFileSync(join(log.folder, 'checkpoint'), readFileSync(join(log.folder, checkpointPath(2))));
    },
  ],
  [
    'the newest commit and the floor are gone',
    'rolled-back',
    (log) => remove(log, commitPath(3)),
    (log) => ({ table: { ...log.options.table, getFloor: async () => 0 } }),
  ],
  ['the floor is too high', 'rolled-back', (log) => log.options.table.raiseFloor(4, AbortSignal.timeout(1000))],
  [
    'checkpoint and commit are rolled back, and the floor is not',
    'rolled-back',
    (log) => {
      writeFileSync(join(log.folder, 'checkpoint'), readFileSync(join(log.folder, checkpointPath(2))));
      remove(log, commitPath(3));
    },
  ],
  [
    'the floor and every commit are gone, and the checkpoint is not',
    'rolled-back',
    (log) => {
      rmSync(join(log.folder, 'commits'), { recursive: true });
    },
    (log) => ({ table: { ...log.options.table, getFloor: async () => 0 } }),
  ],
];

test.each(tampering)('%s: %s, and nothing is written', async (_what, condition, tamper, change) => {
  const log = await openLog();
  await tamper(log);
  const options = change?.(log) ?? {};
  const before = log.files();
  await expect(log.run(options)).rejects.toMatchObject({ name: 'FatalError', condition });
  const after = log.files();
  // A tile of entries can be stored before one that differs; nothing is signed or decided.
  const written = [...after.keys()].filter((path) => !before.has(path));
  if (condition !== 'file-differs') expect(written).toEqual([]);
  expect(after.get('checkpoint')).toEqual(before.get('checkpoint'));
  await expect(log.run(options)).rejects.toMatchObject({ condition });
});

test('every condition that stops the log has its cases, and there are five', () => {
  expect(new Set(tampering.map(([, condition]) => condition))).toEqual(new Set(FATAL_CONDITIONS));
  expect(FATAL_CONDITIONS).toHaveLength(5);
});

test('a table that lost its floor is no reason to stop: the bucket shows all that there was', async () => {
  const log = await openLog();
  expect(await log.run({ table: { ...log.options.table, getFloor: async () => 0 } })).toMatchObject({ appended: 3 });
  await log.expectWhole();
});
