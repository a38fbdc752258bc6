import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sizesOf } from '../../../cli/audit/listing.ts';
import { parsePath } from '../../../cli/audit/logPath.ts';
import { policyText } from '../../../cli/inclusion/policyText.ts';
import { folderStorage } from '../../../cli/local/sequenceFolder.ts';
import { formatCheckpoint } from '../../../functions/c2sp/checkpoint.ts';
import { signNote } from '../../../functions/c2sp/note.ts';
import { parsePolicy } from '../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { Sequencer } from '../../../functions/sequencer/sequence.ts';
import { openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { newSigner, newWitness } from '../../c2sp/keys.ts';
import { type LogFixture, openLogFixture } from '../../sequencer/logFixture.ts';
import { runCommand } from '../../setup/commandLine.ts';
import { openFixture } from '../../setup/fixture.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';
import { MINUTE_MS } from '../../setup/time.ts';

let log: LogFixture;
let policy: string;
/** Checkpoints as somebody may have kept them, by their size. */
const kept = new Map<number, string>();

beforeAll(async () => {
  log = await openLogFixture(await openFixture({ receiptKey: false }));
  const publish = async (count: number) => {
    await log.upload(count);
    log.clock.advance(MINUTE_MS);
    await log.run();
    const checkpoint = readFileSync(join(log.folder, 'checkpoint'), 'utf8');
    kept.set((await log.head()).size, checkpoint);
  };
  await log.run();
  for (const count of [3, 40, 213, 256, 40, 5]) await publish(count);
  policy = policyText({ keys: (await log.head()).keys });
});

/** A copy of the log, and the audit of it. */
function openCopy() {
  const cwd = temporaryFolder();
  cpSync(log.folder, join(cwd, 'copy'), { recursive: true });
  writeFileSync(join(cwd, 'tlog.policy'), policy);
  const path = (file: string) => join(cwd, 'copy', file);
  return {
    cwd,
    path,
    write: (file: string, bytes: string | Uint8Array) => writeFileSync(path(file), bytes),
    read: (file: string) => readFileSync(path(file)),
    async audit(...args: string[]) {
      const words = ['tlog', 'audit', '--log', 'copy', '--policy', 'tlog.policy', '--json', ...args];
      const { exitCode, stdout, stderr } = await runCommand(words, { cwd });
      if (stdout === '') throw new Error(stderr);
      return { exitCode, stderr, ...JSON.parse(stdout) };
    },
  };
}

/** Returns true if a finding names a file. */
const names = (file: string) => (finding: { path?: string; problem: string }) =>
  finding.path === file || finding.problem.includes(`${file} `);

test('a log that nobody changed is consistent, from its files and the policy alone', async () => {
  const copy = openCopy();
  const { size, keys } = await log.head();
  expect(await copy.audit()).toMatchObject({
    exitCode: 0,
    ok: true,
    origin: 'localhost/ailog',
    size,
    checkpoints: 7,
    keys: keys.length,
    notChecked: [],
    findings: [],
  });
  expect(existsSync(join(copy.cwd, 'ailog-audit.work'))).toBe(false);
  const { exitCode, stdout, stderr } = await runCommand(
    ['tlog', 'audit', '--log', 'copy', '--policy', 'tlog.policy'],
    copy,
  );
  expect([exitCode, stderr]).toEqual([0, 'The log is consistent.\n']);
  expect(stdout).toMatch(/^log +localhost\/ailog, entries: 559, root \S+\n/);
  expect(stdout).toContain('not compared: no target');
});

describe('one change of a file is noticed, and the file is named:', () => {
  const flip = (bytes: Buffer, at: number) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.of((bytes[at] as number) ^ 1), bytes.subarray(at + 1)]);
  // biome-ignore format: one case a line
  const changes: [name: string, change: (bytes: Buffer) => Buffer | undefined][] = [
    ['the last byte', (bytes) => flip(bytes, bytes.length - 1)],
    ['a byte more', (bytes) => Buffer.concat([bytes, Buffer.of(0)])],
    ['no file', () => undefined],
  ];

  test.each(changes)('%s', async (_name, change) => {
    const copy = openCopy();
    const files = readdirSync(copy.path(''), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name).slice(copy.path('').length).replace(/^\//, ''));
    expect(files).toHaveLength(35);
    const unnoticed: string[] = [];
    for (const file of files) {
      const bytes = copy.read(file);
      const changed = change(bytes);
      if (changed) copy.write(file, changed);
      else rmSync(copy.path(file));
      const { exitCode, findings } = await copy.audit();
      const named =
        findings.some(names(file)) ||
        (file.startsWith('staging/') && findings.some(names(`checkpoints/${file.split('-')[1]}`)));
      if (exitCode !== 1 || !named) unnoticed.push(`${file}: ${JSON.stringify(findings)}`);
      copy.write(file, bytes);
    }
    expect(unnoticed).toEqual([]);
    expect((await copy.audit()).exitCode).toBe(0);
  });
});

