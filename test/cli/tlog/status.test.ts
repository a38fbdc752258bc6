import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inspectLog } from '../../../cli/tlog/inspectLog.ts';
import { rawPublicKeyOf, signEd25519 } from '../../../functions/tlog/ed25519.ts';
import type { Head } from '../../../functions/tlog/logTable.ts';
import { formatSignature, parseNote, type Signer, signNote } from '../../../functions/tlog/note.ts';
import { parsePolicy } from '../../../functions/tlog/policy.ts';
import { formatVerifierKey, verifierKey } from '../../../functions/tlog/verifierKey.ts';
import { type LoggedData, openLoggedData } from './loggedData.ts';

const MINUTE = 60_000;

let data: LoggedData;
let head: Head;
let checkpoint: string;
beforeAll(async () => {
  data = await openLoggedData();
  await data.upload();
  await data.sequence();
  head = await data.head();
  checkpoint = readFileSync(join(data.logFolder, 'checkpoint'), 'utf8');
});
afterAll(() => data.engine.stop());

const problemsOf = (change: Partial<Parameters<typeof inspectLog>[0]>, later = 0) =>
  inspectLog(
    { origin: 'localhost/ailog', head, signed: checkpoint, witnesses: undefined, ...change },
    head.cursor + later,
  ).problems;

/** A signer with a new key. */
function newSigner(name: string, type: 'note' | 'cosignature' = 'note'): Signer {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    key: verifierKey(name, rawPublicKeyOf(privateKey), type),
    sign: async (message) => signEd25519(privateKey, message),
  };
}
const never = new AbortController().signal;

describe('ailog tlog status', () => {
  test('describes a log that is in order', async () => {
    const { exitCode, stdout, stderr } = await data.ailog(['tlog', 'status']);
    expect([exitCode, stderr]).toEqual([0, 'The log is in order.\n']);
    expect(stdout).toMatch(/^origin +localhost\/ailog\nsize +3\nroot +\S{43}=\nsigned by +[0-9a-f]{8}\n/);
    expect(stdout).toMatch(/\nhead +published, written .*\nhas come to +.* ago\n/);
    const { problems, size, checkpointKeys, receiptKeys, signers } = JSON.parse(
      (await data.ailog(['tlog', 'status', '--json'])).stdout,
    );
    expect([problems, size, checkpointKeys, receiptKeys.length]).toEqual([[], 3, signers, 1]);
  });

  test('says what is wrong, and the exit code is 1', async () => {
    const path = join(data.logFolder, 'checkpoint');
    renameSync(path, `${path}.away`);
    const ran = await data.ailog(['tlog', 'status']);
    renameSync(`${path}.away`, path);
    expect(ran).toMatchObject({ exitCode: 1, stderr: 'The head has the size 3, and there is no checkpoint.\n' });
  });

  test('says so if there is no head', async () => {
    const { db, names } = data.fixture;
    await db.send(new DeleteCommand({ TableName: names.log, Key: { id: 'head' } }));
    const ran = await data.ailog(['tlog', 'status']);
    await db.send(new PutCommand({ TableName: names.log, Item: head }));
    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('the Log table has no head') });
  });
});

describe('the state of a log', () => {
  test('is in order within five minutes', () => {
    expect(problemsOf({}, 5 * MINUTE)).toEqual([]);
    expect(problemsOf({}, 5 * MINUTE + 1)).toEqual([
      expect.stringMatching(/^The sequencer is behind: .* 5 min ago\.$/),
    ]);
  });

  test('is in order while a claimed head is published, and wrong if that takes longer', () => {
    const claimed = {
      ...head,
      fromSize: head.size,
      fromRoot: head.root,
      size: 9,
      root: Buffer.alloc(32),
      writtenAt: head.cursor,
    };
    expect(problemsOf({ head: claimed })).toEqual([]);
    expect(problemsOf({ head: claimed }, 2 * MINUTE)).toEqual([
      'The head of size 9 was claimed 2 min ago and is not published. The checkpoint has the size 3.',
    ]);
  });

  // biome-ignore format: one case a line
  test.each<[string, () => Partial<Parameters<typeof inspectLog>[0]>, string]>([
    ['a checkpoint of another head', () => ({ head: { ...head, size: 9, fromSize: 8 } }), 'it is not a checkpoint of this head'],
    ['a larger checkpoint: the head was rolled back', () => ({ head: { ...head, size: 1, fromSize: 0 } }), 'The checkpoint has the size 3, and the head 1'],
    ['another root', () => ({ head: { ...head, root: Buffer.alloc(32) } }), 'another root than the head'],
    ['a checkpoint of another log', () => ({ origin: 'example.com/log' }), 'of another log, localhost/ailog'],
    ['no signature of a known key', () => ({ head: { ...head, keys: [] } }), 'No trusted key of the log localhost/ailog signed'],
    ['a file that is no checkpoint', () => ({ signed: 'x' }), 'The newest checkpoint cannot be read.'],
    ['a wrong signature', () => ({ signed: checkpoint.replace('\n3\n', '\n4\n') }), 'is wrong'],
    ['an hourly reconciliation that is overdue', () => ({ head: { ...head, hourly: { begunAt: 1, doneAt: 1 } } }), 'The hourly reconciliation was last done'],
    ['a daily reconciliation that is overdue', () => ({ head: { ...head, daily: { begunAt: 1, doneAt: 1 } } }), 'The daily reconciliation was last done'],
  ])('%s is wrong', (_name, change, problem) => {
    expect(problemsOf(change()).join('\n')).toContain(problem);
  });

  test('a signature of an unknown key by the name of the log is wrong', async () => {
    const stranger = newSigner('localhost/ailog');
    const { text, signatures } = parseNote(checkpoint);
    const added = parseNote(await signNote(text, [stranger], never)).signatures;
    const signed = `${text}\n${[...signatures, ...added].map(formatSignature).join('')}`;
    expect(problemsOf({ signed })).toEqual([
      expect.stringMatching(/^The checkpoint has a signature of the key [0-9a-f]{8}, which is not in/),
    ]);
  });

  test('a missed quorum of witnesses is wrong', () => {
    const witnesses = `witness w ${formatVerifierKey(newSigner('w.example', 'cosignature').key)}\nquorum w\n`;
    expect(problemsOf({ witnesses })).toEqual([
      'The checkpoint has fewer cosignatures than the quorum of the witnesses.',
    ]);
  });
});

describe('ailog tlog export-policy', () => {
  test('has a line for each key of checkpoints and receipts', async () => {
    const { exitCode, stdout } = await data.ailog(['tlog', 'export-policy']);
    expect(exitCode).toBe(0);
    expect(parsePolicy(stdout).logs.map(({ key }) => key.name)).toEqual([
      'localhost/ailog',
      'localhost/ailog/receipts',
    ]);
    expect(JSON.parse((await data.ailog(['tlog', 'export-policy', '--json'])).stdout).policy).toBe(stdout);
  });

  test('writes a file, and never over another', async () => {
    const path = join(data.folder, 'log.policy');
    const { stdout } = await data.ailog(['tlog', 'export-policy']);
    expect(await data.ailog(['tlog', 'export-policy', '-o', 'log.policy'])).toMatchObject({ exitCode: 0, stdout: '' });
    expect(readFileSync(path, 'utf8')).toBe(stdout);
    writeFileSync(path, 'mine');
    expect(await data.ailog(['tlog', 'export-policy', '-o', 'log.policy'])).toMatchObject({ exitCode: 2 });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    rmSync(path);
  });
});
