import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import { inspectLog } from '../../../../cli/proof/inclusion/inspectLog.ts';
import { policyText, trustedKeys } from '../../../../cli/proof/inclusion/trustedKeys.ts';
import { folderFiles } from '../../../../cli/store/targets/tlogFiles.ts';
import { formatCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { formatSignature, parseNote, signNote } from '../../../../functions/c2sp/note.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { rootOfEdge } from '../../../../functions/c2sp/rightEdge.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { arrivalKeysOf } from '../../../../functions/tlog/arrival.ts';
import { entryHashOf, keyPreimage } from '../../../../functions/tlog/entryHash.ts';
import type { Head, LoggedKey } from '../../../../functions/tlog/tlogTable.ts';
import { newSigner, newWitness } from '../../../c2sp/keys.ts';
import { entriesOf, memoryLog } from '../../../c2sp/trees.ts';
import { notes } from '../../../setup/outcome.ts';
import { MINUTE_MS } from '../../../setup/time.ts';
import { openLoggedData } from './loggedData.ts';

const data = await openLoggedData();
afterAll(() => data.engine.stop());
await data.upload();
await data.sequence();
const head = await data.head();
const checkpoint = readFileSync(join(data.logFolder, 'checkpoint'), 'utf8');
const named = { receiptKeys: undefined, size: 4 };
const found = await trustedKeys('localhost/ailog', { ...named, keys: head.keys }, folderFiles(data.logFolder));

/** The keys of the log, with the policy of those that are trusted and of the witnesses. */
function keysWith(witnesses?: string, trusted = found.trusted) {
  const text = policyText({ keys: trusted.map(({ key }) => key), witnesses });
  return { ...found, trusted, policy: parsePolicy(text), policyText: text };
}

const inspect = (change: Partial<Parameters<typeof inspectLog>[0]>, later = 0) =>
  inspectLog(
    { origin: 'localhost/ailog', head, signed: checkpoint, keys: keysWith(), later: [], ...change },
    head.cursor + later,
  );
const problemsOf = (...args: Parameters<typeof inspect>) => inspect(...args).problems;

const never = new AbortController().signal;

describe('ailog tlog status', () => {
  test('describes a log that is in order', async () => {
    const { exitCode, stdout, stderr } = await data.ailog(['tlog', 'status']);
    expect([exitCode, stderr]).toEqual([0, 'The log is in order.\n']);
    const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
    // biome-ignore format: several a line
    const lines = [
      'origin +localhost/ailog', 'size +4', 'root +\\S{43}=', 'signed by +[0-9a-f]{8}',
      `head +published, written ${time}`, `has come to +${time}, .+ ago`, 'checkpoint keys +[0-9a-f]{8}',
      'receipt keys +[0-9a-f]{8}', `looked again up to +${time}`,
    ];
    expect(stdout).toMatch(new RegExp(`^${lines.join('\n')}\n$`));
    const { problems, size, checkpointKeys, receiptKeys, signers } = JSON.parse(
      (await data.ailog(['tlog', 'status', '--json'])).stdout,
    );
    expect([problems, size, checkpointKeys, receiptKeys.length]).toEqual([[], 4, signers, 1]);
  });

  test('says what is wrong, and the exit code is 1', async () => {
    const path = join(data.logFolder, 'checkpoint');
    renameSync(path, `${path}.away`);
    const ran = await data.ailog(['tlog', 'status']);
    renameSync(`${path}.away`, path);
    expect(ran).toMatchObject({ exitCode: 1, stderr: 'The head has the size 4, and there is no checkpoint.\n' });
  });

  test('says so if there is no head', async () => {
    const { db, names } = data.fixture;
    await db.send(new DeleteCommand({ TableName: names.tlog, Key: { id: 'head' } }));
    const ran = await data.ailog(['tlog', 'status']);
    await db.send(new PutCommand({ TableName: names.tlog, Item: head }));
    expect(ran).toMatchObject(notes(1, 'the Tlog table has no head'));
  });

  test.each<[name: keyof Head, value: unknown]>([
    ['keys', undefined],
    ['keys', [null]],
    ['marks', 'none'],
    ['marks', [1]],
    ['root', 'x'],
    ['size', -1],
    ['cursor', 'x'],
    ['cursor', 8.64e15 + 1],
    ['contradictions', { w: 1 }],
  ])('a head in which somebody damaged %s is named, also by other commands: %j', async (name, value) => {
    const { db, names } = data.fixture;
    const [entry] = await data.fixture.entriesOf(data.team.uid);
    const { [name]: _, ...rest } = head;
    await db.send(
      new PutCommand({ TableName: names.tlog, Item: { ...rest, ...(value !== undefined && { [name]: value }) } }),
    );
    const commands = [
      ['tlog', 'status'],
      ['tlog', 'export-policy'],
      ['prove', String(entry?.entryId), '-o', 'damaged'],
    ];
    const ran = await Promise.all(commands.map((words) => data.ailog(words)));
    await db.send(new PutCommand({ TableName: names.tlog, Item: head }));
    const stderr = expect.stringMatching(new RegExp(`^The head of the log of \\S.* cannot be read: ${name}\\.\n`));
    expect(ran).toEqual(commands.map(() => expect.objectContaining({ exitCode: 1, stdout: '', stderr })));
  });
});

describe('the state of a log', () => {
  test('is in order within five minutes', () => {
    expect(problemsOf({}, 5 * MINUTE_MS)).toEqual([]);
    expect(problemsOf({}, 5 * MINUTE_MS + 1)).toEqual([
      expect.stringMatching(/^The sequencer is behind: .* 5 min ago\.$/),
    ]);
  });

  test('is in order while a claimed head is published, and wrong if that takes a minute', () => {
    const { root, size, cursor } = head;
    const later = { ...head, fromSize: size, fromRoot: root, size: 9, root: Buffer.alloc(32) };
    const claimed = { ...later, writtenAt: cursor + MINUTE_MS };
    expect(problemsOf({ head: claimed }, MINUTE_MS)).toEqual([]);
    expect(problemsOf({ head: claimed }, 2 * MINUTE_MS - 1)).toEqual([]);
    expect(problemsOf({ head: claimed }, 2 * MINUTE_MS)).toEqual([
      'The head of size 9 was claimed 1 min ago and is not published. The checkpoint has the size 4.',
    ]);
  });

  test('without a checkpoint is that of an empty log', () => {
    const empty = { ...head, size: 0, looked: 0 };
    expect(inspect({ head: empty, signed: undefined }, 1499)).toMatchObject({
      size: 0,
      root: null,
      signers: [],
      cosigned: {},
      quorum: false,
      headSize: 0,
      cursor: new Date(head.cursor).toISOString(),
      lagSeconds: 1,
      lookedAgain: null,
      problems: [],
    });
  });

  // biome-ignore format: one case a line
  test.each<[string, () => Partial<Parameters<typeof inspectLog>[0]>, string]>([
    ['another root, auditHead.test.ts has more', () => ({ head: { ...head, root: Buffer.alloc(32) } }), 'its root is not that of the newest checkpoint'],
    ['a checkpoint of another log', () => ({ origin: 'example.com/log' }), 'of another log, localhost/ailog'],
    ['no signature of a known key', () => ({ keys: keysWith(undefined, []) }), 'No trusted key of the log localhost/ailog signed'],
    ['a file that is not a checkpoint', () => ({ signed: 'x' }), 'The newest checkpoint cannot be read.'],
    ['a wrong signature', () => ({ signed: checkpoint.replace('\n4\n', '\n5\n') }), 'is wrong'],
    ['a key in the head that is none of the log', () => ({ keys: { ...keysWith(), problems: ['The key x is not trusted.'] } }), 'The key x is not trusted.'],
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

  test('a quorum of witnesses is reached by its cosignature', async () => {
    const { key, cosign } = newWitness('w.example');
    const witnesses = `witness w ${formatVerifierKey(key)}\nquorum w\n`;
    const seconds = 1_763_000_000;
    const signed = checkpoint + cosign(parseNote(checkpoint).text, seconds);
    const state = inspect({ signed, keys: keysWith(witnesses) });
    expect([state.problems, state.quorum, state.cosigned]).toEqual([
      [],
      true,
      { w: new Date(seconds * 1000).toISOString() },
    ]);
    expect(state.signers).toEqual(state.checkpointKeys);
  });

  test('a witness that contradicts the log is named, with what it says', () => {
    const contradictions = { w: 'It has seen 9 leaves, and there are 4.' };
    expect(problemsOf({ head: { ...head, contradictions } })).toEqual([
      'The witness w contradicts the log. It has seen 9 leaves, and there are 4.',
    ]);
  });

  test('a missed quorum of witnesses is wrong', () => {
    const witnesses = `witness w ${formatVerifierKey(newWitness('w.example').key)}\nquorum w\n`;
    expect(problemsOf({ keys: keysWith(witnesses) })).toEqual([
      'The checkpoint has fewer cosignatures than the quorum of the witnesses.',
    ]);
  });
});

describe('ailog tlog export-policy', () => {
  test('has a line for each key of checkpoints and receipts', async () => {
    const { exitCode, stdout } = await data.ailog(['tlog', 'export-policy']);
    expect(exitCode).toBe(0);
    const { logs, receipts } = parsePolicy(stdout);
    expect(logs.map(({ key }) => key.name)).toEqual(['localhost/ailog']);
    expect(receipts.map(({ name }) => name)).toEqual(['localhost/ailog/receipts']);
    expect(JSON.parse((await data.ailog(['tlog', 'export-policy', '--json'])).stdout).policy).toBe(stdout);
  });

  test.each<[string, () => readonly LoggedKey[], string]>([
    [
      'of somebody else',
      () => [{ ...(head.keys[0] as LoggedKey), key: formatVerifierKey(newSigner('localhost/ailog').key) }],
      'is not its own',
    ],
    [
      'of somebody else, at another index',
      () => [{ key: formatVerifierKey(newSigner('localhost/ailog/receipts').key), index: 3, size: 4 }],
      'is not its own',
    ],
    ['that stands there twice', () => head.keys.slice(0, 1), 'it is there twice'],
    ['that is none', () => [{ key: 'x', index: 0, size: 3 }], 'A verifier key is'],
  ])('leaves out a key %s, and says so; status says the same', async (_name, more, says) => {
    const { stdout } = await data.ailog(['tlog', 'export-policy']);
    await data.changeHead({ keys: [...head.keys, ...more()] });
    const ran = await data.ailog(['tlog', 'export-policy']);
    const status = await data.ailog(['tlog', 'status']);
    await data.changeHead({ keys: head.keys });
    expect(ran).toMatchObject({ exitCode: 1, stdout, stderr: expect.stringContaining('in the head is not trusted: ') });
    expect(ran.stderr).toContain(says);
    expect(status).toMatchObject(notes(1, says));
  });

  test('without any key to trust, status says what to do with data of an earlier version, and others lead to it', async () => {
    const key = formatVerifierKey(newSigner('localhost/ailog').key);
    await data.changeHead({ keys: [{ ...(head.keys[0] as LoggedKey), key }] });
    const status = await data.ailog(['tlog', 'status']);
    const verified = await data.ailog(['logs', 'verify']);
    await data.changeHead({ keys: head.keys });
    expect(status.stderr).toContain(
      '\nIf an earlier version made the data, delete the folder .local: npm start makes it again.\n',
    );
    expect(verified.stderr).toContain('signed the checkpoint. ailog tlog status says more.\n');
  });

  test('trusts no key that only signed a checkpoint over its own leaf, unless it is the first one', async () => {
    const forger = newSigner('localhost/ailog');
    const key = formatVerifierKey(forger.key);
    const tree = memoryLog();
    tree.append([...entriesOf(5), entryHashOf(keyPreimage(key))]);
    const text = formatCheckpoint({ origin: 'localhost/ailog', size: 6, root: rootOfEdge(tree.edge()) });
    const forged = new Map(tree.files).set('checkpoints/6', Buffer.from(await signNote(text, [forger], never)));
    const files = folderFiles(data.logFolder);
    const read = async (path: string) => forged.get(path) ?? files.read(path);
    const logged = [...head.keys, { key, index: 5, size: 6 }];
    const { trusted, problems } = await trustedKeys('localhost/ailog', { ...named, keys: logged }, { ...files, read });
    expect(trusted).toEqual(head.keys);
    expect(problems).toEqual([expect.stringContaining(`The key ${key} in the head is not trusted: `)]);
  });

  test('trusts no key whose entry hash came into the log by a row of the table', async () => {
    const { db, names } = data.fixture;
    const key = formatVerifierKey(newSigner('localhost/ailog').key);
    const receivedAt = Date.now();
    const Key = { uid: '7', entryId: 'forged' };
    const row = { ...Key, receivedAt, ...arrivalKeysOf(receivedAt, entryHashOf(keyPreimage(key))) };
    await db.send(new PutCommand({ TableName: names.aiLogs, Item: row }));
    await data.sequence(receivedAt + 1);
    await db.send(new DeleteCommand({ TableName: names.aiLogs, Key }));
    const { size, keys } = await data.head();
    await data.changeHead({ keys: [...keys, { key, index: head.size, size }] });
    const { stdout } = await data.ailog(['tlog', 'export-policy']);
    await data.changeHead({ keys });
    expect(stdout).not.toContain(key);
    expect(size).toBe(head.size);
  });

  test('writes a file, and never over another', async () => {
    const path = join(data.folder, 'tlog.policy');
    const { stdout } = await data.ailog(['tlog', 'export-policy']);
    expect(await data.ailog(['tlog', 'export-policy', '-o', 'tlog.policy'])).toMatchObject({ exitCode: 0, stdout: '' });
    expect(readFileSync(path, 'utf8')).toBe(stdout);
    writeFileSync(path, 'mine');
    expect(await data.ailog(['tlog', 'export-policy', '-o', 'tlog.policy'])).toMatchObject({ exitCode: 2 });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    rmSync(path);
  });
});
