import { expect, test } from 'vitest';
import type { Target } from '../../../../cli/store/targets/target.ts';
import { findMadeUpUids, madeUpUids, makeTeams, removeTeams } from '../../../../cli/upload/rehearsal.ts';
import { HOUR_MS, localWorld, notes, type Tables, world } from '../../../setup/world.ts';

/** The local data as a target, as far as a rehearsal changes it. */
const targetOf = ({ db, names, seal }: Tables) =>
  ({ db, tables: names, seal, who: async () => 'me', now: async () => Date.now() }) as unknown as Target;

const local = await localWorld();

test('nothing is made if the service does not answer', async () => {
  const before = await Array.fromAsync(local.allowlist.all());
  expect((await local.ailog(['ops', 'rehearse', '--teams', '2'])).exitCode).toBe(4);
  expect(await Array.fromAsync(local.allowlist.all())).toEqual(before);
});

test('--remove removes what made-up teams have, and nothing else', async () => {
  const { allowlist, apiKeys } = local;
  const target = targetOf(local);
  const other = await local.team();
  await local.allowlist.put({ uid: other.uid, status: 'approved', note: 'made up its own mind' });
  const othersEntry = await local.uploadAt(other, Date.now());
  const owners = async (items: AsyncIterable<{ uid: string }>) =>
    (await Array.fromAsync(items)).map(({ uid }) => uid).sort();
  const before = [await owners(allowlist.all()), await owners(apiKeys.all())];
  const uids = madeUpUids(2);
  const teams = await makeTeams(target, uids);
  for (const minutes of [1, 2, 3]) await local.uploadAt(teams[1] as never, Date.now() - minutes * 60_000);
  expect(await findMadeUpUids(target)).toEqual(expect.arrayContaining(uids));
  expect((await allowlist.get(uids[0] as string))?.status).toBe('approved');

  const ran = await local.ailog(['ops', 'rehearse', '--remove', '--json']);
  expect(ran).toMatchObject(notes(0, 'Removed: 2 teams, 3 logs.\n'));
  expect(JSON.parse(ran.stdout)).toEqual({ target: 'the local data', teams: 2, removed: 3 });
  expect(await local.entriesOf(uids[1] as string)).toEqual([]);
  expect([await owners(allowlist.all()), await owners(apiKeys.all())]).toEqual(before);
  expect((await local.entriesOf(other.uid)).map(({ entryId }) => entryId)).toEqual([othersEntry]);
});

test('a made-up team never takes the place of another one', async () => {
  const { allowlist } = local;
  const target = targetOf(local);
  const { uid } = await local.team({ status: 'disqualified' });
  await expect(makeTeams(target, [uid])).rejects.toThrow(`Someone else has just changed UID ${uid}`);
  expect((await allowlist.get(uid))?.status).toBe('disqualified');
  await removeTeams(target, [uid], () => {});
});

// A stack may have any name: its settings say whether its data is kept.
test.each([
  ['AiLogUpload-prod', { stage: 'prod', disposable: 'false' }],
  ['Logs', { stage: 'live', disposable: 'false' }],
  ['AiLogUpload-dev', {}],
])('%s with the settings %j is refused before anything is made or removed', async (stack, settings) => {
  const { allowlist, ailog } = await world().deployed({
    name: stack,
    monitored: () => ({ alarms: [], metrics: {}, settings }),
  });
  for (const more of [[], ['--remove']]) {
    const ran = await ailog(['ops', 'rehearse', ...more]);
    expect(ran).toMatchObject(notes(2, new RegExp(`^${stack} is in use: .*Deploy another stage`, 's')));
  }
  expect(await Array.fromAsync(allowlist.all())).toEqual([]);
});

test('what a rehearsal removed is in no figure, and its leaves are told as what they are', async () => {
  const data = await localWorld().sequenced({ isLive: true });
  const target = targetOf(data);
  const uids = madeUpUids(2);
  for (const team of await makeTeams(target, uids)) {
    for (const hours of [2, 3]) await data.uploadAt(team as never, Date.now() - hours * HOUR_MS);
  }
  await data.upload();
  await data.sequence();
  expect((await data.ailog(['data', 'sync'])).stderr).toMatch(/^5 new entries/m);

  await data.ailog(['ops', 'rehearse', '--remove']);
  const { stdout, stderr } = await data.ailog(['report', '--json']);
  const left: string[] = JSON.parse(stdout).teams.map(({ uid }: { uid: string }) => uid);
  expect(left.filter((uid) => uids.includes(uid))).toEqual([]);
  expect(stderr).toMatch(/^The rows are made again: a rehearsal has removed its logs\.\n1 new entry/m);
  expect(stderr).toContain('Removed logs of a rehearsal, which stay in the transparency log: 4.');
  expect(stderr).not.toContain('the table did not have');
  expect((await data.ailog(['data', 'sync'])).stderr).not.toContain('made again');
});
