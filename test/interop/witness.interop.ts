/** litewitness of torchwood, a real witness, cosigns the checkpoints of the sequencer. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { formatTlogProof } from '../../cli/proof/evidence/statement.ts';
import { verify } from '../../cli/proof/evidence/verify.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { type Policy, parsePolicy } from '../../functions/c2sp/policy.ts';
import { tilePath } from '../../functions/c2sp/tiles.ts';
import { treeReader } from '../../functions/c2sp/treeReader.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { formatReceipt } from '../../functions/receipts/receiptFormat.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { newSigner, newWitness } from '../c2sp/keys.ts';
import { type LogWorld, MINUTE_MS, openLog, type Running, start, world } from '../setup/world.ts';
import { buildPrograms, NO_GO, type Programs } from './programs.ts';

const NAMES = ['one.example/witness', 'two.example/witness'];

let programs: Programs | undefined;
let log: LogWorld;
let logKey: string;
let witnesses: Awaited<ReturnType<typeof startLitewitness>>[] = [];
let policy: Policy;
let policyFile: string;
const running: Running[] = [];
const go = () => programs as Programs;

/** Starts a program and waits until its output has a match. @returns the match */
async function startUntil(command: readonly string[], pattern: RegExp): Promise<string> {
  const program = start(command);
  running.push(program);
  const ended = program.ended.then(({ stderr }) => {
    throw new Error(`${command[0]} has ended: ${stderr}`);
  });
  const wait = async () => {
    for (;;) {
      const [, found] = pattern.exec(program.output()) ?? [];
      if (found !== undefined) return found;
      await sleep(20);
    }
  };
  return Promise.race([wait(), ended]);
}

