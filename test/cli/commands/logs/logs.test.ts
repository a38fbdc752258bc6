import { describe, expect, test } from 'vitest';
import { HOUR_MS, localWorld, logText, says } from '../../../setup/world.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');
const BIG = 590480926522704171n;

const [local, listed] = [await localWorld(), await localWorld()];
/** The teams and entries of `listed`, to which no test adds one. */
const alpha = await listed.team();
const beta = await listed.team();
const ids: Record<string, string> = {
  a0: await listed.uploadAt(alpha, T0, { orderId: 9223372036854775807n, stage: 'S1', model: 'M-1' }),
  b0: await listed.uploadAt(beta, T0 + 1, { orderId: BIG, stage: 'S2', model: 'M-1' }),
  a1: await listed.uploadAt(alpha, T0 + HOUR_MS, { orderId: BIG, stage: 'S2', model: 'M-2' }),
  b1: await listed.uploadAt(beta, T0 + 24 * HOUR_MS, { orderId: null, stage: 'S1', model: 'M-2' }),
};

const logs = (...args: string[]) => local.ailog(['logs', ...args]);

describe('ailog logs list', () => {
  const nameOf = (entryId: string) => Object.keys(ids).find((name) => ids[name] === entryId);

  // biome-ignore format: one case a line
  test.each<[string, string[], string[]]>([
    ['all teams, the newest first', [], ['b1', 'a1', 'b0', 'a0']],
    ['the newest of all', ['--limit', '3'], ['b1', 'a1', 'b0']],
    ['one team', ['--uid', alpha.uid], ['a1', 'a0']],
    ['the newest of one team', ['--uid', alpha.uid, '--limit', '1'], ['a1']],
    ['two teams', ['--uid', alpha.uid, '--uid', beta.uid, '--limit', '3'], ['b1', 'a1', 'b0']],
    ['an order of any team, by team', ['--order', String(BIG)], ['a1', 'b0']],
    ['an order of one team', ['--order', String(BIG), '--uid', beta.uid], ['b0']],
    ['an order since a time', ['--order', String(BIG), '--since', '2025-11-14T09:30:00Z'], ['a1']],
    ['an order until a time', ['--order', String(BIG), '--until', '2025-11-14T09:30:00Z'], ['b0']],
    ['an order with a model', ['--order', String(BIG), '--model', 'M-1'], ['b0']],
    ['the largest order id', ['--order', '9223372036854775807'], ['a0']],
    ['a neighbour of an order', ['--order', String(BIG - 1n)], []],
    ['a day', ['--since', '2025-11-14', '--until', '2025-11-15'], ['a1', 'b0', 'a0']],
    ['since a time, inclusive', ['--since', '2025-11-14T10:00:00Z'], ['b1', 'a1']],
    ['until a time, exclusive', ['--until', '2025-11-14T10:00:00Z', '--uid', alpha.uid], ['a0']],
    ['between two times, of one team', ['--since', '2025-11-14T09:00:00Z', '--until', '2025-11-14T10:00Z', '--uid', alpha.uid], ['a0']],
    ['with an offset', ['--since', '2025-11-14T12:00:00+02:00'], ['b1', 'a1']],
    ['a stage', ['--stage', 'S1'], ['b1', 'a0']],
    ['a stage and a model', ['--stage', 'S1', '--model', 'M-2'], ['b1']],
    ['a stage in another case', ['--stage', 's1'], ['b1', 'a0']],
  ])('%s', async (_name, args, wanted) => {
    const { stdout } = await listed.ailog(['logs', 'list', '--json', ...args]);
    expect(JSON.parse(stdout).map(({ entryId }: { entryId: string }) => nameOf(entryId))).toEqual(wanted);
  });
});

