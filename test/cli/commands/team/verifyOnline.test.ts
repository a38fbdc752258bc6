import { beforeEach, describe, expect, test } from 'vitest';
import { newSigner } from '../../../c2sp/keys.ts';
import { entriesOf } from '../../../c2sp/trees.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { notes, shows } from '../../../setup/outcome.ts';
import { HOUR_MS, MINUTE_MS } from '../../../setup/time.ts';
import { openPublicLogServer, type PublicLogServer } from '../../proof/inclusion/publicLogServer.ts';
import { folderOf } from './teamFixture.ts';

/** An entry that was received at this time, noon of yesterday, should have been logged long ago. */
const LONG_AGO = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - 12 * HOUR_MS;

type Evidence = Awaited<ReturnType<PublicLogServer['entry']>>;

let server: PublicLogServer;
let evidence: Evidence;
beforeEach(async () => {
  server = await openPublicLogServer();
  evidence = await server.entry(LONG_AGO);
  return server.close;
});

/** Runs `ailog verify --log` on receipts. */
async function verify(
  evidence: readonly Evidence[],
  { policy = server.policy, url = server.url, more = [] }: { policy?: string; url?: string; more?: string[] } = {},
) {
  const files = Object.fromEntries(evidence.map(({ receipt }, index) => [`${index}.note`, receipt]));
  const cwd = folderOf({ ...files, 'tlog.policy': policy });
  return runCommand(['verify', ...Object.keys(files), '--log', url, ...more], { cwd });
}

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** A log with 300 entries before an entry, which is in it a minute after its receipt, and 300 after it. */
async function logWith({ entryHash }: Evidence, { cosigned, at = LONG_AGO + MINUTE_MS }: Times = {}): Promise<void> {
  await server.publish(entriesOf(300), { cosigned: cosigned && LONG_AGO - MINUTE_MS, at: LONG_AGO - MINUTE_MS });
  await server.publish([entryHash], { cosigned, at });
  await server.publish(entriesOf(300, 300), { cosigned: cosigned && cosigned + HOUR_MS, at: at + 20 * MINUTE_MS });
}

/** The hint of a log that published its checkpoint again, because nothing came. */
const idle = (size: number, from: number) =>
  server.hint({ cursor: LONG_AGO + 12 * MINUTE_MS, size, published: LONG_AGO + 13 * MINUTE_MS, from });

interface Times {
  /** When the witness cosigned the first checkpoint over the entry, and when that was stored. */
  readonly cosigned?: number;
  readonly at?: number;
}

