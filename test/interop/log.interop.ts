/**
 * The files, proofs and notes of this project in the hands of other people's programs: transparency-dev's fsck and
 * merkle, golang.org/x/mod and torchwood.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatTlogProof } from '../../cli/proof/evidence/statement.ts';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { leafHashOf } from '../../functions/c2sp/hashing.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { formatPolicy, parsePolicy } from '../../functions/c2sp/policy.ts';
import { verifyConsistency, verifyInclusion } from '../../functions/c2sp/proofs.ts';
import { tilePath } from '../../functions/c2sp/tiles.ts';
import { treeReader } from '../../functions/c2sp/treeReader.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { checkpointPath } from '../../functions/tlog/paths.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { newSigner } from '../c2sp/keys.ts';
import { eventOf, execute, type LogWorld, notes, signedUpload, startServer, world } from '../setup/world.ts';
import { buildPrograms, NO_GO, type Programs } from './programs.ts';

/** Around the widths of tiles: C2SP tlog-tiles names those of 256 and of 70 000 leaves. */
const SIZES = [3, 255, 256, 257, 70_000];

let programs: Programs | undefined;
let log: LogWorld;
let files: Map<string, Uint8Array>;
let server: Awaited<ReturnType<typeof startServer>>;
let vkey: string;
/** The path of the checkpoint of each size. */
const paths = new Map<number, string>();
/** Bytes that are served instead of a file, by the path of the file. */
const replaced = new Map<string, Uint8Array>();
/** The programs, in a test: without them, it is skipped. */
const go = () => programs as Programs;