describe('ailog logs show', () => {
  const TEXT = logText(
    { orderId: BIG, model: 'M-1' },
    { stage: '"\\u001b[31mred"', input: '{"n":[1.10,1e400,590480926522704171]}', explanation: '"x\\u009b\u202e"' },
  );

  test('shows facts, checks and body with every digit, and escapes control characters', async () => {
    const team = await local.oldTeam();
    const id = await local.uploadAt(team, T0, TEXT);
    const { stdout, stderr, exitCode } = await logs('show', id);
    expect([exitCode, stderr]).toEqual([0, '']);
    const [facts, body = ''] = stdout.split('\n\n');
    expect(facts).toContain('\nstage           \\u001b[31mred\nmodel           M-1\nexplanation     x\\u009b\\u202e\n');
    expect(facts).toMatch(/\ndigest check {4}ok\nfields check {4}ok\nsignature check ok\ntime check {6}ok$/);
    expect(body).toContain('{\n  "stage": "\\u001b[31mred",\n  "model": "M-1",\n');
    expect(body).toContain('    "n": [\n      1.10,\n      1e400,\n      590480926522704171\n    ]\n');
    expect(body).toContain('  "explanation": "x\\u009b\\u202e"');
    expect(body).toContain('\n  "orderId": 590480926522704171\n}\n');
  });

  test('the start of an id is enough where it is unique, and else names the entries', async () => {
    const [one, other] = [await local.oldTeam(), await local.oldTeam()];
    const at = T0 + 5 * HOUR_MS;
    const ids = [await local.uploadAt(one, at), await local.uploadAt(other, at)];
    const uidOf = async (...args: string[]) => JSON.parse((await logs('show', ...args, '--json')).stdout).uid;
    expect(await uidOf(ids[0]?.slice(0, 22) as string)).toBe(one.uid);
    expect(await uidOf(`${ids[1]?.slice(0, 20)}…`)).toBe(other.uid);
    expect(await uidOf(String(at), '--uid', other.uid)).toBe(other.uid);
    const { exitCode, stderr } = await logs('show', String(at));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^Several entries begin with \d{13}:\n/);
    for (const id of ids) expect(stderr).toContain(id);
  });

  test('of an id that begins many entries, ten are named', async () => {
    const team = await local.oldTeam();
    const at = T0 + 6 * HOUR_MS;
    const ids: string[] = [];
    for (let n = 0; n < 11; n += 1) ids.push(await local.uploadAt(team, at, { input: { n } }));
    const named = ids
      .sort()
      .slice(0, 10)
      .map((id) => `UID ${team.uid}: ${id}\n`);
    expect((await logs('show', String(at))).stderr).toBe(
      `Several entries begin with ${at}:\n${named.join('')}Give more of the entry id, or --uid.\n`,
    );
  });

  test('prompts keep their line breaks, and --full shows what a long body hides', async () => {
    const team = await local.oldTeam();
    const prompt = `You trade.\nBTC or ETH?\n${'x'.repeat(30_000)}END`;
    const id = await local.uploadAt(team, T0, { input: { prompt } });
    const cut = await logs('show', id);
    expect(cut.stdout).toContain('\n    "prompt":\n      | You trade.\n      | BTC or ETH?\n      | xxx');
    expect(cut.stdout).not.toContain('END');
    expect(cut.stdout.length).toBeLessThan(22_000);
    expect(cut.stderr).toMatch(/^Cut: the first 20000 characters of a body of 30\d{3}\. --full shows all of it/);
    const full = await logs('show', id, '--full');
    expect(full.stdout).toContain('END');
    expect(full.stderr).toBe('');
  });

  test.each([
    ['an entry that does not exist', [`${T0}-${'0'.repeat(32)}`], `There is no entry ${T0}-${'0'.repeat(32)}.\n`],
    ['an entry of an unknown team', [`${T0}-${'0'.repeat(32)}`, '--uid', '5'], 'UID 5 is unknown'],
    ['the start of no id', ['1700000000000-'], 'There is no entry 1700000000000-.\n'],
  ])('%s', async (_name, args, stderr) => {
    expect(await logs('show', ...args)).toEqual(says(1, expect.stringContaining(stderr)));
  });
});
