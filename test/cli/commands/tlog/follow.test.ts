import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS, openServedLog, runCommand, type ServedLog, temporaryFolder } from '../../../setup/world.ts';

/** Returns a new folder with the policy of a log, and what follows it from there. */
function followerOf(log: ServedLog) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'tlog.policy'), log.policyText);
  return {
    copy: join(cwd, 'copy'),
    follow: (args: readonly string[] = [], options = {}) =>
      runCommand(['tlog', 'follow', log.url, 'copy', ...args], { cwd, ...options }),
  };
}

/** Opens a log with some commits that ends now, and what follows it. */
async function openFollowed(entries = 3) {
  const log = await openServedLog(Date.now() - 10 * MINUTE_MS);
  await log.grow(entries);
  await log.grow(2);
  const catchUp = () => log.sequence(Math.max(0, Date.now() - log.clock.now()));
  return { ...log, ...followerOf(log), catchUp };
}

/** The log of the tests that only change what it answers. */
const shared = await openFollowed();
await shared.catchUp();
beforeEach(() => shared.way.decide());
const newFollower = () => ({ ...shared, ...followerOf(shared) });

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\d|checkpoint$/.test(path))
    .sort();

describe('a log that grows', () => {
  test('is copied, and later what is new', async () => {
    const log = await openFollowed(300);
    await log.catchUp();
    const first = await log.follow(['--json']);
    expect(first.stderr).toBe('');
    expect(JSON.parse(first.stdout)).toMatchObject({ ok: true, size: 302, added: 302, problems: [] });
    await log.grow(5);
    const second = await log.follow(['--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({ ok: true, size: 307, added: 5 });
    expect((await log.follow()).stdout).toMatch(/ ok http.*: 307 entries, 0 new\n$/);
    for (const path of [
      'checkpoint',
      'commits/0000000001',
      'checkpoints/0000000002',
      'receipt-keys/1',
      'tile/entries/000',
    ])
      expect(readFileSync(join(log.copy, path))).toEqual(readFileSync(join(log.logFolder, path)));
    // Without the partial tiles of trees that came before.
    const missing = filesIn(log.logFolder).filter((path) => !existsSync(join(log.copy, path)));
    expect(missing.every((path) => path.includes('.p'))).toBe(true);
  });

  test('is copied although a run before was interrupted', async () => {
    const log = await openFollowed();
    let asked = 0;
    log.way.decide(({ url }) => {
      if (url?.startsWith('/tlog/tile/')) asked += 1;
      return asked > 1 ? { status: 503 } : undefined;
    });
    expect((await log.follow()).exitCode).toBe(4);
    log.way.decide();
    await log.grow();
    await log.catchUp();
    expect((await log.follow()).exitCode).toBe(0);
  });

  test('is not accused if the copy is damaged', async () => {
    const log = await openFollowed();
    await log.follow();
    const path = join(log.copy, 'tile/0/000.p/5');
    const tile = readFileSync(path);
    tile.writeUInt8(tile.readUInt8() ^ 1);
    writeFileSync(path, tile);
    const { exitCode, stderr } = await log.follow();
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^The copy in \S+ cannot be continued: its tiles/m)]);
  });

  test('that stands still is told', async () => {
    const log = await openServedLog(Date.now() - 22 * MINUTE_MS);
    await log.grow();
    const { exitCode, stderr } = await followerOf(log).follow();
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/its newest commit is 2\d min old\./);
  });
});

