import { describe, expect, test } from 'vitest';
import { localWorld, logText, MINUTE_MS, type Team } from '../../../setup/world.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');

const local = await localWorld();
const alpha = await local.oldTeam();
const rival = await local.oldTeam();
const base = { orderId: null, stage: 'S', model: 'M-1', input: { prompt: 'Line one\nLine two' }, explanation: 'x' };
const gpt = { ...base, input: { prompt: 'Line one\nLine 2' }, model: 'GPT-5' };
const escaped = logText({ stage: 'S', model: 'M-1', explanation: 'x' }, { input: '{"p":"\\u51b3\\u7b56 a\\nb"}' });
const upload = (team: Team, at: number, log: Record<string, unknown> | string) => local.uploadAt(team, T0 + at, log);
const ids: Record<string, string> = {
  before: await upload(alpha, -5 * MINUTE_MS, { ...base, explanation: 'Volume rises' }),
  own: await upload(alpha, 2000, { ...base, orderId: '42', stage: 'Stop Loss' }),
  after: await upload(alpha, 9 * MINUTE_MS, gpt),
  late: await upload(alpha, 40 * MINUTE_MS, escaped),
  rival: await upload(rival, 1000, { ...base, orderId: '42' }),
};

await local.ailog(['data', 'sync']);

/** The values of the first team's logs. */
const VALUES = 'The stages are: S, Stop Loss.\nThe models are: GPT-5, M-1.\n';

const logs = (...args: string[]) => local.ailog(['logs', ...args]);
const nameOf = (entryId: string) => Object.keys(ids).find((name) => ids[name] === entryId);

describe('ailog logs list TEXT', () => {
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
    const { stdout, exitCode } = await logs('list', ...args, '--no-sync', '--json');
    expect(exitCode).toBe(0);
    const matches: { entryId: string; where: string }[] = JSON.parse(stdout);
    expect(matches.map(({ entryId, where }) => [nameOf(entryId), where])).toEqual(found);
  });

  test('shows the text with what stands around it', async () => {
    const { stdout, stderr } = await logs('list', 'Line two', '--limit', '2');
    expect(stdout).toMatch(
      /^uid +entry +where +order +signed +text\n\d+ +\S+ +body +42 +2025-11-14T09:00:02Z +….*Line two.*…?\n/,
    );
    expect(stderr).toContain('Found: 3; shown: the newest 2. --limit N shows more.\n');
    // Rows do not have texts as they were sent: the entries that were not read may contain it, too.
    const sent = await logs('list', '\\u51b3', '--limit', '1');
    expect(sent.stderr).toContain('Found: at least 1; shown: the newest 1. --limit N shows more.\n');
  });

  test('finds words with hidden characters in them, and list and show make these visible', async () => {
    const team = await local.oldTeam();
    const log = (text: string) => ({ orderId: null, model: 'M-1', output: { text }, explanation: 'x' });
    await local.uploadAt(team, T0, log('Sell the 👨‍👩‍👧 quota'));
    const b = await local.uploadAt(team, T0 + 1, log('S\u034fell\ufe00 t\u3164he 👨‍👩‍👧 qu\u0430ta'));
    const hidden = 'S\\u034fell\\ufe00 t\\u3164he 👨‍👩‍👧 qu\u0430ta';
    const searched = await logs('list', 'sell the', '--uid', team.uid);
    expect(searched.stdout).toContain(hidden);
    expect(searched.stderr).toMatch(/(^|\n)Found: 2\.\n$/);
    expect((await logs('show', b, '--uid', team.uid)).stdout).toContain(`"text": "${hidden}"`);
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

  // biome-ignore format: one case a line
  test.each([
    [['list'], /(^|\n)No entry matches\.\n/],
    [['list', 'volume'], /(^|\n)No entry contains "volume"\.\n/],
    [['verify'], /^No entry matches\.\n/],
    [['export'], /^Exported: 0\.\n/],
  ])('that no log has: %j names those that exist', async (command, none) => {
    const { stderr } = await logs(...command, '--uid', alpha.uid, '--stage', 'decision');
    expect(stderr).toMatch(none);
    expect(stderr.endsWith(VALUES)).toBe(true);
  });

  test('that no log has: the rows know those that exist, and the table is not read', async () => {
    const key = { uid: alpha.uid, entryId: ids.late as string };
    await local.tamper(key, { stage: 'Edited' });
    const { stderr } = await logs('list', '--uid', alpha.uid, '--stage', 'decision', '--no-sync');
    await local.tamper(key, { stage: 'S' });
    expect(stderr).toBe(`No entry matches.\n${VALUES}`);
  });
});