describe('an entry in the public log', () => {
  test('is proven to be there, and by when, as the storage says; exit code 0', async () => {
    await logWith(evidence);
    const { exitCode, stdout } = await verify([evidence]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      '  proven      the entry is in the transparency log of logs.example.com/ailog, at index 300 of 601\n',
    );
    const by = timeOf(LONG_AGO + MINUTE_MS);
    expect(stdout).toContain(
      `  proven      received ${timeOf(LONG_AGO)}, says the service; in the log by ${by}, says the organisers' storage\n`,
    );
    expect(stdout).toContain('not proven  that everyone sees the same log: the policy requires no witness');
    expect(stdout).not.toContain('the receipt promises it');
  });

  test('takes few files, where the hints say: no tile of level 0, and no bundle of other times', async () => {
    await server.publish(entriesOf(256 * 8), { at: LONG_AGO });
    await server.publish([evidence.entryHash], { at: LONG_AGO + MINUTE_MS });
    idle(2049, 2048);
    await server.publish(entriesOf(256 * 8 - 1, 256 * 8), { at: LONG_AGO + 20 * MINUTE_MS });
    const { exitCode } = await verify([evidence]);
    const day = new Date(LONG_AGO).toISOString().slice(0, 10);
    expect(exitCode).toBe(0);
    expect(new Set(server.state.requests)).toEqual(
      new Set([...['checkpoint', 'checkpoints/2049', `hints/${day}`, 'tile/entries/008', 'tile/1/000.p/16']]),
    );
  });

  test('that came late, before its deadline, takes no bundle of later times either', async () => {
    await server.publish(entriesOf(256), { at: LONG_AGO + MINUTE_MS });
    await server.publish([evidence.entryHash, ...entriesOf(255, 256)], { at: LONG_AGO + 3 * MINUTE_MS });
    idle(512, 256);
    await server.publish(entriesOf(256 * 4, 512), { at: LONG_AGO + 20 * MINUTE_MS });
    expect((await verify([evidence])).exitCode).toBe(0);
    const bundles = server.state.requests.filter((path) => path.startsWith('tile/entries/'));
    expect(bundles).toEqual(['tile/entries/000', 'tile/entries/001']);
  });

  test.each([
    ['deleted', () => ''],
    ['replaced by garbage', () => `hello\n\n2025-11-14T09:31Z x\n${'9'.repeat(24)} 1 ${'9'.repeat(24)} 0\n`],
    ['without the line of the entry', (text: string) => text.split(/^/m).toSpliced(1, 1).join('')],
  ])('with hints that are %s, it is found, and when it came was not checked; exit code 5', async (_name, change) => {
    await logWith(evidence);
    const paths = [...server.files.keys()].filter((path) => path.startsWith('hints/'));
    const text = paths.map((path) => server.files.get(path)).join('');
    for (const path of paths) server.files.delete(path);
    server.files.set(paths[0] as string, change(text));
    const { exitCode, stdout } = await verify([evidence]);
    expect([exitCode, stdout]).toEqual([5, expect.stringMatching(/^NO PROOF .*\n(.*\n)*.* at index 300 of 601/)]);
    const promised = `the service promised it by ${timeOf(LONG_AGO + 10 * MINUTE_MS)}`;
    expect(stdout).toContain(
      `not proven  when the entry came into the log: by now; nothing says since when, and ${promised}\n`,
    );
  });

  test('without hints, an entry that is there before its deadline is there in time', async () => {
    const evidence = await server.entry(Date.now() - 2 * MINUTE_MS);
    await server.publish([...entriesOf(700), evidence.entryHash], { at: null });
    expect(await verify([evidence])).toMatchObject(shows(0, 'at index 700 of 701'));
  });

  test.each([
    ['too late', LONG_AGO - HOUR_MS, 601],
    ['beyond the log', LONG_AGO, 5000],
  ])('hints that are wrong (%s) only make the search longer', async (_name, cursor, size) => {
    await server.publish([...entriesOf(600), evidence.entryHash, ...entriesOf(300, 600)], { at: LONG_AGO + MINUTE_MS });
    server.hint({ cursor, size, published: cursor, from: size - 1 });
    expect(await verify([evidence])).toMatchObject(shows(0, 'index 600 of 901'));
  });

  test('the hints of days before count if the log was idle', async () => {
    await server.publish(entriesOf(256 * 3), { at: LONG_AGO - 50 * HOUR_MS });
    await server.publish([evidence.entryHash], { at: LONG_AGO + MINUTE_MS });
    expect((await verify([evidence])).exitCode).toBe(0);
    expect(server.state.requests.filter((path) => path.startsWith('tile/entries/'))).toEqual(['tile/entries/003.p/1']);
  });

  test('of many receipts, each file is read once', async () => {
    const evidence = await Promise.all([0, 1, 2].map((offset) => server.entry(LONG_AGO + offset)));
    await server.publish(
      evidence.map(({ entryHash }) => entryHash),
      { at: LONG_AGO + MINUTE_MS },
    );
    expect(await verify(evidence)).toMatchObject(shows(0, /^ok {6}3 entries/));
    const { requests } = server.state;
    expect(requests).toEqual([...new Set(requests)]);
    expect(requests.filter((path) => path.startsWith('tile/'))).toEqual(['tile/entries/000.p/3']);
  });

  test('--json says so too', async () => {
    await logWith(evidence);
    const [found] = JSON.parse((await verify([evidence], { more: ['--json'] })).stdout);
    const storedAt = new Date(LONG_AGO + MINUTE_MS).toISOString();
    expect(found).toMatchObject({ ok: true, promise: 'kept', storedAt, wrong: [] });
  });
});

