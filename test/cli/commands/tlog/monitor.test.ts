import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseNote } from '../../../../functions/c2sp/note.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { entryHashOf, retentionPreimage } from '../../../../functions/tlog/entryHash.ts';
import { newSigner, newWitness } from '../../../c2sp/keys.ts';
import { entriesOf } from '../../../c2sp/trees.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { notes, says, shows } from '../../../setup/outcome.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { HOUR_MS, MINUTE_MS } from '../../../setup/time.ts';
import { openPublicLogServer, type PublicLogServer } from '../../proof/inclusion/publicLogServer.ts';

let server: PublicLogServer;
let folder: string;
beforeEach(async () => {
  server = await openPublicLogServer();
  folder = temporaryFolder();
  writeFileSync(join(folder, 'tlog.policy'), server.policy);
  return server.close;
});

const monitor = (...args: string[]) =>
  runCommand(['tlog', 'monitor', server.url, '--state', 'seen', ...args], { cwd: folder });
const seen = () => join(folder, 'seen');
/** The checkpoints that are kept, in the order of their texts. */
const kept = () =>
  readdirSync(seen())
    .filter((name) => name !== 'compared.txt')
    .map((name) => readFileSync(join(seen(), name), 'utf8'))
    .sort();

describe('a log that grows', () => {
  test('is followed: one line on stdout, and every checkpoint in the state', async () => {
    const first = await server.publish(entriesOf(300));
    expect(await monitor()).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\S+Z ok http:\S+\/log\/: 300 entries, first look, published \S+Z\n$/),
      stderr: '',
    });
    expect(kept()).toEqual([first]);

    const second = await server.publish(entriesOf(400, 300));
    expect((await monitor()).stdout).toMatch(/: 700 entries, 400 new, published /);
    const names = readdirSync(seen());
    expect((await monitor()).stdout).toMatch(/: 700 entries, 0 new, published /);
    const third = await server.publish(entriesOf(1, 700));
    expect((await monitor()).stdout).toMatch(/: 701 entries, 1 new, published /);
    expect(kept()).toEqual([first, second, third].sort());
    expect(names).toEqual([
      expect.stringMatching(/^300-[0-9a-f]{16}$/),
      expect.stringMatching(/^700-/),
      'compared.txt',
    ]);
  });

  test('needs a folder for its state, not a file', async () => {
    writeFileSync(seen(), 'mine');
    expect(await monitor()).toEqual(says(2, `${seen()} is a file, not a folder.\n`));
  });

  test('that is idle: each checkpoint with other cosignatures is kept, and the log is compared with the newest only', async () => {
    writeFileSync(join(folder, 'tlog.policy'), server.witnessed);
    const published: string[] = [];
    for (const minutes of [2, 1, 0]) {
      const cosigned = Date.now() - minutes * MINUTE_MS;
      published.push(await server.publish(minutes === 2 ? entriesOf(300) : [], { cosigned }));
      expect((await monitor()).exitCode).toBe(0);
    }
    expect(kept()).toEqual([...published].sort());
    const before = readFileSync(join(seen(), 'compared.txt'), 'utf8');
    expect((await monitor()).exitCode).toBe(0);
    expect(readFileSync(join(seen(), 'compared.txt'), 'utf8')).toBe(before);
  });

  test('--json prints a line for each look', async () => {
    await server.publish(entriesOf(3));
    const { stdout } = await monitor('--json');
    expect(JSON.parse(stdout)).toEqual({
      at: expect.any(String),
      ok: true,
      url: `${server.url}/`,
      size: 3,
      publishedAt: new Date(Math.floor(server.state.storedAt / 1000) * 1000).toISOString(),
      problems: [],
      late: [],
      evidence: [],
    });
  });

  test('what came late stays late at every look, until its line is removed; exit code 6', async () => {
    await server.publish(entriesOf(300), { at: Date.now() - 26 * HOUR_MS });
    await monitor();
    server.hint({ cursor: Date.now() - 25 * HOUR_MS, size: 302, published: Date.now(), from: 300 });
    await server.publish(entriesOf(2, 300), { at: null });
    server.files.set('tile/entries/001.p/46', 'none');
    const says = expect.stringContaining('entries 300 to 301 came at least 1 d late, as its hints say');
    expect(await monitor()).toMatchObject({ exitCode: 6, stdout: '', stderr: says });
    await server.publish(entriesOf(2, 302));
    expect(await monitor()).toMatchObject({ exitCode: 6, stdout: '', stderr: says });
    rmSync(join(seen(), 'late.txt'));
    expect(await monitor()).toMatchObject({ exitCode: 0 });
  });

  test('what came late before the first look, or with the look before, is not told', async () => {
    server.hint({ cursor: Date.now() - HOUR_MS, size: 300, published: Date.now(), from: 0 });
    await server.publish(entriesOf(300), { at: null });
    for (let look = 0; look < 2; look += 1) expect(await monitor()).toMatchObject({ exitCode: 0 });
  });

  test('of several gaps in the hints, the first is told', async () => {
    await server.publish(entriesOf(300));
    await monitor();
    for (const from of [300, 302, 304]) await server.publish(entriesOf(2, from), from === 302 ? {} : { at: null });
    expect(await monitor()).toMatchObject(notes(1, 'its hints do not say when entry 300 came: not checked'));
  });

  test.each([
    ['what was stored in time, and published once more after a run died', entriesOf(2, 300), MINUTE_MS],
    ['a retention that is announced after a standstill', [entryHashOf(retentionPreimage(30))], 25 * HOUR_MS],
  ])('%s is not late', async (_name, leaves, after) => {
    await server.publish(entriesOf(300), { at: Date.now() - 26 * HOUR_MS });
    await monitor();
    const line = { cursor: Date.now() - 25 * HOUR_MS, size: 300 + leaves.length, from: 300 };
    for (const ms of [after, 25 * HOUR_MS]) server.hint({ ...line, published: line.cursor + ms });
    await server.publish(leaves, { at: null });
    expect(await monitor()).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('hints that a cache has not replaced yet are asked for again', async () => {
    await server.publish(entriesOf(300));
    await monitor();
    await server.publish(entriesOf(2, 300));
    const looks = server.answerOnce('hints/', (response) => response.writeHead(200).end(''));
    expect((await monitor()).exitCode).toBe(0);
    expect(looks()).toBeGreaterThan(1);
  });

  test('a checkpoint that a cache has not replaced yet is asked for again', async () => {
    const old = await server.publish(entriesOf(300));
    await server.publish(entriesOf(1, 300));
    expect((await monitor()).exitCode).toBe(0);
    const headers = { 'Last-Modified': new Date().toUTCString() };
    server.answerOnce('checkpoint', (response) => response.writeHead(200, headers).end(old));
    expect(await monitor()).toMatchObject(shows(0, '301 entries, 0 new'));
  });
});

