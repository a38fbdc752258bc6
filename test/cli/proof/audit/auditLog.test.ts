import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderStorage } from '../../../../cli/local/tlogFolder.ts';
import { parsePath } from '../../../../cli/proof/audit/listFiles.ts';
import { policyText } from '../../../../cli/proof/inclusion/trustedKeys.ts';
import { formatCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { type Signer, signNote } from '../../../../functions/c2sp/note.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { formatReceipt, receiptOf } from '../../../../functions/receipts/receiptFormat.ts';
import { Sequencer } from '../../../../functions/sequencer/sequence.ts';
import { openCheckpoint } from '../../../../functions/tlog/openCheckpoint.ts';
import { newSigner, newWitness } from '../../../c2sp/keys.ts';
import { newEntry } from '../../../sequencer/newEntry.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { execute } from '../../../setup/execute.ts';
import { type CopiedLog, flip, names, openCopiedLog } from './copiedLog.ts';

const log = await openCopiedLog();
let copy: ReturnType<typeof log.openCopy>;
beforeEach(() => {
  copy = log.openCopy();
});

test('a log that nobody changed is consistent, from its files and the policy alone', async () => {
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
  const { exitCode, stdout, stderr } = await runCommand(
    ['tlog', 'audit', '--log', 'copy', '--policy', 'tlog.policy'],
    copy,
  );
  expect([exitCode, stderr]).toEqual([0, 'The log is consistent.\n']);
  expect(stdout).toMatch(/^log +localhost\/ailog, entries: 560, root \S+\n/);
  expect(stdout).toContain('not compared: no target');
});

test('a changed file of each kind is named', async () => {
  for (const file of ['checkpoints/46', 'tile/0/000', 'tile/entries/001', 'tile/1/000.p/2', 'tile/0/000.p/46']) {
    const bytes = copy.read(file);
    copy.write(file, flip(bytes, bytes.length - 1));
    const { exitCode, findings } = await copy.audit();
    expect([file, exitCode, findings.some(names(file))]).toEqual([file, 1, true]);
    copy.write(file, bytes);
  }
});

test('a changed entry of a full bundle is named, and no partial bundle that has the entry as it was', async () => {
  copy.write('tile/entries/000', flip(copy.read('tile/entries/000'), 34 * 10 + 5));
  expect((await copy.audit()).findings).toEqual([
    expect.objectContaining({ kind: 'bundle', path: 'tile/entries/000', index: 10 }),
  ]);
});

test('a bundle without its entries and hashes: what comes after it is not checked, and nothing there is called absent', async () => {
  for (const file of ['tile/entries/001', 'tile/0/001']) rmSync(copy.path(file));
  const { exitCode, findings, notChecked } = await copy.audit();
  const named = findings.map(({ path }: { path?: string }) => path).filter(Boolean);
  expect([exitCode, named]).toEqual([1, ['tile/entries/001', 'tile/0/001']]);
  expect(notChecked).toEqual([
    '304 entries of the log, because their files are missing or were changed.',
    'Whether the entries are those that were signed: they do not lead to the root.',
  ]);
});

// biome-ignore format: one case a line
test.each([
  ['notes.txt'], ['tile/0/003'], ['tile/0/000.p/7'], ['tile/0/0000'], ['tile/2/000.p/1'], ['tile/0/000.p/256'], ['tile/entries/000.p/0'], ['tile/entries/x000/000'],
  ['checkpoints/7'], ['checkpoints/0259'], ['checkpoints/259.bak'], ['checkpoints/600'], ['staging/0-2'], ['staging/259-300-00'], ['Checkpoint'], ['line\nbreak'],
])('the file %j, which should not be there, is named', async (file) => {
  mkdirSync(dirname(copy.path(file)), { recursive: true });
  copy.write(file, 'x');
  const { exitCode, findings, notChecked } = await copy.audit();
  const isBeyond = file === 'tile/0/003' || file === 'tile/2/000.p/1';
  expect(exitCode).toBe(isBeyond ? 5 : 1);
  expect(isBeyond ? notChecked.join() : findings.map(({ problem }: { problem: string }) => problem).join()).toContain(file.replace('\n', '\\n'));
});

test.each(['tile/5/x999/999', 'tile/63/000', 'tile/99/x999/999.p/1'])(
  '%s, of a tree of no size, is no file of a log',
  async (file) => {
    mkdirSync(dirname(copy.path(file)), { recursive: true });
    copy.write(file, '');
    const { exitCode, findings } = await copy.audit();
    expect([exitCode, findings]).toEqual([1, [expect.objectContaining({ kind: 'file', path: file })]]);
  },
);

test.each(['folder', 'pipe', 'device'])('a %s in the place of a file is no file, and the audit ends', async (what) => {
  for (const file of ['checkpoint', 'tile/entries/001', 'tile/1/000.p/2']) {
    const path = copy.path(file);
    rmSync(path);
    if (what === 'folder') mkdirSync(path);
    else if (what === 'pipe') await execute(['mkfifo', path]);
    else symlinkSync('/dev/zero', path);
    const { exitCode, findings } = await copy.audit();
    expect([exitCode, findings]).toEqual([1, expect.arrayContaining([expect.objectContaining({ path: file })])]);
  }
});

test('a file in the place of a folder is no file of the log, and the audit ends', async () => {
  rmSync(copy.path('tile/1'), { recursive: true });
  copy.write('tile/1', '');
  expect(await copy.audit()).toMatchObject({ exitCode: 1 });
});

describe('a log that was rewritten', () => {
  /** Removes every file of a copy that a tree of this size does not have. */
  function rollBack(copy: ReturnType<CopiedLog['openCopy']>, size: number): void {
    cpSync(copy.path(''), join(copy.cwd, 'all'), { recursive: true });
    rmSync(copy.path(''), { recursive: true });
    const { files } = log;
    for (const [path, bytes] of files()) {
      const [, checkpoint] = /^checkpoints\/(\d+)$/.exec(path) ?? [];
      const [, staged] = /^staging\/\d+-(\d+)-/.exec(path) ?? [];
      const parsed = parsePath(path);
      const isLater = parsed?.kind === 'tile' && parsed.position > size;
      if (Number(checkpoint ?? staged ?? 0) > size || isLater) continue;
      mkdirSync(dirname(copy.path(path)), { recursive: true });
      copy.write(path, bytes);
    }
    copy.write('checkpoint', log.kept.get(size) as string);
  }

  /** Appends other entries to the tree of a copy, with the key of the log. */
  async function fork(
    copy: ReturnType<CopiedLog['openCopy']>,
    size: number,
    fromSize: number,
    counts: readonly number[],
  ) {
    const { root } = openCheckpoint(log.kept.get(size) as string, parsePolicy(log.policy));
    const head = { ...(await log.head()), size, root, fromSize, fromRoot: root };
    // The forger's own Tlog table takes every claim.
    const heads = { get: async () => head, claim: async () => true };
    const forger = { ...log.options, storage: folderStorage(copy.path('')), heads };
    const sequencer = await Sequencer.open(forger, AbortSignal.timeout(10_000));
    for (const count of counts) await sequencer.append(Array.from({ length: count }, () => randomBytes(32)));
  }

  test('rolled back: a checkpoint that was kept shows it', async () => {
    rollBack(copy, 259);
    writeFileSync(join(copy.cwd, 'kept'), log.kept.get(555) as string);
    expect(await copy.audit()).toMatchObject({ exitCode: 0, size: 259 });
    expect(await copy.audit('--previous', 'kept')).toMatchObject({
      exitCode: 1,
      findings: [
        { kind: 'previous', problem: 'kept was signed for 555 entries, and the log has 259: it was rolled back.' },
      ],
    });
  });

  test('forked from an older size, with all of its files: a checkpoint that was kept shows it', async () => {
    rollBack(copy, 259);
    await fork(copy, 259, 46, [256, 40, 9]);
    expect(await copy.audit()).toMatchObject({ exitCode: 0, size: 564 });
    for (const size of [6, 46, 259]) {
      writeFileSync(join(copy.cwd, 'kept'), log.kept.get(size) as string);
      expect((await copy.audit('--previous', 'kept')).exitCode).toBe(0);
    }
    for (const size of [515, 555, 560]) {
      writeFileSync(join(copy.cwd, `kept-${size}`), log.kept.get(size) as string);
    }
    const { exitCode, findings } = await copy.audit(
      ...[515, 555, 560].flatMap((size) => ['--previous', `kept-${size}`]),
    );
    expect(exitCode).toBe(1);
    expect(findings).toEqual(
      [515, 555, 560].map((size) => ({
        kind: 'previous',
        path: `kept-${size}`,
        problem: `kept-${size} was signed for the first ${size} entries, and the log has others now: it was forked or rewritten.`,
      })),
    );
  });

  test('forked beside the files of before: its own checkpoints show it', async () => {
    rollBack(copy, 259);
    await fork(copy, 259, 46, [100, 300]);
    // The checkpoints of before, which Object Lock keeps.
    for (const size of [515, 555]) copy.write(`checkpoints/${size}`, log.files().get(`checkpoints/${size}`) as Buffer);
    const { exitCode, findings } = await copy.audit();
    expect(exitCode).toBe(1);
    for (const size of [515, 555]) {
      expect(findings).toContainEqual(expect.objectContaining({ kind: 'root', path: `checkpoints/${size}` }));
    }
  });

  test('a checkpoint replaced by an older one', async () => {
    copy.write('checkpoint', log.kept.get(259) as string);
    expect(await copy.audit()).toMatchObject({
      exitCode: 1,
      size: 560,
      findings: [
        {
          kind: 'checkpoint',
          path: 'checkpoint',
          problem: expect.stringContaining('has the size 259, and there is checkpoints/560'),
        },
      ],
    });
  });

  test('a checkpoint that another key signed', async () => {
    const text = formatCheckpoint(openCheckpoint(log.kept.get(555) as string, parsePolicy(log.policy)));
    copy.write('checkpoints/555', await signNote(text, [newSigner('localhost/ailog')], AbortSignal.timeout(1000)));
    expect(await copy.audit()).toMatchObject({ exitCode: 1, counts: { checkpoint: 1 } });
  });

  test('a checkpoint of another size, or of another log of the policy, in its place', async () => {
    const path = 'checkpoints/555';
    copy.write(path, log.kept.get(259) as string);
    const size = await copy.audit();
    expect(size.findings).toEqual([{ kind: 'checkpoint', path, problem: `${path} is that of size 259.` }]);

    const other = newSigner('other.example/log');
    writeFileSync(join(copy.cwd, 'tlog.policy'), `log ${formatVerifierKey(other.key)}\n${log.policy}`);
    const opened = openCheckpoint(log.kept.get(555) as string, parsePolicy(log.policy));
    const text = formatCheckpoint({ ...opened, origin: 'other.example/log' });
    copy.write(path, await signNote(text, [other], AbortSignal.timeout(1000)));
    const { findings } = await copy.audit();
    expect(findings).toEqual([{ kind: 'checkpoint', path, problem: `${path} is of another log, other.example/log.` }]);
  });
});

describe('the policy and kept checkpoints', () => {
  // biome-ignore format: one case a line
  test.each([
    ['without a policy', ['--log', 'copy'], 2, /^--log needs --policy\./],
    ['with a target', ['--log', 'copy', '--policy', 'tlog.policy', '--local'], 2, /^--log checks a copy, without a target\./],
    ['a folder that is not there', ['--log', 'nowhere', '--policy', 'tlog.policy'], 2, /^There is no file .*nowhere\./],
    ['an empty folder', ['--log', 'empty', '--policy', 'tlog.policy'], 1, /^The log in .*empty has no checkpoint that can be trusted\. checkpoint is missing\./],
    ['a policy that is none', ['--log', 'copy', '--policy', 'copy/checkpoint'], 2, /is not a trust policy: Line 1 of the policy/],
    ['the policy of another log', ['--log', 'copy', '--policy', 'other.policy'], 1, /No trusted key/],
    ['a kept checkpoint of another log', ['--log', 'copy', '--policy', 'tlog.policy', '--previous', 'other'], 2, /^other is not a checkpoint that the policy trusts/],
    ['a kept checkpoint that is not there', ['--log', 'copy', '--policy', 'tlog.policy', '--previous', 'x'], 2, /^There is no file .*x\./],
  ])('%s', async (_name, args, exitCode, message) => {
    mkdirSync(join(copy.cwd, 'empty'));
    const other = newSigner('other.example/log');
    writeFileSync(join(copy.cwd, 'other.policy'), policyText({ keys: [formatVerifierKey(other.key)] }));
    const text = formatCheckpoint({ origin: 'other.example/log', size: 5, root: Buffer.alloc(32) });
    writeFileSync(join(copy.cwd, 'other'), await signNote(text, [other], AbortSignal.timeout(1000)));
    const ran = await runCommand(['tlog', 'audit', ...args], copy);
    expect(ran).toEqual({ exitCode, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('a kept checkpoint and a receipt of another log of the policy are no evidence against this one', async () => {
    const names = ['other.example/log', 'other.example/log/receipts'];
    const [signer, receipts] = names.map((name) => newSigner(name)) as [Signer, Signer];
    const keys = [signer, receipts].map(({ key }) => formatVerifierKey(key));
    writeFileSync(join(copy.cwd, 'tlog.policy'), `log ${keys[0]}\n# receipts ${keys[1]}\n${log.policy}`);
    const never = new AbortController().signal;
    const text = formatCheckpoint({ origin: names[0] as string, size: 3, root: randomBytes(32) });
    writeFileSync(join(copy.cwd, 'kept'), await signNote(text, [signer], never));
    const receipt = formatReceipt(receiptOf(names[0] as string, newEntry(1_763_112_660_000)));
    writeFileSync(join(copy.cwd, 'receipt'), await signNote(receipt, [receipts], never));
    const words = ['tlog', 'audit', '--log', 'copy', '--policy', 'tlog.policy'];
    for (const [option, file] of [
      ['--previous', 'kept'],
      ['--known', 'receipt'],
    ] as const) {
      const { exitCode, stdout, stderr } = await runCommand([...words, option, file], copy);
      expect([exitCode, stdout, stderr]).toEqual([
        2,
        '',
        expect.stringContaining('of another log, other.example/log.'),
      ]);
    }
  });

  test('a key of the policy that is not in the log', async () => {
    const key = formatVerifierKey(newSigner('localhost/ailog/receipts').key);
    writeFileSync(join(copy.cwd, 'tlog.policy'), log.policy.replace(/^# receipts \S+$/m, `# receipts ${key}`));
    const { exitCode, findings } = await copy.audit();
    expect([exitCode, findings]).toEqual([1, [{ kind: 'key', problem: `The key ${key} has no leaf in the log.` }]]);
  });

  test('a quorum of witnesses that is missed', async () => {
    const witness = formatVerifierKey(newWitness('witness.example').key);
    writeFileSync(join(copy.cwd, 'tlog.policy'), log.policy.replace('quorum none', `witness w ${witness}\nquorum w`));
    expect(await copy.audit()).toMatchObject({ exitCode: 1, counts: { checkpoint: 1 } });
    mkdirSync(copy.path('cosigned'));
    copy.write('cosigned/259', copy.read('checkpoints/259'));
    const { findings } = await copy.audit();
    const problem = 'cosigned/259 misses the quorum of witnesses that the policy requires.';
    expect(findings).toContainEqual({ kind: 'checkpoint', path: 'cosigned/259', problem });
  });
});

test('the commands of docs/proof.md audit a copied folder', async () => {
  const page = readFileSync(new URL('../../../../docs/proof.md', import.meta.url), 'utf8');
  const lines = [...page.matchAll(/^ *npx ailog (tlog audit --log .*)$/gm)].map(([, line = '']) => line.split(' '));
  expect(lines).toHaveLength(3);
  renameSync(copy.path(''), join(copy.cwd, 'log-copy'));
  writeFileSync(join(copy.cwd, 'kept-checkpoint'), log.kept.get(259) as string);
  // audit.slow.ts gives receipts with --known.
  for (const line of lines.filter((words) => !words.includes('--known'))) {
    expect(await runCommand(line, copy)).toMatchObject({ exitCode: 0, stderr: 'The log is consistent.\n' });
  }
});