describe('an entry that came into the public log late', () => {
  const LATE = LONG_AGO + 75 * MINUTE_MS;

  test.each([
    ['the storage', {}, 'policy', `by ${timeOf(LATE)}, says the organisers' storage`],
    [
      'the witness',
      { cosigned: LATE },
      'witnessed',
      `between ${timeOf(LONG_AGO - MINUTE_MS)} and ${timeOf(LATE)}, says 1 witness`,
    ],
  ] as const)('says %s: LATE, by how much, for ever; exit code 6', async (_name, times, policy, says) => {
    await logWith(evidence, { ...times, at: LATE });
    const { exitCode, stdout, stderr } = await verify([evidence], { policy: server[policy] });
    expect(exitCode).toBe(6);
    expect(stdout).toMatch(/^LATE {4}0\.note$/m);
    const deadline = timeOf(LONG_AGO + 10 * MINUTE_MS);
    expect(stdout).toContain(
      `WRONG       The promise was kept LATE by 1 h 5 min: in the log ${says}; the service promised it by ${deadline}.`,
    );
    expect(stderr).toMatch(/^Checked: 1, failed: 0, promise kept late: 1\./);
  });

  test.each([
    ['alone', (one: Evidence) => [one]],
    ['after one for which the second was read', (one: Evidence, other: Evidence) => [other, one]],
  ])('one that the log has a second time, later, is in time: verified %s', async (_name, order) => {
    const [one, other] = [await server.entry(LONG_AGO), await server.entry(LONG_AGO + HOUR_MS)];
    await server.publish([one.entryHash, ...entriesOf(255)], { at: LONG_AGO + MINUTE_MS });
    await server.publish(entriesOf(1, 255), { at: LONG_AGO + 20 * MINUTE_MS });
    await server.publish([one.entryHash, other.entryHash], { at: LONG_AGO + HOUR_MS + MINUTE_MS });
    expect(await verify(order(one, other), { more: ['--verbose'] })).toMatchObject(shows(0, 'at index 0 of 259'));
  });

  test('a hint over more than one append makes nothing late', async () => {
    await server.publish(entriesOf(300), { at: LONG_AGO - MINUTE_MS });
    server.hint({ cursor: LONG_AGO, size: 601, published: LONG_AGO, from: 0 });
    await server.publish([evidence.entryHash], { at: LONG_AGO + MINUTE_MS });
    await server.publish(entriesOf(300, 300), { at: LATE });
    expect((await verify([evidence])).exitCode).toBe(0);
  });

  // biome-ignore format: one case a line
  test.each([
    ['a storage that says less than the witness, who missed it for an hour, counts for nothing', { cosigned: LATE - MINUTE_MS, at: LATE - MINUTE_MS }, { cosigned: LATE, at: LONG_AGO + MINUTE_MS }, 6, 'The promise was kept LATE by 1 h 4 min'],
    ['a witness whose clock was ahead before makes nothing late, and proves nothing', { cosigned: LATE, at: LONG_AGO }, { cosigned: LONG_AGO + MINUTE_MS, at: LONG_AGO + MINUTE_MS }, 5, 'not proven  when the entry came into the log'],
  ])('%s', async (_name, before, over, exitCode, says) => {
    await server.publish(entriesOf(300), before);
    await server.publish([evidence.entryHash], over);
    expect(await verify([evidence], { policy: server.witnessed })).toMatchObject(shows(exitCode, says));
  });

  test('that came two days later, as the second look adds it, is LATE by as much', async () => {
    const evidence = await server.entry(LONG_AGO - 49 * HOUR_MS);
    await logWith(evidence, { at: LONG_AGO });
    expect(await verify([evidence])).toMatchObject(shows(6, 'LATE by 2 d: in the log by'));
  });

  test('that came in the second of its deadline is in time', async () => {
    const at = LONG_AGO + 10 * MINUTE_MS;
    await server.publish(entriesOf(300), { cosigned: at, at });
    await server.publish([evidence.entryHash], { cosigned: at, at });
    for (const policy of [server.policy, server.witnessed]) {
      expect((await verify([evidence], { policy })).exitCode).toBe(0);
    }
  });

  test('is not in time because a server says of its newest checkpoint, cosigned later, that it is old', async () => {
    await server.publish([evidence.entryHash], { cosigned: LATE, at: null });
    server.state.storedAt = LONG_AGO;
    expect(await verify([evidence], { policy: server.witnessed })).toMatchObject({ exitCode: 5 });
  });

  test('a size that was never published hides nothing, however often it stands there', async () => {
    for (const size of Array(9).fill(2)) server.hint({ cursor: LONG_AGO, published: LONG_AGO, from: 0, size });
    await server.publish([evidence.entryHash, ...entriesOf(3)], { at: LATE });
    expect((await verify([evidence])).exitCode).toBe(6);
  });

  test('a witness that was away makes nothing late that was stored in time; both times are told', async () => {
    await logWith(evidence, { cosigned: LATE });
    expect(await verify([evidence], { policy: server.witnessed })).toMatchObject(
      shows(
        0,
        `between ${timeOf(LONG_AGO - MINUTE_MS)} and ${timeOf(LATE)}, says 1 witness; by ${timeOf(LONG_AGO + MINUTE_MS)}, says the organisers' storage`,
      ),
    );
  });
});

