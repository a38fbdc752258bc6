import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { HASH_BYTES, leafHashOf } from '../../functions/c2sp/hashing.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { partialTiles, rootOfEdge } from '../../functions/c2sp/rightEdge.ts';
import { bundledEntry, tilePath } from '../../functions/c2sp/tiles.ts';
import { BATCH_LEAVES } from '../../functions/sequencer/appendArrivals.ts';
import type { TlogStorage } from '../../functions/sequencer/storage.ts';
import { openFixture } from '../setup/fixture.ts';
import { HOUR_MS, MINUTE_MS } from '../setup/time.ts';
import { withIntercept } from './intercept.ts';
import { type LogFixture, openLogFixture } from './logFixture.ts';

/** Each has a level more than the one before, or as many. */
const SIZES = [100_100, 1_000_100, 10_000_100, 100_000_100];

const TILE_BYTES = 256 * HASH_BYTES;

/** The part of the constants of the code at which logs are simulated. */
const SCALE = 1 / 100;

/**
 * Gives a log that has run once the tree of another size: random hashes at its right edge, which is all that an append
 * reads. What is older than the window of a run is not there, so a run that reads it ends with an error.
 */
async function grow(log: LogFixture, size: number): Promise<void> {
  const store = (path: string, bytes: Uint8Array | string) => {
    mkdirSync(dirname(join(log.folder, path)), { recursive: true });
    writeFileSync(join(log.folder, path), bytes);
  };
  const { hashes: tiles, bundle } = partialTiles(size);
  const entries = Array.from({ length: bundle?.width ?? 0 }, () => randomBytes(HASH_BYTES));
  if (bundle) store(tilePath(bundle), Buffer.concat(entries.map(bundledEntry)));
  const hashes = tiles.map((tile, level) =>
    level === 0 ? Buffer.concat(entries.map(leafHashOf)) : randomBytes((tile?.width ?? 0) * HASH_BYTES),
  );
  for (const [level, tile] of tiles.entries()) if (tile) store(tilePath(tile), hashes[level] as Buffer);
  const root = rootOfEdge({ size, hashes, bundle: new Uint8Array() });
  const never = new AbortController().signal;
  const text = formatCheckpoint({ origin: log.options.origin, size, root });
  const signed = await signNote(text, await log.options.signers(never), never);
  for (const path of ['checkpoint', `checkpoints/${size}`]) store(path, signed);
  const marks = [{ cursor: log.clock.now() - 100 * HOUR_MS, size }];
  await log.changeHead({ size, root, fromSize: size, fromRoot: root, marks });
}

/** Counts what a run does: its calls, and the bytes of files that it reads and writes. */
async function measured(log: LogFixture, windowMs: number) {
  const counts = { calls: 0, bytes: 0 };
  const { storage } = log.options;
  const counted: TlogStorage = {
    async get(path, signal) {
      const file = await storage.get(path, signal);
      counts.bytes += file?.bytes.length ?? 0;
      return file;
    },
    create(path, bytes, signal) {
      counts.bytes += bytes.length;
      return storage.create(path, bytes, signal);
    },
    replace(path, bytes, etag, signal) {
      counts.bytes += bytes.length;
      return storage.replace(path, bytes, etag, signal);
    },
  };
  const options = withIntercept({ ...log.options, storage: counted, windowMs }, (call, phase) => {
    if (phase === 'before' && !call.startsWith('signer')) counts.calls += 1;
  });
  return { outcome: await log.run(options), ...counts };
}

test('what a run does and keeps does not grow with the log, up to a hundred million entries', async () => {
  const batch = Math.floor(BATCH_LEAVES * SCALE);
  const windowMs = 10 * MINUTE_MS * SCALE;
  const runs: { append: Awaited<ReturnType<typeof measured>>; look: Awaited<ReturnType<typeof measured>> }[] = [];
  for (const size of SIZES) {
    const log = await openLogFixture(await openFixture());
    await log.run();
    await grow(log, size);
    // The first run puts a new mark after the tree.
    log.clock.advance(HOUR_MS);
    await log.run();
    await log.upload(batch);
    log.clock.advance(MINUTE_MS);
    const append = await measured(log, windowMs);
    const { cursor } = await log.head();
    await log.changeHead({ looked: cursor - 49 * HOUR_MS });
    const look = await measured(log, windowMs);
    runs.push({ append, look });
    expect(append.outcome).toMatchObject({ appended: batch, late: 0, size: size + batch });
    expect(look.outcome).toMatchObject({ appended: 0, found: 0 });
    expect((await log.run()).size).toBe(size + batch);
  }
  const [first, ...others] = runs;
  if (!first) throw new Error('no run');
  for (const [index, { append, look }] of others.entries()) {
    // A level more is a partial tile to read and one to write. Its width and that of the others are those of the size.
    const [levels, tiles] = [index + 1, partialTiles(SIZES[index + 1] as number).hashes.length];
    expect(append.calls - first.append.calls).toBeLessThanOrEqual(2 * levels);
    expect(look.calls - first.look.calls).toBeLessThanOrEqual(levels);
    expect(append.bytes - first.append.bytes).toBeLessThanOrEqual(2 * tiles * TILE_BYTES);
    expect(look.bytes - first.look.bytes).toBeLessThanOrEqual(tiles * TILE_BYTES);
  }
});
