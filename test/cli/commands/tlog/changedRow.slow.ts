import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { arrivalKeys } from '../../../../functions/tlog/arrival.ts';
import { localWorld, MINUTE_MS } from '../../../setup/world.ts';

const data = await localWorld().sequenced({ isLive: true });
await data.logged();

test('ailog report counts the logs of each team by their place in the log, and names the teams to look at', async () => {
  const [changedTeam, wholeTeam] = [await data.oldTeam(), await data.oldTeam()];
  await data.upload({ stage: 'a' }, changedTeam);
  const changed = await data.upload({ stage: 'b' }, changedTeam);
  await data.logged({ stage: 'c' }, wholeTeam);
  await data.tamper({ uid: changedTeam.uid, entryId: changed }, { receivedAt: 5 });
  await data.upload({ stage: 'd' }, wholeTeam);
  const uids = ['--uid', changedTeam.uid, '--uid', wholeTeam.uid];
  const { exitCode, stdout } = await data.ailog(['report', ...uids, '--json']);
  const { teams }: { teams: { uid: string; tlog: object }[] } = JSON.parse(stdout);
  expect([exitCode, Object.fromEntries(teams.map(({ uid, tlog }) => [uid, tlog]))]).toEqual([
    0,
    {
      [changedTeam.uid]: { logged: 1, pending: 0, differs: 1, missing: 0 },
      [wholeTeam.uid]: { logged: 1, pending: 1, differs: 0, missing: 0 },
    },
  ]);
  const { stderr } = await data.ailog(['report', ...uids]);
  expect(stderr).toContain(
    `In the transparency log: 2, not yet: 1, changed since: 1, missing: 0. See ailog logs verify --uid ${changedTeam.uid}.\n`,
  );
});

describe('a row that somebody changed after it was logged', () => {
  type Change = (entry: Entry) => Record<string, unknown>;
  const place = { differs: 'the row differs from the log', missing: 'missing: ' };

  // biome-ignore format: one case a line
  test.each<[name: string, status: keyof typeof place, change: Change]>([
    ['another address', 'differs', () => ({ sourceIp: '192.0.2.9' })],
    ['the UID of another team', 'differs', () => ({ uid: '424242' })],
    ['another time', 'differs', ({ receivedAt }) => ({ receivedAt: receivedAt - 20_000 })],
    ['another time, with its arrival keys', 'missing', (entry) => {
      const forged = { ...entry, receivedAt: entry.receivedAt - 20_000 };
      return { ...forged, ...arrivalKeys(forged) };
    }],
    ['another address and no arrival keys', 'missing', () => ({ sourceIp: '192.0.2.9', slot: undefined, arrival: undefined })],
  ])('has %s: every command says that it %s', async (_name, status, change) => {
    const team = await data.oldTeam();
    const id = await data.logged({}, team);
    const [entry] = (await data.entriesOf(team.uid)) as [Entry];
    const forged = { ...entry, ...change(entry) };
    await data.sequence(11 * MINUTE_MS);
    await data.remove({ uid: team.uid, entryId: id });
    await data.tamper({ uid: forged.uid, entryId: id }, forged);
    const of = ['--uid', forged.uid];
    const shown = await data.ailog(['logs', 'show', id, ...of]);
    const verified = await data.ailog(['logs', 'verify', ...of, '--json']);
    const reported = await data.ailog(['report', ...of, '--json']);
    expect([shown.exitCode, shown.stdout]).toEqual([1, expect.stringContaining(place[status])]);
    expect([verified.exitCode, JSON.parse(verified.stdout)]).toMatchObject([1, [{ ok: false, tlog: { status } }]]);
    expect(JSON.parse(reported.stdout).teams[0].tlog).toMatchObject({ logged: 0, [status]: 1 });
    await data.remove({ uid: forged.uid, entryId: id });
  });
});