describe('what is no contradiction', () => {
  test('an older checkpoint, as a mirror answers that is late', async () => {
    const log = await openFollowed();
    const old = readFileSync(join(log.logFolder, 'checkpoint'));
    await log.grow(4);
    await log.catchUp();
    expect((await log.follow()).exitCode).toBe(0);
    log.fail('checkpoint', { status: 200, body: old });
    const { exitCode, stderr } = await log.follow();
    expect(exitCode).toBe(5);
    expect(stderr).toContain('it answers with an older checkpoint, of 5 entries; the copy has 9.');
    expect(stderr).not.toContain('CONTRADICTION');
    log.way.decide();
    expect((await log.follow()).exitCode).toBe(0);
  });

  test('commits that a cache does not have yet', async () => {
    const log = await openFollowed();
    await log.follow();
    const [last] = filesIn(join(log.logFolder, 'commits')).slice(-1);
    await log.grow(4);
    const next = `commits/${String(Number(last) + 1).padStart(10, '0')}`;
    log.fail(next, { status: 404 });
    const { exitCode, stderr } = await log.follow();
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('its commits come only to 5 entries')]);
  });

  const HTML = '<!doctype html>\n<title>Sign in</title>\n\n<p>Welcome to the hotel\n';
  test.each<[string, string, (whole: Buffer) => Buffer | string]>([
    ['a page instead of the checkpoint', 'checkpoint', () => HTML],
    ['an empty checkpoint', 'checkpoint', () => ''],
    ['a cut checkpoint', 'checkpoint', (whole) => whole.subarray(0, 60)],
    ['a checkpoint cut in its signature', 'checkpoint', (whole) => whole.subarray(0, -20)],
    ['a page instead of a commit', 'commits/0000000002', () => HTML],
    ['an empty commit', 'commits/0000000002', () => ''],
    ['a cut commit', 'commits/0000000002', (whole) => whole.subarray(0, 200)],
    ['a cut checkpoint of a commit', 'checkpoints/0000000002', (whole) => whole.subarray(0, 50)],
    ['a cut bundle', 'tile/entries/000.p/5', (whole) => whole.subarray(0, 40)],
    ['an empty tile', 'tile/0/000.p/5', () => ''],
    ['a page instead of a note about a key', 'receipt-keys/1', () => HTML],
  ])('%s does not answer as a log', async (_name, wanted, change) => {
    const log = newFollower();
    log.fail(wanted, { change });
    const { exitCode, stderr } = await log.follow();
    expect(stderr).toContain('does not answer as a transparency log');
    expect(stderr).not.toContain('CONTRADICTION');
    expect(exitCode).toBe(4);
    log.way.decide();
    expect((await log.follow()).exitCode).toBe(0);
  });

  test('a page for every path that is not there does not answer as a log, and ends', async () => {
    const log = newFollower();
    const page = { status: 200, body: HTML };
    log.way.decide(({ url = '' }) => (existsSync(join(log.logFolder, '..', url)) ? undefined : page));
    const { exitCode, stderr } = await log.follow();
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('does not answer as a transparency log')]);
  });

  test('with --every, a log that does not answer ends nothing', async () => {
    const log = newFollower();
    const stop = new AbortController();
    log.way.decide(() => ({ status: 500 }));
    const said: string[] = [];
    const running = log.follow(['--every', '10s'], { signal: stop.signal, says: (text: string) => said.push(text) });
    await expect.poll(() => said.join('')).toContain('HTTP 500');
    stop.abort();
    expect((await running).exitCode).toBe(130);
  });
});

describe('a contradiction', () => {
  /** Puts the files of another log with the same keys in the place of those of a log. */
  const replaceBy = (log: ServedLog, other: ServedLog) => {
    rmSync(log.logFolder, { recursive: true });
    cpSync(other.logFolder, log.logFolder, { recursive: true });
  };

  test.each<[string, number[]]>([
    ['another root at the same size', [3, 2]],
    ['a smaller tree that is no prefix', [4]],
    ['a larger tree that is no continuation', [3, 2, 4]],
  ])('%s', async (_name, sizes) => {
    const log = await openFollowed();
    await log.follow();
    const copied = filesIn(log.copy).map((path) => [path, existsSync(path)]);
    const other = await openServedLog(Date.now() - 10 * MINUTE_MS, log.keys);
    for (const size of sizes) await other.grow(size);
    replaceBy(log, other);
    const { exitCode, stderr } = await log.follow(['--every', '10m']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('CONTRADICTION');
    const kept = readdirSync(log.copy).filter((name) => name.startsWith('contradiction-'));
    expect(readFileSync(join(log.copy, kept[0] as string))).toEqual(readFileSync(join(log.logFolder, 'checkpoint')));
    expect(filesIn(log.copy).filter((path) => !path.startsWith('contradiction')).length).toBe(copied.length);
  });

  const otherNumber = (text: string) => text.replace(/.(?=\n\n)/, (digit) => (digit === '1' ? '2' : '1'));
  /** The newest checkpoint of a log with other keys. */
  async function ofStranger(): Promise<Buffer> {
    const other = await openServedLog();
    await other.grow();
    return readFileSync(join(other.logFolder, 'checkpoint'));
  }

  type Answer = (read: (path: string) => Buffer) => Buffer | string | Promise<Buffer>;
  // biome-ignore format: one case a line
  test.each<[name: string, path: string, answer: Answer, says: string]>([
    ['a tile with another hash', 'tile/0/000.p/5', () => Buffer.alloc(160, 7), 'tile/0/000.p/5 does not follow from the commits'],
    ['another note about a receipt key', 'receipt-keys/1', (read) => otherNumber(String(read('receipt-keys/1'))), 'receipt-keys/1 is another one than that in'],
    ['a checkpoint of a commit over another tree', 'checkpoints/0000000002', (read) => read('checkpoints/0000000001'), 'checkpoints/0000000002 has another tree'],
    ['a checkpoint that the policy does not trust', 'checkpoint', ofStranger, 'cannot be trusted'],
  ])('%s', async (_name, path, answer, says) => {
    const log = newFollower();
    if (path === 'receipt-keys/1') await log.follow();
    log.fail(path, { status: 200, body: await answer((file) => readFileSync(join(log.logFolder, file))) });
    const { exitCode, stderr } = await log.follow();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(says)]);
  });
});

test.each([
  [['--every', '5s'], '--every must be at least 10s'],
  [['--policy', 'none'], 'none'],
])('%j is refused', async (args, message) => {
  const cwd = temporaryFolder();
  const { exitCode, stderr } = await runCommand(['tlog', 'follow', 'https://x.example', 'copy', ...args], { cwd });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
