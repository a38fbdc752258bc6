import { afterAll, describe, expect, test } from 'vitest';
import { openLocalData } from '../../../setup/commandLine.ts';
import type { Team } from '../../../setup/fixture.ts';
import { says } from '../../../setup/outcome.ts';
import { MINUTE_MS } from '../../../setup/time.ts';
import { logText } from '../../../setup/upload.ts';
import { oldTeam, uploadAt } from './entries.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');

const local = await openLocalData();
const alpha = await oldTeam(local.fixture);
const rival = await oldTeam(local.fixture);
const base = { orderId: null, stage: 'S', model: 'M-1', input: { prompt: 'Line one\nLine two' }, explanation: 'x' };
const gpt = { ...base, input: { prompt: 'Line one\nLine 2' }, model: 'GPT-5' };
const escaped = logText({ stage: 'S', model: 'M-1', explanation: 'x' }, { input: '{"p":"\\u51b3\\u7b56 a\\nb"}' });
const upload = (team: Team, at: number, log: Record<string, unknown> | string) =>
  uploadAt(local.fixture, team, T0 + at, log);
const ids: Record<string, string> = {
  before: await upload(alpha, -5 * MINUTE_MS, { ...base, explanation: 'Volume rises' }),
  own: await upload(alpha, 2000, { ...base, orderId: '42', stage: 'Stop Loss' }),
  after: await upload(alpha, 9 * MINUTE_MS, gpt),
  late: await upload(alpha, 40 * MINUTE_MS, escaped),
  rival: await upload(rival, 1000, { ...base, orderId: '42' }),
};
afterAll(() => local.engine.stop());

/** The values of the first team's logs. */
const VALUES = 'The stages are: S, Stop Loss.\nThe models are: GPT-5, M-1.\n';

const logs = (...args: string[]) => local.ailog(['logs', ...args]);
const nameOf = (entryId: string) => Object.keys(ids).find((name) => ids[name] === entryId);

describe('ailog logs search', () => {
  // biome-ignore format: one case a line
  test.each<[string, string[], [name: string, where: string][]]>([
    ['the stage, in any case', ['stop LOSS'], [['own', 'stage']]],
    ['the model', ['gpt-5'], [['after', 'model']]],
    ['the explanation', ['volume'], [['before', 'explanation']]],
    ['the body, across its line breaks', ['one\nLine two'], [['own', 'body'], ['rival', 'body'], ['before', 'body']]],
    ['the body of one team', ['Line two', '--uid', alpha.uid], [['own', 'body'], ['before', 'body']]],
    ['the body of two teams', ['Line two', '--uid', alpha.uid, '--uid', rival.uid], [['own', 'body'], ['rival', 'body'], ['before', 'body']]],
    ['text that was sent escaped', ['决策 a'], [['late', 'body']]],
    ['text as it was sent', ['\\u51b3'], [['late', 'body']]],
    ['the newest only', ['Line two', '--limit', '1'], [['own', 'body']]],
  ])('finds %s', async (_name, args, found) => {
    const { stdout, exitCode } = await logs('search', ...args, '--json', '--no-cache');
    expect(exitCode).toBe(0);
    const matches: { entryId: string; where: string }[] = JSON.parse(stdout);
    expect(matches.map(({ entryId, where }) => [nameOf(entryId), where])).toEqual(found);
  });

  test('shows the text with what stands around it', async () => {
    const { stdout, stderr } = await logs('search', 'Line two', '--limit', '2', '--no-cache');
    expect(stdout).toMatch(
      /^uid +entry +where +order +signed +text\n\d+ +\S+ +body +42 +2025-11-14T09:00:02Z +….*Line two.*…?\n/,
    );
    expect(stderr).toBe('Found: 3; shown: the newest 2. --limit N shows more.\n');
  });

  test('finds words with hidden characters in them, and search and show make these visible', async () => {
    const team = await oldTeam(local.fixture);
    const log = (text: string) => ({ orderId: null, output: { text }, explanation: 'x' });
    await uploadAt(local.fixture, team, T0, log('Sell the 👨‍👩‍👧 quota'));
    const b = await uploadAt(local.fixture, team, T0 + 1, log('S\u034fell\ufe00 t\u3164he 👨‍👩‍👧 qu\u0430ta'));
    const hidden = 'S\\u034fell\\ufe00 t\\u3164he 👨‍👩‍👧 qu\u0430ta';
    const searched = await logs('search', 'sell the', '--uid', team.uid, '--no-cache');
    expect(searched.stdout).toContain(hidden);
    expect(searched.stderr).toBe('Found: 2.\n');
    expect((await logs('show', b, '--uid', team.uid)).stdout).toContain(`"text": "${hidden}"`);
  });

  test('finding nothing is a negative result', async () => {
    expect(await logs('search', 'nothing like this', '--no-cache')).toEqual(
      says(1, 'No entry contains "nothing like this".\n'),
    );
    expect((await logs('search', ' ')).exitCode).toBe(2);
  });
});