/** Starts a witness that watches one log. Its tool for that needs a module that is not in every proxy. */
async function startLitewitness(name: string, index: number) {
  const [socket, database] = [join(go().folder, `agent${index}`), join(go().folder, `witness${index}.db`)];
  const fingerprint = await startUntil([go().pathOf('ailog-interop'), 'agent', socket], /(SHA256:\S+)\n/);
  const port = 20_000 + ((process.pid * 2 + index) % 20_000);
  const vkey = await startUntil(
    [
      ...[go().pathOf('litewitness'), '-name', name, '-db', database, '-ssh-agent', socket],
      ...['-key', fingerprint, '-listen', `127.0.0.1:${port}`],
    ],
    /vkey=(\S+).*listening/s,
  );
  const rows = new DatabaseSync(database);
  const empty = { size: 0, hash: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' };
  const origin = logKey.split('+')[0] as string;
  rows.prepare('INSERT INTO log VALUES (?, ?, ?)').run(origin, empty.size, empty.hash);
  rows.prepare('INSERT INTO key VALUES (?, ?)').run(origin, logKey);
  return {
    name,
    vkey,
    url: `http://127.0.0.1:${port}/`,
    /** Returns the size of the checkpoint that the witness saw last. */
    seen: () => Number(rows.prepare('SELECT tree_size FROM log').get()?.tree_size),
    close: () => rows.close(),
  };
}

beforeAll(async () => {
  programs = await buildPrograms();
  if (!programs) return;
  log = await world().sequenced();
  const [signer] = await log.options.signers(AbortSignal.timeout(1000));
  logKey = formatVerifierKey((signer as ReturnType<typeof newSigner>).key);
  witnesses = await Promise.all(NAMES.map(startLitewitness));
  const text = [
    `log ${logKey}`,
    ...witnesses.map(({ vkey, url }, index) => `witness w${index} ${vkey} ${url}`),
    'group both all w0 w1',
    'quorum both\n',
  ].join('\n');
  policy = parsePolicy(text);
  policyFile = join(go().folder, 'witnessed.policy');
  writeFileSync(policyFile, text);
});
afterAll(async () => {
  for (const witness of witnesses) witness.close();
  for (const { kill } of running) kill('SIGTERM');
  await Promise.all(running.map(({ ended }) => ended));
});
beforeEach(({ skip }) => {
  if (!programs) skip(NO_GO);
});

const run = () => log.run({ witnesses: policy });
const grow = async () => {
  await log.grow(300);
};
const signed = (from = log) => String(from.files().get('checkpoint'));
const published = (): OpenedCheckpoint => openCheckpoint(signed(), policy);
const seen = () => witnesses.map((witness) => witness.seen());

test('two witnesses cosign every checkpoint: the quorum is reached, for torchwood too', async () => {
  await run();
  for (let round = 0; round < 3; round += 1) {
    await grow();
    const { size, quorumMissed } = await run();
    expect(quorumMissed).toBe(false);
    expect(seen()).toEqual([size, size]);
    expect(published()).toMatchObject({ size, quorum: true });
    const { cosigned, ...opened } = JSON.parse(await go().ask(['checkpoint', policyFile], signed()));
    expect(opened).toEqual({ origin: 'localhost/ailog', size });
    expect(cosigned).toEqual(
      Object.fromEntries(NAMES.map((name, index) => [name, published().cosigned.get(`w${index}`)])),
    );
  }
});

test('torchwood verifies a proof file by the policy with its quorum, and none without the cosignatures', async () => {
  const { size } = published();
  const reader = treeReader(async (tile) => log.files().get(tilePath(tile)) as Uint8Array, size);
  const file = formatTlogProof(5, await reader.inclusionProof(5), signed());
  const entry = log.leaves()[5] as string;
  await go().ask(['proof-file', policyFile, entry], file);
  const unwitnessed = file.replace(/— one\.example.*\n/, '');
  expect((await go().call(['proof-file', policyFile, entry], unwitnessed)).stderr).toContain(
    'policy components satisfied',
  );
  const [changed] = [
    file.replace(
      /(— one\.example\S+ \S{20})(.)/,
      (_all: string, kept: string, one: string) => kept + (one === 'A' ? 'B' : 'A'),
    ),
  ];
  expect((await go().call(['proof-file', policyFile, entry], changed)).stderr).toContain('invalid signature');
});

test('torchwood opens a checkpoint that our own witness cosigned', async () => {
  const witness = newWitness('ours.example');
  const text = signed().slice(0, signed().indexOf('\n\n') + 1);
  const cosigned = signed() + witness.cosign(text, 1_763_112_660);
  const path = join(go().folder, 'ours.policy');
  writeFileSync(path, `log ${logKey}\nwitness ours ${formatVerifierKey(witness.key)}\nquorum ours\n`);
  expect(JSON.parse(await go().ask(['checkpoint', path], cosigned)).cosigned).toEqual({
    'ours.example': 1_763_112_660,
  });
});

test('a witness that missed checkpoints answers 409, and cosigns from the size that it saw', async () => {
  const before = published().size;
  await grow();
  await log.run();
  await grow();
  const body = `old ${before + 300}\n\n${signed()}`;
  const conflict = await fetch(`${witnesses[0]?.url}add-checkpoint`, { method: 'POST', body });
  expect([conflict.status, await conflict.text()]).toEqual([409, `${before}\n`]);
  expect(await run()).toMatchObject({ quorumMissed: false, size: before + 600 });
  expect(seen()).toEqual([before + 600, before + 600]);
});

test('an idle log gets new cosignatures of the same size', async () => {
  const { size } = published();
  log.clock.advance(10 * MINUTE_MS);
  expect(await run()).toMatchObject({ quorumMissed: false, size });
  expect(seen()).toEqual([size, size]);
});

test('an old checkpoint that witnesses cosign again for anyone, after the deadline, makes no entry late', async () => {
  const [text = '', signatures = ''] = signed().split('\n\n');
  const own = `${text}\n\n${signatures.split('\n').find((line) => line.startsWith('— localhost/ailog '))}\n`;
  const { size } = published();
  const again = await Promise.all(
    witnesses.map(async ({ url }) => {
      const response = await fetch(`${url}add-checkpoint`, { method: 'POST', body: `old ${size}\n\n${own}` });
      return (await response.text()).replace(/.*\n(?=.)/s, '');
    }),
  );
  const receipts = newSigner('localhost/ailog/receipts');
  const receivedAt = log.clock.now() - 60_000;
  const [entryId, bodySha256] = [`${receivedAt}-${'0'.repeat(32)}`, '0'.repeat(64)];
  const promise = { origin: 'localhost/ailog', uid: '1001', entryId, receivedAt, bodySha256 };
  const said = { ...promise, entryHash: log.leaves()[5] as string, deadline: receivedAt + 10 * MINUTE_MS };
  const receipt = await signNote(formatReceipt(said), [receipts], AbortSignal.timeout(10_000));
  const reader = treeReader(async (tile) => log.files().get(tilePath(tile)) as Uint8Array, size);
  const proof = (await reader.inclusionProof(5)).map((hash) => hash.toString('base64'));
  const lines = [{ checkpoint: own + again.join('') }, { receipt, index: 5, proof }];
  const trusted = parsePolicy(`# receipts ${formatVerifierKey(receipts.key)}\n${readFileSync(policyFile, 'utf8')}`);
  const evidence = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const verdicts = await Array.fromAsync(verify([evidence], { policy: trusted }));
  expect(verdicts.map(({ word, wrong }) => [word, wrong])).toEqual([
    ['ok', []],
    ['ok', []],
  ]);
  expect(verdicts[1]?.facts.place?.seenBy).toBeGreaterThan(said.deadline);
});

test('a witness refuses a fork by the same key, however often it is asked, and goes on with the log', async () => {
  const before = published().size;
  const other = await world();
  const fork = await openLog({ ...other, runOptions: { ...other.runOptions, signers: log.options.signers } });
  await fork.run();
  for (let round = 0; round < 3; round += 1) {
    await fork.grow(before);
    // The fork grows beyond what the witnesses saw, and is published without them.
    const { quorumMissed, witnessFailures } = await fork.run({ witnesses: policy });
    expect([quorumMissed, Object.keys(witnessFailures).sort()]).toEqual([true, ['w0', 'w1']]);
    expect(seen()).toEqual([before, before]);
  }
  await grow();
  expect(await run()).toMatchObject({ quorumMissed: false });
});