test.each(['checkpoint', 'checkpoints/258'])('every line of %s counts', async (file) => {
  const copy = openCopy();
  const lines = copy.read(file).toString().split('\n').slice(0, -1);
  expect(lines).toHaveLength(5);
  const unnoticed: string[] = [];
  for (const [at, line] of lines.entries()) {
    const changed = line === '' ? 'x' : `${line.slice(0, -2)}${line.at(-2) === 'A' ? 'B' : 'A'}${line.at(-1)}`;
    for (const other of [[changed], [], [line, line], [line, 'an extension']]) {
      copy.write(file, `${lines.toSpliced(at, 1, ...other).join('\n')}\n`);
      const { exitCode, findings } = await copy.audit();
      // The same signature twice, or empty lines around it, say nothing else.
      const isHarmless = at === 4 && other.length === 2 && other[1] === line;
      if (!isHarmless && (exitCode !== 1 || !findings.some(names(file)))) unnoticed.push(`${at}: ${other}`);
    }
  }
  expect(unnoticed).toEqual([]);
});

// biome-ignore format: one case a line
test.each([
  ['notes.txt'], ['tile/0/003'], ['tile/0/000.p/7'], ['tile/0/0000'], ['tile/2/000.p/1'], ['tile/0/000.p/256'], ['tile/entries/000.p/0'], ['tile/entries/x000/000'],
  ['checkpoints/7'], ['checkpoints/0258'], ['checkpoints/258.bak'], ['checkpoints/600'], ['staging/0-2'], ['staging/258-300-00'], ['Checkpoint'], ['line\nbreak'],
])('the file %j, which should not be there, is named', async (file) => {
  const copy = openCopy();
  mkdirSync(dirname(copy.path(file)), { recursive: true });
  copy.write(file, 'x');
  const { exitCode, findings, notChecked } = await copy.audit();
  const isBeyond = file === 'tile/0/003' || file === 'tile/2/000.p/1';
  expect(exitCode).toBe(isBeyond ? 5 : 1);
  expect(isBeyond ? notChecked.join() : findings.map(({ problem }: { problem: string }) => problem).join()).toContain(file.replace('\n', '\\n'));
});

