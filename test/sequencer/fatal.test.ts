import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { Entry } from '../../functions/ailog/entry.ts';
import { stagingPath } from '../../functions/tlog/paths.ts';
import { openFixture } from '../setup/fixture.ts';
import { Killed, withIntercept } from './intercept.ts';
import { type LogFixture, openLogFixture } from './logFixture.ts';

const path = (log: LogFixture, name: string) => join(log.folder, name);

/** Changes one bit in the middle of a file. */
function flip(log: LogFixture, name: string): void {
  const bytes = readFileSync(path(log, name));
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] as number) ^ 1;
  writeFileSync(path(log, name), bytes);
}

/** Claims a head and dies. */
async function claimOnly(log: LogFixture): Promise<void> {
  const intercept = (call: string, phase: string) => {
    if (call === 'heads.claim' && phase === 'after') throw new Killed();
  };
  await expect(log.run(withIntercept(log.options, intercept))).rejects.toBeInstanceOf(Killed);
}

/** What someone does to a log of six leaves whose heads had three, six and, where a claim is pending, nine. */
const tampering: Record<
  string,
  [condition: string, (log: LogFixture & { first: readonly Entry[] }) => Promise<unknown> | unknown]
> = {
  'a checkpoint without a head': [
    'storage-ahead',
    (log) => log.db.send(new DeleteCommand({ TableName: log.names.tlog, Key: { id: 'head' } })),
  ],
  'a head that was rolled back': [
    'storage-ahead',
    async (log) => {
      const { fromSize, fromRoot } = await log.head();
      await log.changeHead({ size: fromSize, root: fromRoot, fromSize: 0 });
    },
  ],
  'a head with another root': ['root-differs', (log) => log.changeHead({ root: Buffer.alloc(32, 1) })],
  'a checkpoint that is gone': ['storage-behind', (log) => rmSync(path(log, 'checkpoint'))],
  'a checkpoint of another log': [
    'root-differs',
    (log) => {
      const text = readFileSync(path(log, 'checkpoint'), 'utf8').split('\n');
      writeFileSync(path(log, 'checkpoint'), text.with(2, Buffer.alloc(32, 1).toString('base64')).join('\n'));
    },
  ],
  'a tile of hashes that was changed': ['root-differs', (log) => flip(log, 'tile/0/000.p/6')],
  'a tile of hashes that was cut short': ['root-differs', (log) => writeFileSync(path(log, 'tile/0/000.p/6'), 'short')],
  'a bundle of entries that was changed': ['root-differs', (log) => flip(log, 'tile/entries/000.p/6')],
  'a bundle of entries that is gone': ['file-missing', (log) => rmSync(path(log, 'tile/entries/000.p/6'))],
  'a tile of hashes that is gone': ['file-missing', (log) => rmSync(path(log, 'tile/0/000.p/6'))],
  'another tile where the next one belongs': [
    'file-differs',
    async (log) => {
      await mkdir(dirname(path(log, 'tile/0/000.p/9')), { recursive: true });
      writeFileSync(path(log, 'tile/0/000.p/9'), Buffer.alloc(9 * 32));
    },
  ],
  'another checkpoint where the next one belongs': [
    'file-differs',
    (log) => {
      const other = readFileSync(path(log, 'checkpoint'), 'utf8').replace('\n6\n', '\n9\n');
      writeFileSync(path(log, 'checkpoints/9'), other);
    },
  ],
  'staged entries that were changed after the claim': [
    'root-differs',
    async (log) => {
      await claimOnly(log);
      flip(log, stagingPath(await log.head()));
    },
  ],
  'staged entries that are gone after the claim': [
    'file-missing',
    async (log) => {
      await claimOnly(log);
      rmSync(path(log, stagingPath(await log.head())));
    },
  ],
  'head and checkpoint rolled back together, and the rows removed': [
    'file-differs',
    async (log) => {
      for (const { uid, entryId } of log.first) {
        await log.db.send(new DeleteCommand({ TableName: log.names.aiLogs, Key: { uid, entryId } }));
      }
      const { fromSize, fromRoot } = await log.head();
      writeFileSync(path(log, 'checkpoint'), readFileSync(path(log, `checkpoints/${fromSize}`)));
      await log.changeHead({ size: fromSize, root: fromRoot, fromSize: 0 });
    },
  ],
};

test.each(Object.entries(tampering))(
  '%s stops the log, and nothing is repaired',
  async (_what, [condition, tamper]) => {
    const log = await openLogFixture(await openFixture());
    await log.run();
    const first = await log.grow(3);
    await log.run();
    await log.grow(3);
    await tamper({ ...log, first });
    const newest = log.files().get('checkpoint');
    const hasHead = async () => (await log.head()) !== undefined;
    const before = await hasHead();
    await expect(log.run()).rejects.toMatchObject({ name: 'FatalError', condition });
    await expect(log.run()).rejects.toMatchObject({ condition });
    expect([log.files().get('checkpoint'), await hasHead()]).toEqual([newest, before]);
  },
);