describe('an entry that is not in the public log', () => {
  test('before the deadline: not yet, until when; exit code 5', async () => {
    const receivedAt = Date.now() - MINUTE_MS;
    const evidence = await server.entry(receivedAt);
    await server.publish(entriesOf(3));
    const { exitCode, stdout, stderr } = await verify([evidence]);
    expect(exitCode).toBe(5);
    expect(stdout).toMatch(/^NOT YET {2}0\.note$/m);
    const until = new Date(receivedAt + 10 * MINUTE_MS).toISOString().slice(0, 19);
    expect(stdout).toContain(
      `not proven  that the entry is in the transparency log: not yet. The service promised it by ${until}Z\n`,
    );
    expect(stderr).toMatch(/^Checked: 1, failed: 0, not yet in the log: 1\./);
  });

  test('many before their deadlines: one line counts them, --verbose shows each', async () => {
    const evidence = await Promise.all([0, 1, 2].map((offset) => server.entry(Date.now() - offset)));
    const there = await server.entry(LONG_AGO);
    await server.publish([there.entryHash], { at: LONG_AGO + MINUTE_MS });
    const { exitCode, stdout } = await verify([...evidence, there]);
    expect([exitCode, stdout.match(/^(ok|NOT YET) .*$/gm)]).toEqual([
      5,
      ['ok      3.note', 'NOT YET  3 entries; --verbose shows each'],
    ]);
    expect(stdout).toContain('not proven  3 of 3: that the entry is in the transparency log');
    const all = await verify(evidence, { more: ['--verbose'] });
    expect(all.stdout.match(/^NOT YET {2}.*$/gm)).toHaveLength(3);
  });

  test('after the deadline: the promise is broken; exit code 6', async () => {
    await server.publish(entriesOf(300), { at: LONG_AGO });
    await server.publish(entriesOf(300, 300), { at: LONG_AGO + 20 * MINUTE_MS });
    await server.publish(entriesOf(300, 600));
    const { exitCode, stdout, stderr } = await verify([evidence]);
    const until = new Date(LONG_AGO + 10 * MINUTE_MS).toISOString().slice(0, 19);
    expect(exitCode).toBe(6);
    expect(stdout).toMatch(/^BROKEN {2}0\.note$/m);
    expect(stdout).toContain(
      `WRONG       The promise is BROKEN: the entry had to be in the log by ${until}Z; the log at ${server.url}/ has 900 entries, and not this one\n`,
    );
    expect(stderr).toMatch(/^Checked: 1, failed: 0, promise broken: 1\./);
    // "Not this one" means that every entry was read.
    const bundles = server.state.requests.filter((path) => path.startsWith('tile/entries/'));
    expect(bundles.sort()).toEqual(['000', '001', '002', '003.p/132'].map((path) => `tile/entries/${path}`));
  });

  test.each([
    [10_000, 5],
    [35_000, 6],
  ])('%i ms after the deadline: exit code %i, because clocks may differ by 30 s', async (after, expected) => {
    await server.publish(entriesOf(3));
    expect((await verify([await server.entry(Date.now() - 10 * MINUTE_MS - after)])).exitCode).toBe(expected);
  });

  test('a forged receipt is wrong, whatever the others are; exit code 1', async () => {
    await server.publish(entriesOf(3));
    const [broken, forged] = [await server.entry(LONG_AGO), await server.entry(LONG_AGO)];
    const receipt = forged.receipt.replace(/\n10\d\d\n/, '\n1\n');
    expect(await verify([broken, { ...forged, receipt }])).toMatchObject(notes(1, 'failed: 1, promise broken: 1'));
  });
});