describe('a log that was rewritten', () => {
  /** Removes every file of a copy that a tree of this size does not have. */
  function rollBack(copy: ReturnType<typeof openCopy>, size: number): void {
    cpSync(copy.path(''), join(copy.cwd, 'all'), { recursive: true });
    rmSync(copy.path(''), { recursive: true });
    const { files } = log;
    for (const [path, bytes] of files()) {
      const [, checkpoint] = /^checkpoints\/(\d+)$/.exec(path) ?? [];
      const [, staged] = /^staging\/\d+-(\d+)-/.exec(path) ?? [];
      const parsed = parsePath(path);
      const isLater = parsed?.is === 'tile' && sizesOf(parsed.tile)[0] > size;
      if (Number(checkpoint ?? staged ?? 0) > size || isLater) continue;
      mkdirSync(dirname(copy.path(path)), { recursive: true });
      copy.write(path, bytes);
    }
    copy.write('checkpoint', kept.get(size) as string);
  }

  /** Appends other entries to the tree of a copy, with the key of the log. */
  async function fork(copy: ReturnType<typeof openCopy>, size: number, fromSize: number, counts: readonly number[]) {
    const { root } = openCheckpoint(kept.get(size) as string, parsePolicy(policy));
    const head = { ...(await log.head()), size, root, fromSize, fromRoot: root };
    // The forger's own Tlog table takes every claim.
    const heads = { get: async () => head, claim: async () => true };
    const forger = { ...log.options, storage: folderStorage(copy.path('')), heads };
    const sequencer = await Sequencer.open(forger, AbortSignal.timeout(10_000));
    for (const count of counts) await sequencer.append(Array.from({ length: count }, () => randomBytes(32)));
  }

  test('rolled back: a checkpoint that was kept shows it', async () => {
    const copy = openCopy();
    rollBack(copy, 258);
    writeFileSync(join(copy.cwd, 'kept'), kept.get(554) as string);
    expect(await copy.audit()).toMatchObject({ exitCode: 0, size: 258 });
    expect(await copy.audit('--previous', 'kept')).toMatchObject({
      exitCode: 1,
      findings: [
        { kind: 'previous', problem: 'kept was signed for 554 entries, and the log has 258: it was rolled back.' },
      ],
    });
  });

  test('forked from an older size, with all of its files: a checkpoint that was kept shows it', async () => {
    const copy = openCopy();
    rollBack(copy, 258);
    await fork(copy, 258, 45, [256, 40, 9]);
    expect(await copy.audit()).toMatchObject({ exitCode: 0, size: 563 });
    for (const size of [5, 45, 258]) {
      writeFileSync(join(copy.cwd, 'kept'), kept.get(size) as string);
      expect((await copy.audit('--previous', 'kept')).exitCode).toBe(0);
    }
    for (const size of [514, 554, 559]) {
      writeFileSync(join(copy.cwd, `kept-${size}`), kept.get(size) as string);
    }
    const { exitCode, findings } = await copy.audit(
      ...[514, 554, 559].flatMap((size) => ['--previous', `kept-${size}`]),
    );
    expect(exitCode).toBe(1);
    expect(findings).toEqual(
      [514, 554, 559].map((size) => ({
        kind: 'previous',
        path: `kept-${size}`,
        problem: `kept-${size} was signed for the first ${size} entries, and the log has others now: it was forked or rewritten.`,
      })),
    );
  });

  test('forked beside the files of before: its own checkpoints show it', async () => {
    const copy = openCopy();
    rollBack(copy, 258);
    await fork(copy, 258, 45, [100, 300]);
    // The checkpoints of before, which Object Lock keeps.
    for (const size of [514, 554]) copy.write(`checkpoints/${size}`, log.files().get(`checkpoints/${size}`) as Buffer);
    const { exitCode, findings } = await copy.audit();
    expect(exitCode).toBe(1);
    for (const size of [514, 554]) {
      expect(findings).toContainEqual(expect.objectContaining({ kind: 'root', path: `checkpoints/${size}` }));
    }
  });

  test('a checkpoint replaced by an older one', async () => {
    const copy = openCopy();
    copy.write('checkpoint', kept.get(258) as string);
    expect(await copy.audit()).toMatchObject({
      exitCode: 1,
      size: 559,
      findings: [
        {
          kind: 'checkpoint',
          path: 'checkpoint',
          problem: expect.stringContaining('has the size 258, and there is checkpoints/559'),
        },
      ],
    });
  });

  test('a checkpoint that another key signed', async () => {
    const copy = openCopy();
    const text = formatCheckpoint(openCheckpoint(kept.get(554) as string, parsePolicy(policy)));
    copy.write('checkpoints/554', await signNote(text, [newSigner('localhost/ailog')], AbortSignal.timeout(1000)));
    expect(await copy.audit()).toMatchObject({ exitCode: 1, counts: { checkpoint: 1 } });
  });
});