beforeAll(async () => {
  programs = await buildPrograms();
  if (!programs) return;
  log = await world().sequenced();
  const [signer] = await log.options.signers(AbortSignal.timeout(1000));
  vkey = formatVerifierKey((signer as Awaited<ReturnType<typeof log.options.signers>>[0]).key);
  await log.run();
  for (const [index, size] of SIZES.entries()) {
    await log.grow(size - (SIZES[index - 1] ?? 0));
    await log.run();
    paths.set(size, checkpointPath(log.newest().n));
  }
  files = log.files();
  // The log as it was at each size: /<size>/checkpoint is the checkpoint of that size.
  server = await startServer(({ url = '' }, response) => {
    const [, size, file] = /^\/(\d+)\/(.*)$/.exec(url) ?? [];
    const path = file === 'checkpoint' ? (paths.get(Number(size)) as string) : String(file);
    const bytes = replaced.get(path) ?? files.get(path);
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
});
beforeEach(({ skip }) => {
  replaced.clear();
  if (!programs) skip(NO_GO);
});

const file = (path: string): Buffer => Buffer.from(files.get(path) as Uint8Array);
const urlOf = (size: number) => `${server.url}/${size}/`;
const checkpointOf = (size: number) => file(paths.get(size) as string).toString();
const readerOf = (size: number) => treeReader(async (tile) => file(tilePath(tile)), size);
const policyOf = (text: string) => {
  const path = join(go().folder, 'tlog.policy');
  writeFileSync(path, text);
  return { path, parsed: parsePolicy(text) };
};

describe('fsck of transparency-dev', () => {
  /** Returns what fsck writes. Its exit code is 0 whatever it finds. */
  const fsck = async (size: number): Promise<string> => {
    const key = join(go().folder, 'log.vkey');
    writeFileSync(key, vkey);
    // With fewer workers than tiles, it waits forever after a bad tile.
    const { stderr } = await execute([
      ...[go().pathOf('fsck'), '-storage_url', urlOf(size), '-public_key', key],
      ...['-N', '600', '-ui=false'],
    ]);
    return stderr;
  };

  test.each(SIZES)('a log of %i leaves is whole', async (size) => {
    const words = await fsck(size);
    expect(words).toContain(`Successfully fsck'd log with size ${size} and root`);
    expect(words).not.toContain('fsck failed');
  });

  test.each([
    ['tile/entries/000', 40],
    ['tile/entries/273.p/112', 34 * 112 - 1],
    ['tile/0/000', 0],
    ['tile/0/272', 8191],
    ['tile/0/273.p/112', 100],
    ['tile/1/000', 1000],
    ['tile/1/001.p/17', 17 * 32 - 1],
    ['tile/2/000.p/1', 31],
    ['checkpoint', 'localhost/ailog\n7'.length],
    ['checkpoint', 'localhost/ailog\n70000\nAAAA'.length],
    ['checkpoint', -10],
  ])('a changed byte in %s at %i is found', async (name, position) => {
    const path = name === 'checkpoint' ? (paths.get(70_000) as string) : name;
    const bytes = file(path);
    const at = position < 0 ? bytes.length + position : position;
    // A digit and a base64 character stay one.
    bytes[at] = path.startsWith('check')
      ? '123456789'.charCodeAt((bytes[at] as number) % 9)
      : (bytes[at] as number) ^ 1;
    expect(bytes).not.toEqual(file(path));
    replaced.set(path, bytes);
    const words = await fsck(70_000);
    expect(words).toContain('fsck failed');
    expect(words).not.toContain('Successfully');
  });

  test('a tile that is missing is found', async () => {
    files.delete('tile/1/000');
    expect(await fsck(70_000)).toContain('fsck failed');
    files = log.files();
  });
});

test.each(SIZES)("torchwood's client reads every entry of a log of %i leaves", async (size) => {
  const entries = (await go().ask(['entries', urlOf(size), vkey])).trimEnd().split('\n');
  expect(entries).toEqual(log.leaves().slice(0, size));
});

test("torchwood's client rejects an entry that is not in the tree", async () => {
  const bundle = file('tile/entries/001.p/1');
  replaced.set('tile/entries/001.p/1', bundle.fill(7, 2));
  expect(await go().call(['entries', urlOf(257), vkey])).toMatchObject(notes(1, 'hash mismatch for entry 256'));
});

interface Proofs {
  readonly Size: number;
  readonly Root: string;
  readonly Inclusion: readonly { Index: number; Entry: string; Proof?: string[] }[];
  readonly Consistency: readonly { Size: number; Root: string; Proof?: string[] }[];
}

describe.each([255, 256, 257, 70_000])('proofs in a log of %i leaves', (size) => {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const bytesOf = (proof: readonly string[] | undefined) => (proof ?? []).map((hash) => Buffer.from(hash, 'base64'));
  const indexes = [0, 1, 127, 128, 254, 255, 256, 65_535, 65_536, 69_887, 69_888, 69_999].filter((one) => one < size);
  const earlier = [3, 255, 256, 257].filter((one) => one <= size);

  const wanted = (): Proofs => ({
    Size: size,
    Root: checkpointOf(size).split('\n')[2] as string,
    Inclusion: indexes.map((Index) => ({ Index, Entry: base64(Buffer.from(log.leaves()[Index] as string, 'hex')) })),
    Consistency: earlier.map((Size) => ({ Size, Root: checkpointOf(Size).split('\n')[2] as string })),
  });
  const ours = async (): Promise<Proofs> => {
    const [reader, { Inclusion, Consistency, ...tree }] = [readerOf(size), wanted()];
    const text = (proof: readonly Uint8Array[]) => proof.map(base64);
    return {
      ...tree,
      Inclusion: await Promise.all(
        Inclusion.map(async (one) => ({ ...one, Proof: text(await reader.inclusionProof(one.Index)) })),
      ),
      Consistency: await Promise.all(
        Consistency.map(async (one) => ({ ...one, Proof: text(await reader.consistencyProof(one.Size)) })),
      ),
    };
  };
  const judged = async (proofs: Proofs) => JSON.parse(await go().ask(['verify'], JSON.stringify(proofs)));

  test('golang.org/x/mod and transparency-dev/merkle accept ours', async () => {
    const proofs = await ours();
    expect(await judged(proofs)).toEqual(Array(indexes.length + earlier.length).fill(['tlog', 'merkle']));
  });

  test('both reject ours for another entry, another tree or with a changed hash', async () => {
    const proofs = await ours();
    const flip = (text: string) => {
      const bytes = Buffer.from(text, 'base64');
      bytes[0] = (bytes[0] as number) ^ 1;
      return base64(bytes);
    };
    const none = Array(indexes.length + earlier.length).fill([]);
    expect(await judged({ ...proofs, Root: flip(proofs.Root) })).toEqual(none);
    const changed = {
      ...proofs,
      Inclusion: proofs.Inclusion.map((one) => ({ ...one, Entry: flip(one.Entry) })),
      Consistency: proofs.Consistency.map((one) => ({ ...one, Root: flip(one.Root) })),
    };
    expect(await judged(changed)).toEqual(none);
  });

  test('golang.org/x/mod makes the same proofs from the tiles, and ours accepts them', async () => {
    const made: Proofs = JSON.parse(await go().ask(['prove', urlOf(size), vkey], JSON.stringify(wanted())));
    expect(made).toEqual(await ours());
    const root = Buffer.from(made.Root, 'base64');
    for (const { Index: index, Entry, Proof } of made.Inclusion) {
      const leafHash = leafHashOf(Buffer.from(Entry, 'base64'));
      expect(verifyInclusion(bytesOf(Proof), { index, size, leafHash, root })).toBe(true);
    }
    for (const { Size, Root, Proof } of made.Consistency) {
      const from = { size: Size, root: Buffer.from(Root, 'base64') };
      expect(verifyConsistency(bytesOf(Proof), from, { size, root })).toBe(true);
    }
  });
});

describe('notes', () => {
  test('golang.org/x/mod opens a checkpoint, and rejects a changed one and another key', async () => {
    const signed = checkpointOf(257);
    expect(JSON.parse(await go().ask(['note', vkey], signed))).toEqual({
      text: signed.slice(0, signed.indexOf('\n\n') + 1),
      signedBy: ['localhost/ailog'],
      ignored: 0,
    });
    expect((await go().call(['note', vkey], signed.replace('\n257\n', '\n258\n'))).stderr).toContain(
      'invalid signature',
    );
    const other = formatVerifierKey(newSigner('localhost/ailog').key);
    expect((await go().call(['note', other], signed)).stderr).toContain('no verifiable signatures');
  });

  test('a checkpoint that two keys sign during a rotation opens with each of them', async () => {
    const [before] = await log.options.signers(AbortSignal.timeout(1000));
    const after = newSigner('localhost/ailog');
    const rotated = await world().sequenced();
    await rotated.run({ signers: async () => [before as typeof after, after] });
    const signed = String(rotated.files().get('checkpoint'));
    for (const keys of [[vkey], [formatVerifierKey(after.key)], [vkey, formatVerifierKey(after.key)]]) {
      const opened = JSON.parse(await go().ask(['note', ...keys], signed));
      expect(opened).toMatchObject({ signedBy: keys.map(() => 'localhost/ailog'), ignored: 2 - keys.length });
      const policy = policyOf([...keys.map((key) => `log ${key}`), 'quorum none\n'].join('\n'));
      expect(JSON.parse(await go().ask(['checkpoint', policy.path], signed))).toMatchObject({ size: 0 });
      expect(openCheckpoint(signed, policy.parsed)).toMatchObject({ size: 0 });
    }
  });

  test('with the policy as it is exported, the log is valid, and a tree that the receipt key signed is not', async () => {
    const receiptSigner = newSigner('localhost/ailog/receipts');
    const { path, parsed } = policyOf(formatPolicy({ logs: [vkey], receipts: [formatVerifierKey(receiptSigner.key)] }));
    expect(JSON.parse(await go().ask(['checkpoint', path], checkpointOf(256)))).toMatchObject({ size: 256 });
    for (const origin of ['localhost/ailog', 'localhost/ailog/receipts']) {
      const text = formatCheckpoint({ origin, size: 1, root: Buffer.alloc(32, 1) });
      const rogue = await signNote(text, [receiptSigner], AbortSignal.timeout(1000));
      expect((await go().call(['checkpoint', path], rogue)).exitCode).not.toBe(0);
      expect(() => openCheckpoint(rogue, parsed)).toThrow('No trusted key');
    }
  });

  test('golang.org/x/mod opens the receipt of an upload, and rejects a changed one', async () => {
    const fixture = await world();
    const team = await fixture.team();
    const answer = await createHandler(fixture.dependencies())(eventOf(signedUpload(team)), {} as Context);
    const receipt = Buffer.from(String(answer.headers?.['AI-LOG-RECEIPT']), 'base64').toString();
    const keys = [await fixture.makeReceiptKey()];
    const { text, signedBy } = JSON.parse(await go().ask(['note', ...keys], receipt));
    expect(signedBy).toEqual(['localhost/ailog/receipts']);
    expect(text).toMatch(new RegExp(`^ai-log-receipt/v1\nlocalhost/ailog\n${team.uid}\n`));
    const changed = receipt.replace(`\n${team.uid}\n`, `\n${team.uid}1\n`);
    expect((await go().call(['note', ...keys], changed)).stderr).toContain('invalid signature');
  });
});

describe('proof files', () => {
  const ownPolicy = () => `log ${vkey}\nquorum none\n`;
  const proofFile = async (index: number) =>
    formatTlogProof(index, await readerOf(70_000).inclusionProof(index), checkpointOf(70_000));

  test.each([0, 255, 256, 65_535, 69_999])('torchwood verifies the file of entry %i of 70 000', async (index) => {
    const { path } = policyOf(ownPolicy());
    const entry = log.leaves()[index] as string;
    await go().ask(['proof-file', path, entry], await proofFile(index));
  });

  test.each([
    ['another entry', (text: string) => text, 8, 'verification failed for index 7'],
    ['another index', (text: string) => text.replace('index 7', 'index 8'), 7, 'verification failed for index 8'],
    ['another size', (text: string) => text.replace('\n70000\n', '\n70001\n'), 7, 'invalid signature'],
    ['another version', (text: string) => text.replace('@v1', '@v2'), 7, 'missing header'],
    ['one hash fewer', (text: string) => text.replace(/\n[^\n]{43}=\n/, '\n'), 7, 'verification failed'],
  ])('torchwood rejects %s', async (_what, change, entryIndex, message) => {
    const { path } = policyOf(ownPolicy());
    const changed = change(await proofFile(7));
    const entry = log.leaves()[entryIndex] as string;
    expect((await go().call(['proof-file', path, entry], changed)).stderr).toContain(message);
  });
});