describe('a policy with witnesses', () => {
  test('the first cosigned checkpoint over the entry gives the times', async () => {
    const cosigned = LONG_AGO + 2 * MINUTE_MS;
    await server.publish(entriesOf(1, 9000), { cosigned: LONG_AGO - HOUR_MS, at: LONG_AGO - HOUR_MS });
    await logWith(evidence, { cosigned });
    const { exitCode, stdout } = await verify([evidence], { policy: server.witnessed });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `in the log between ${timeOf(LONG_AGO - MINUTE_MS)} and ${timeOf(cosigned)}, says 1 witness`,
    );
    expect(stdout).toContain('at index 301 of 302');
    expect(stdout).toContain(
      `1 of 1 witnesses cosigned this state of the log: W at ${new Date(cosigned).toISOString()}`,
    );
  });

  // biome-ignore format: one case a line
  test.each<[string, () => Promise<string | Uint8Array>, number, string]>([
    ['of another history, signed by the same keys', () => server.forge(entriesOf(301, 9000), LONG_AGO), 1, 'The files of the log do not lead to cosigned/301: one was changed, or the log was forked'],
    ['that does not contain the entry', () => server.forge(entriesOf(100), LONG_AGO), 0, 'at index 300 of 601'],
    ['without the quorum', async () => server.files.get('checkpoints/301') as string, 0, 'at index 300 of 601'],
  ])('a cosigned checkpoint %s is not taken', async (_name, make, code, says) => {
    await logWith(evidence, { cosigned: LONG_AGO + 2 * MINUTE_MS });
    server.files.set('cosigned/301', await make());
    const { exitCode, stdout } = await verify([evidence], { policy: server.witnessed });
    expect([exitCode, stdout]).toEqual([code, expect.stringContaining(says)]);
    expect(stdout).not.toContain(`W at ${new Date(LONG_AGO).toISOString()}`);
  });

  test('a cosigned checkpoint of another log is not taken, even if that has the same entries', async () => {
    await logWith(evidence, { cosigned: LONG_AGO + 2 * MINUTE_MS });
    const keys = { ...server, log: newSigner('other.example/log') };
    const other = await openPublicLogServer('other.example/log', keys);
    await other.publish([...entriesOf(300), evidence.entryHash], { cosigned: LONG_AGO });
    other.close();
    server.files.set('cosigned/301', other.files.get('cosigned/301') as string);
    const [otherLog = ''] = other.policy.split('\n');
    const { exitCode, stdout } = await verify([evidence], { policy: `${otherLog}\n${server.witnessed}` });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('1 of 1 witnesses cosigned this state of the log')]);
    expect(stdout).not.toContain(`W at ${new Date(LONG_AGO).toISOString()}`);
  });

  test('a missed quorum is wrong; exit code 1', async () => {
    await logWith(evidence);
    expect(await verify([evidence], { policy: server.witnessed })).toMatchObject(
      shows(1, 'The quorum W of the policy is missed: 0 of 1 witnesses'),
    );
  });
});