describe('a log that contradicts what was seen: exit code 1, and both checkpoints are kept', () => {
  // biome-ignore format: one case a line
  test.each<[string, Buffer[], string]>([
    ['another root of the same size', entriesOf(300, 1000), 'forked: it has another root at size 300'],
    ['a larger tree of other entries', entriesOf(500, 1000), 'forked: at size 500, it does not begin with the 300 entries that it had'],
    ['one entry changed', [...entriesOf(299), ...entriesOf(201, 1000)], 'forked: at size 500, it does not begin with the 300 entries that it had'],
    ['a smaller tree', entriesOf(299), 'rolled back: it has 299 entries, and had 300'],
    ['no entries', [], 'rolled back: it has 0 entries, and had 300'],
  ])('%s', async (_name, entries, says) => {
    const before = await server.publish(entriesOf(300));
    await monitor();
    const forked = await server.fork(entries);
    for (const more of [[], ['--every', '10s']]) {
      const { exitCode, stdout, stderr } = await monitor(...more);
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^\S+Z CONTRADICTION http:\S+: /);
      expect(stderr).toContain(`: ${says}. Both checkpoints are kept: `);
      const evidence = stderr.trim().split('are kept: ')[1]?.split(', ') ?? [];
      expect(evidence.map((path) => readFileSync(path, 'utf8'))).toEqual([before, forked]);
      expect(kept()).toEqual([before, forked].sort());
    }
  });

  test('a fork that is over is still named: its checkpoint is kept', async () => {
    await server.publish(entriesOf(300));
    await monitor();
    const own = new Map(server.files);
    const forked = await server.fork(entriesOf(400, 1000));
    expect((await monitor()).exitCode).toBe(1);
    server.files.clear();
    for (const [path, bytes] of own) server.files.set(path, bytes);
    await server.publish(entriesOf(300, 300));
    expect(await monitor()).toMatchObject(
      notes(1, 'forked: at size 600, it does not begin with the 400 entries that it had'),
    );
    expect(kept()).toContain(forked);
  });

  test('a rollback that is over contradicts nothing, if the log had no other entries then', async () => {
    const small = await server.publish(entriesOf(300));
    await server.publish(entriesOf(300, 300));
    expect((await monitor()).exitCode).toBe(0);
    server.state.intercept = (path, response) => path === 'checkpoint' && !!response.writeHead(200).end(small);
    expect((await monitor()).stderr).toContain('rolled back: it has 300 entries, and had 600');
    server.state.intercept = () => false;
    expect((await monitor()).exitCode).toBe(0);
    expect(kept()).toContain(small);
  });

  test('with a checkpoint of the past, after the newest ones were lost', async () => {
    const first = await server.publish(entriesOf(300));
    await monitor();
    await server.publish(entriesOf(300, 300));
    await monitor();
    for (const name of readdirSync(seen())) if (name.startsWith('600-')) rmSync(join(seen(), name));
    const forked = await server.fork([...entriesOf(200), ...entriesOf(500, 1000)]);
    expect(await monitor()).toMatchObject(
      notes(1, 'forked: at size 700, it does not begin with the 300 entries that it had'),
    );
    expect(kept()).toEqual([first, forked].sort());
  });

  test.each([
    ['older', 200],
    ['newer', 400],
  ])('with an %s checkpoint that somebody else has seen', async (_name, size) => {
    await server.publish(entriesOf(300));
    await monitor();
    const other = await openPublicLogServer(undefined, server);
    writeFileSync(join(seen(), 'team-1001'), await other.publish(entriesOf(size, 1000)));
    other.close();
    await server.publish(entriesOf(300, 300));
    const { exitCode, stderr } = await monitor();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`at size 600, it does not begin with the ${size} entries that it had`);
    expect(stderr).toContain(join(seen(), 'team-1001'));
  });

  test('a checkpoint of somebody else that the log continues is compared once', async () => {
    const first = await server.publish(entriesOf(300));
    await server.publish(entriesOf(300, 300));
    await monitor();
    writeFileSync(join(seen(), 'team-1001'), first);
    const readBy = async (): Promise<number> => {
      const before = server.state.requests.length;
      expect((await monitor()).exitCode).toBe(0);
      return server.state.requests.length - before;
    };
    const [once, again] = [await readBy(), await readBy()];
    expect(once).toBeGreaterThan(again);
    expect(await readBy()).toBe(again);
  });

  test('another log', async () => {
    await server.publish(entriesOf(3));
    await monitor();
    const other = await openPublicLogServer('other.example/log');
    const signed = await other.publish(entriesOf(5));
    writeFileSync(join(folder, 'both.policy'), server.policy.replace('quorum none\n', '') + other.policy);
    for (const [path, bytes] of other.files) server.files.set(path, bytes);
    expect(await monitor('--policy', 'both.policy')).toMatchObject(
      notes(1, 'it is the log other.example/log, and was logs.example.com/ailog'),
    );
    expect(kept()).toContain(signed);
    other.close();
  });
});