describe('the policy and kept checkpoints', () => {
  // biome-ignore format: one case a line
  test.each([
    ['without a policy', ['--log', 'copy'], 2, /^--log needs --policy\./],
    ['with a target', ['--log', 'copy', '--policy', 'tlog.policy', '--local'], 2, /^--log checks a copy, without a target\./],
    ['a folder that is not there', ['--log', 'nowhere', '--policy', 'tlog.policy'], 2, /^There is no file .*nowhere\./],
    ['an empty folder', ['--log', 'empty', '--policy', 'tlog.policy'], 1, /^The log in .*empty has no checkpoint that can be trusted\. checkpoint is missing\./],
    ['a policy that is none', ['--log', 'copy', '--policy', 'copy/checkpoint'], 2, /is not a policy: Line 1 of the policy/],
    ['the policy of another log', ['--log', 'copy', '--policy', 'other.policy'], 1, /No trusted key/],
    ['a kept checkpoint of another log', ['--log', 'copy', '--policy', 'tlog.policy', '--previous', 'other'], 2, /^other is not a checkpoint that the policy trusts/],
    ['a kept checkpoint that is not there', ['--log', 'copy', '--policy', 'tlog.policy', '--previous', 'x'], 2, /^There is no file .*x\./],
  ])('%s', async (_name, args, exitCode, message) => {
    const copy = openCopy();
    mkdirSync(join(copy.cwd, 'empty'));
    const other = newSigner('other.example/log');
    writeFileSync(join(copy.cwd, 'other.policy'), policyText({ keys: [formatVerifierKey(other.key)] }));
    const text = formatCheckpoint({ origin: 'other.example/log', size: 5, root: Buffer.alloc(32) });
    writeFileSync(join(copy.cwd, 'other'), await signNote(text, [other], AbortSignal.timeout(1000)));
    const ran = await runCommand(['tlog', 'audit', ...args], copy);
    expect(ran).toEqual({ exitCode, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('a key of the policy that is not in the log', async () => {
    const copy = openCopy();
    const key = formatVerifierKey(newSigner('localhost/ailog/receipts').key);
    writeFileSync(join(copy.cwd, 'tlog.policy'), policy.replace(/^log localhost\/ailog\/receipts\S+$/m, `log ${key}`));
    const { exitCode, findings } = await copy.audit();
    expect([exitCode, findings]).toEqual([1, [{ kind: 'key', problem: `The key ${key} has no leaf in the log.` }]]);
  });

  test('a quorum of witnesses that is missed', async () => {
    const copy = openCopy();
    const witness = formatVerifierKey(newWitness('witness.example').key);
    writeFileSync(join(copy.cwd, 'tlog.policy'), policy.replace('quorum none', `witness w ${witness}\nquorum w`));
    expect(await copy.audit()).toMatchObject({ exitCode: 1, counts: { checkpoint: 1 } });
  });
});

test('the commands of docs/proof.md audit a copied folder', async () => {
  const page = readFileSync(new URL('../../../docs/proof.md', import.meta.url), 'utf8');
  const lines = [...page.matchAll(/^ *npx ailog (tlog audit --log .*)$/gm)].map(([, line = '']) => line.split(' '));
  expect(lines).toHaveLength(3);
  const copy = openCopy();
  renameSync(copy.path(''), join(copy.cwd, 'log-copy'));
  writeFileSync(join(copy.cwd, 'kept-checkpoint'), kept.get(258) as string);
  // audit.test.ts gives receipts with --known.
  for (const line of lines.filter((words) => !words.includes('--known'))) {
    expect(await runCommand(line, copy)).toMatchObject({ exitCode: 0, stderr: 'The log is consistent.\n' });
  }
});