describe('a hostile server', () => {
  let evidence: Evidence;
  beforeEach(async () => {
    evidence = await server.entry(LONG_AGO);
    await server.publish([...entriesOf(300), evidence.entryHash, ...entriesOf(300, 300)]);
  });
  const flip = (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte)));
  const STRANGE = /WRONG {7}The entries from index \d+ on do not belong to the checkpoint of size 601/;

  // biome-ignore format: one case a line
  test.each<[string, string, (bytes: Buffer) => Buffer | undefined, string | RegExp]>([
    ['wrong bytes', 'tile/entries/000', flip, STRANGE],
    ['wrong bytes', 'tile/entries/001', flip, STRANGE],
    ['wrong bytes', 'tile/1/000.p/2', flip, STRANGE],
    ['one entry less', 'tile/entries/000', (bytes) => bytes.subarray(34), 'The entry bundle holds 255 entries instead of 256'],
    ['half an entry', 'tile/entries/000', (bytes) => bytes.subarray(0, -1), 'The entry bundle ends within an entry'],
    ['nothing', 'tile/entries/000', () => Buffer.alloc(0), 'The entry bundle holds 0 entries'],
    ['no file', 'tile/entries/001', () => undefined, 'WRONG       The transparency log has no tile/entries/001'],
    ['no file', 'tile/1/000.p/2', () => undefined, 'WRONG       The transparency log has no tile/1/000.p/2'],
  ])('%s as %s: exit code 1', async (_name, path, change, says) => {
    const changed = change(Buffer.from(server.files.get(path) as Uint8Array));
    if (changed) server.files.set(path, changed);
    else server.files.delete(path);
    expect(await verify([evidence])).toMatchObject(shows(1, says));
  });

  test('a checkpoint that another key signed: exit code 1, and nothing else is read', async () => {
    await server.publish([], { signer: newSigner('logs.example.com/ailog') });
    expect(await verify([evidence])).toMatchObject(
      notes(1, `The checkpoint at ${server.url}/ cannot be trusted: No trusted key`),
    );
    expect(server.state.requests).toEqual(['checkpoint']);
  });

  // biome-ignore format: one case a line
  test.each<[string, string, (path: string) => PublicLogServer['state']['intercept'], string]>([
    ['an endless checkpoint', 'checkpoint', endless, 'it is longer than 524288 bytes'],
    ['endless hints', 'hints/', endless, 'it is longer than 4194304 bytes'],
    ['an endless bundle', 'tile/entries/', endless, 'it is longer than 8704 bytes'],
    ['an endless tile', 'tile/1/', endless, 'it is longer than 8192 bytes'],
    ['a redirect elsewhere', 'checkpoint', redirect, 'it is a redirect'],
    ['a redirect of a tile', 'tile/entries/', redirect, 'it is a redirect'],
    ['an error', 'tile/entries/', (start) => (path, response) => path.startsWith(start) && !!response.writeHead(503).end(), 'HTTP 503'],
    ['a connection that ends', 'tile/entries/', (start) => (path, response) => path.startsWith(start) && !!response.destroy(), 'other side closed'],
  ])('%s: exit code 4, and no word about the promise', async (_name, start, intercept, says) => {
    server.state.intercept = intercept(start);
    const { exitCode, stdout, stderr } = await verify([evidence]);
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`The transparency log at ${server.url}/ has not sent ${start}`);
    expect(stderr).toContain(says);
    expect(stdout).not.toContain('BROKEN');
  });

  test.each(['ftp://127.0.0.1', 'logs.example.com', 'https://a@logs.example.com', 'https://logs.example.com/?q'])(
    'the URL %s: exit code 2',
    async (url) => {
      expect(await verify([evidence], { url })).toMatchObject(
        notes(2, `"${url}" is not the URL of a transparency log.`),
      );
    },
  );

  test('a server without a log, or that nobody runs: exit code 4', async () => {
    const elsewhere = await verify([evidence], { url: `${server.url}/elsewhere` });
    expect(elsewhere).toMatchObject(notes(4, 'There is no transparency log at '));
    server.close();
    expect((await verify([evidence])).exitCode).toBe(4);
  });
});

function endless(start: string): PublicLogServer['state']['intercept'] {
  return (path, response) => {
    if (!path.startsWith(start)) return false;
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
    };
    response.on('drain', more);
    more();
    return true;
  };
}

function redirect(start: string): PublicLogServer['state']['intercept'] {
  return (path, response) => {
    if (!path.startsWith(start)) return false;
    response.writeHead(302, { Location: `${server.url}/elsewhere` }).end();
    return true;
  };
}

test('an entry of another log is not proven, and nothing is wrong; exit code 5', async () => {
  const other = await openPublicLogServer('logs.example.com/ailog-2');
  const foreign = await other.entry(LONG_AGO);
  other.close();
  await server.publish([evidence.entryHash], { at: LONG_AGO + MINUTE_MS });
  // Each line of both policies once.
  const policy = [...new Set(`${server.policy}${other.policy}`.split('\n'))].join('\n');
  const { exitCode, stdout, stderr } = await verify([evidence, foreign], { policy });
  expect([exitCode, stderr]).toEqual([5, expect.stringContaining('Checked: 2, failed: 0, without proof: 1.')]);
  expect(stdout).toContain(
    `its receipt is of the log logs.example.com/ailog-2, and ${server.url}/ is logs.example.com/ailog. Give the URL of that log (--log)`,
  );
});