describe('a problem: exit code 1, on stderr', () => {
  test.each(['tile/0/001.p/44', 'tile/1/000.p/1'])(
    'wrong bytes in %s, which are not taken for a fork',
    async (path) => {
      await server.publish(entriesOf(100));
      await monitor();
      const first = kept();
      const second = await server.publish(entriesOf(200, 100));
      const bytes = Buffer.from(server.files.get(path) as Uint8Array);
      bytes.writeUInt8(bytes.readUInt8(3) ^ 1, 3);
      server.files.set(path, bytes);
      const problem = /^\S+Z PROBLEM \S+: The tiles of the log do not belong to its checkpoint of size 300\n$/;
      expect(await monitor()).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringMatching(problem) });
      expect(kept()).toEqual([...first, second].sort());
      server.files.delete(path);
      expect((await monitor()).stderr).toContain(`PROBLEM ${server.url}/: The transparency log has no ${path}`);
    },
  );

  test('wrong bytes at the first look', async () => {
    await server.publish(entriesOf(100));
    server.files.set('tile/0/000.p/100', Buffer.alloc(3200));
    expect((await monitor()).stderr).toContain('do not belong to its checkpoint');
    expect(readdirSync(seen())).toEqual([expect.stringMatching(/^100-/)]);
  });

  test.each([
    ['a log that stands still', -19, -21, 'it stands still since '],
    ['a checkpoint of the future, which would hide that', 19, 22, 'it was published in the future, '],
  ])('%s', async (_name, right, wrong, says) => {
    await server.publish(entriesOf(3));
    server.state.storedAt = Date.now() + right * MINUTE_MS;
    expect((await monitor()).exitCode).toBe(0);
    server.state.storedAt = Date.now() + wrong * MINUTE_MS;
    const at = new Date(server.state.storedAt).toISOString().slice(0, 19);
    const stderr = expect.stringMatching(new RegExp(` PROBLEM .*: ${says}${at}Z\n$`));
    expect(await monitor()).toMatchObject({ exitCode: 1, stdout: '', stderr });
  });

  test('a server that does not say when the checkpoint was published', async () => {
    const signed = await server.publish(entriesOf(3));
    server.state.intercept = (path, response) => path === 'checkpoint' && !!response.writeHead(200).end(signed);
    expect(await monitor()).toMatchObject(notes(1, 'nothing says when it was published'));
  });

  test('with witnesses, their time counts, whatever the server says; and their quorum is required', async () => {
    writeFileSync(join(folder, 'tlog.policy'), server.witnessed);
    await server.publish(entriesOf(3), { cosigned: Date.now() - 5 * MINUTE_MS });
    expect((await monitor()).exitCode).toBe(0);
    await server.publish(entriesOf(1, 3), { cosigned: Date.now() - 25 * MINUTE_MS });
    expect((await monitor()).stderr).toContain('it stands still since ');
    await server.publish(entriesOf(1, 4));
    expect(await monitor()).toMatchObject(
      notes(1, /PROBLEM \S+: 0 of 1 witnesses cosigned it: the quorum is missed; nothing says when/),
    );
  });

  test('the time of a cosignature that no calendar has: its checkpoint cannot be trusted', async () => {
    writeFileSync(join(folder, 'tlog.policy'), server.witnessed);
    await server.publish(entriesOf(3), { cosigned: 8.64e15 });
    expect((await monitor()).stderr).toContain('it was published in the future');
    await server.publish(entriesOf(1, 3), { cosigned: 8.64e15 + 1000 });
    expect(await monitor()).toMatchObject(notes(1, 'cannot be trusted'));
  });

  test('one witness alone, whose clock may be wrong, makes no checkpoint newer', async () => {
    const other = newWitness('other.example');
    const line = `witness other ${formatVerifierKey(other.key)}\n`;
    writeFileSync(join(folder, 'tlog.policy'), server.witnessed.replace('quorum W', `${line}quorum W`));
    for (const [minutes, exitCode] of [
      [25, 1],
      [5, 0],
    ] as const) {
      const signed = await server.publish(entriesOf(1, minutes), { cosigned: Date.now() - minutes * MINUTE_MS });
      const { text } = parseNote(signed);
      server.files.set('checkpoint', signed + other.cosign(text, Math.floor(Date.now() / 1000) + 3600));
      expect((await monitor()).exitCode).toBe(exitCode);
    }
  });

  test('a checkpoint that another key signed ends it', async () => {
    await server.publish(entriesOf(3), { signer: newSigner('logs.example.com/ailog') });
    expect(await monitor('--every', '10s')).toMatchObject(notes(1, 'cannot be trusted'));
  });
});