describe('a stage or model', () => {
  test('matches by a part, in any case, in every command', async () => {
    const args = ['--uid', alpha.uid, '--stage', 'sTOP', '--model', 'm-'];
    const listed = JSON.parse((await logs('list', ...args, '--json')).stdout);
    expect(listed.map(({ entryId }: { entryId: string }) => nameOf(entryId))).toEqual(['own']);
    expect((await logs('verify', ...args)).stderr).toContain('Checked: 1,');
    expect((await logs('export', ...args, '--format', 'csv')).stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test.each(['list', 'verify'])('that no log has: %s names those that exist', async (verb) => {
    const noCache = verb === 'list' ? ['--no-cache'] : [];
    const { stderr, stdout } = await logs(verb, '--uid', alpha.uid, '--stage', 'decision', ...noCache);
    expect([stdout, stderr]).toEqual(['', `No entry matches.\n${VALUES}`]);
  });

  test('that no log has: search and export name those that exist', async () => {
    const wanted = ['--uid', alpha.uid, '--stage', 'decision'];
    expect((await logs('search', 'volume', '--no-cache', ...wanted)).stderr).toBe(
      `No entry contains "volume".\n${VALUES}`,
    );
    expect((await logs('export', ...wanted)).stderr).toBe(`Exported: 0.\n${VALUES}`);
  });
});

describe('ailog logs list --before-biggest-order', () => {
  const list = (name: string, lines: readonly string[]) =>
    local.file(name, ['uid,orderId,time,symbol,size,price', ...lines].join('\n'));
  const at = (ms: number) => new Date(T0 + ms).toISOString();
  /** Returns what is found for a list of orders: the log, its time before the order, the order and its value. */
  async function found(file: string) {
    const { stdout } = await logs('list', '--before-biggest-order', file, '--json');
    const entries: { entryId: string; beforeMs: number; biggestOrder: { orderId: string; value: number } }[] =
      JSON.parse(stdout);
    return entries.map(({ entryId, beforeMs, biggestOrder: { orderId, value } }) => {
      return [nameOf(entryId), beforeMs, orderId, value];
    });
  }

  test('shows the last log of each team before its biggest order, the biggest of all first', async () => {
    const file = list('sizes.csv', [
      `${rival.uid},44,${at(3000)},,10,1`,
      `${alpha.uid},42,${at(0)},,1,5`,
      `${alpha.uid},43,${at(10 * MINUTE_MS)},,-2,50`,
      `${alpha.uid},45,${at(50 * MINUTE_MS)},,3,30`,
    ]);
    expect(await found(file)).toEqual([
      ['after', MINUTE_MS, '43', 100],
      ['rival', 2000, '44', 10],
    ]);
    const more = await logs('list', '--before-biggest-order', file, '--uid', alpha.uid, '--limit', '2');
    expect(more.stdout).toMatch(
      /^uid +biggest order +value +placed +before +entry .*\n.* 43 .* 1 min .*\n.* 43 .* 9 min 58 s .*\n$/,
    );
  });

  test('gives a market order, which has no price, the price of its symbol', async () => {
    const file = list('market.csv', [
      `${alpha.uid},42,${at(0)},BTC,1,90`,
      `${alpha.uid},43,${at(1)},BTC,2,0`,
      `${alpha.uid},44,${at(2)},ETH,100,1`,
      `${alpha.uid},46,${at(3)},ETH,150,`,
      `${alpha.uid},47,${at(4)},XRP,160,`,
      `${rival.uid},45,${at(2000)},BTC,1,110`,
    ]);
    expect((await found(file)).map(([, , ...order]) => order)).toEqual([
      ['43', 200],
      ['45', 110],
    ]);
  });

  test.each([
    ['without sizes', [`1,42,${at(0)},,,`], 'has a size'],
    ['of a team without a log', [`19,42,${at(0)},,1,1`], undefined],
  ])('an order list %s says so', async (_name, lines, error) => {
    const { exitCode, stdout, stderr } = await logs('list', '--before-biggest-order', list('none.csv', lines));
    if (error) expect([exitCode, stderr]).toEqual([2, expect.stringContaining(error)]);
    else expect([exitCode, stdout]).toEqual([0, expect.stringContaining('no log before it')]);
  });
});