test.each(['9s', '0'])('--every %s is too often', async (every) => {
  expect(await monitor('--every', every)).toMatchObject(notes(2, 'at least 10s'));
});

test('a log that does not answer: exit code 4', async () => {
  server.close();
  expect((await monitor()).exitCode).toBe(4);
});

test.each([
  ['another file', 'hello\n'],
  ['a checkpoint that was changed', ''],
])('a state with %s: exit code 2, and it stays', async (_name, text) => {
  const signed = await server.publish(entriesOf(3));
  expect((await monitor()).exitCode).toBe(0);
  const [name = ''] = readdirSync(seen());
  const content = text || signed.replace('\n3\n', '\n4\n');
  writeFileSync(join(seen(), name), content);
  expect(await monitor()).toMatchObject(notes(2, `${name} is not a checkpoint that the policy trusts`));
  expect(kept()).toEqual([content]);
});

test('a state that is a file: exit code 2, and it stays', async () => {
  await server.publish(entriesOf(3));
  writeFileSync(seen(), 'mine');
  expect(await monitor()).toMatchObject(notes(2, seen()));
  expect(readFileSync(seen(), 'utf8')).toBe('mine');
});

test('a checkpoint that the process did not write in full, as it ended, is left alone', async () => {
  await server.publish(entriesOf(3));
  await monitor();
  const [name = ''] = readdirSync(seen());
  writeFileSync(join(seen(), `${name}.4711`), 'logs.exam');
  expect((await monitor()).exitCode).toBe(0);
});

describe('the logs of two regions', () => {
  test('are followed by one command, each with a state of its own', async () => {
    const second = await openPublicLogServer('logs.example.com/ailog-2');
    const policy = [...new Set(`${server.policy}${second.policy}`.split('\n'))].join('\n');
    writeFileSync(join(folder, 'tlog.policy'), policy);
    await server.publish(entriesOf(3));
    await second.publish(entriesOf(5));
    const both = (...more: string[]) => monitor(second.url, '--state', 'other', ...more);
    const { exitCode, stdout } = await both();
    expect([exitCode, stdout.match(/: \d entries, first look/g)]).toEqual([
      0,
      [': 3 entries, first look', ': 5 entries, first look'],
    ]);
    expect(await both()).toMatchObject(shows(0, /: 3 entries, 0 new.*\n.*: 5 entries, 0 new/));

    // The other one is looked at, whatever happens to the first.
    server.close();
    expect(await both()).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining(': 5 entries, 0 new'),
      stderr: expect.stringContaining(`The transparency log at ${server.url}/ has not sent checkpoint`),
    });
    await second.fork(entriesOf(5, 100));
    expect(await both()).toMatchObject(notes(1, /CONTRADICTION(.*\n)+.* UNREACHABLE /));
    second.close();
  });

  test('need a state each', async () => {
    const says = expect.stringMatching(/^2 URLs need as many folders, and --state names 1\.\n/);
    expect(await monitor('http://127.0.0.1:9')).toMatchObject({ exitCode: 2, stderr: says });
    expect(await monitor('http://127.0.0.1:9', '--state', 'seen')).toMatchObject({ exitCode: 2, stderr: says });
  });
});
