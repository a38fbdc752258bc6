import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../../../functions/sequencer/sequence.ts';
import { formatCommit, parseCommit } from '../../../../functions/tlog/commit.ts';
import { commitPath } from '../../../../functions/tlog/paths.ts';
import { HOUR_MS, localWorld, MINUTE_MS, noDeadline, notes, stopClock } from '../../../setup/world.ts';

const data = await localWorld().sequenced({ isLive: true });
await data.logged();

const show = async (id: string) => {
  const ran = await data.ailog(['logs', 'show', id, '--uid', data.owner.uid]);
  return { ...ran, place: /^transparency log +(.*)$/m.exec(ran.stdout)?.[1] };
};

describe('ailog logs show', () => {
  test('says that an entry is not in the log yet, then since when it is', async () => {
    const id = await data.upload();
    expect(await show(id)).toMatchObject({ exitCode: 0, stderr: '', place: 'not yet' });
    await data.sequence();
    const { exitCode, place } = await show(id);
    const index = data.newest().to.size - 1;
    const said = new RegExp(`^index ${index}, since \\S+Z, the organisers' storage says$`);
    expect([exitCode, place]).toEqual([0, expect.stringMatching(said)]);
    const { stdout } = await data.ailog(['logs', 'show', id, '--json']);
    expect(JSON.parse(stdout).tlog).toEqual({ status: 'logged', index, cameAt: expect.any(String) });
  });

  test('says that an entry came late; LATE ends with exit code 6', async () => {
    const id = await data.logged();
    const path = join(data.logFolder, commitPath(data.newest().n));
    const before = readFileSync(path, 'utf8');
    const commit = parseCommit(before);
    writeFileSync(path, formatCommit({ ...commit, time: (await data.stored(id)).receivedAt + 75 * 60_000 }));
    const { exitCode, place } = await show(id);
    writeFileSync(path, before);
    expect([exitCode, place]).toEqual([
      6,
      expect.stringContaining('LATE: 1 h 5 min after the ten minutes that the service promises'),
    ]);
  });

  test('shows the entry even if a file of the log is missing', async () => {
    const id = await data.logged();
    const file = join(data.logFolder, `tile/0/000.p/${data.newest().to.size}`);
    renameSync(file, `${file}.away`);
    const { exitCode, stdout, stderr } = await show(id);
    await data.upload();
    const all = await data.ailog(['logs', 'verify', '--uid', data.owner.uid]);
    renameSync(`${file}.away`, file);
    expect(all.stderr.match(/The transparency log was not read/g)).toHaveLength(1);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The transparency log was not read: ')]);
    expect(stderr).toContain('it has no tile/0/');
    expect(stdout).toContain('signature check ');
  });
});

describe('ailog logs verify', () => {
  test('ends with exit code 5 if nothing is wrong, and an entry is not in the log yet', async () => {
    const team = await data.oldTeam();
    await data.logged({}, team);
    const verify = () => data.ailog(['logs', 'verify', '--uid', team.uid]);
    expect((await verify()).exitCode).toBe(0);
    await data.upload({}, team);
    expect(await verify()).toMatchObject(notes(5, 'Checked: 2, failed: 0, not checked: 1.'));
    await data.sequence();
  });

  test('says of every entry its place in the log, and counts them', async () => {
    const team = await data.oldTeam();
    const ids: string[] = [];
    for (let entry = 0; entry < 3; entry += 1) ids.push(await data.upload({ stage: `${entry}` }, team));
    const [whole = '', changed = '', missing = ''] = ids;
    await data.tamper({ uid: team.uid, entryId: missing }, { slot: undefined, arrival: undefined });
    await data.sequence();
    await data.tamper({ uid: team.uid, entryId: changed }, { locale: 'fr' });
    const ran = await data.ailog(['logs', 'verify', '--uid', team.uid]);
    expect(ran.exitCode).toBe(1);
    const line = (id: string) => ran.stdout.split('\n').find((text) => text.includes(id));
    expect(line(whole)).toMatch(
      /^ok .* digest ok, fields ok, signature ok, time ok, transparency log index \d+, since/,
    );
    expect(line(changed)).toMatch(/^FAILED .*, transparency log the row differs/);
    expect(line(missing)).toMatch(/^FAILED .*, transparency log missing/);
    expect(ran.stderr).toContain('In the transparency log: 1, not yet: 0, changed since: 1, missing: 1.\n');
    const { stdout } = await data.ailog(['logs', 'verify', '--uid', team.uid, '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { entryId: whole, ok: true, tlog: { status: 'logged', index: expect.any(Number) } },
      { entryId: changed, ok: false, tlog: { status: 'differs' } },
      { entryId: missing, ok: false, tlog: { status: 'missing' } },
    ]);
    await data.remove({ uid: team.uid, entryId: missing });
    expect((await data.ailog(['report', '--uid', team.uid])).stderr).toContain(
      `1, not yet: 0, changed since: 1, missing: 0. See ailog logs verify --uid ${team.uid}.\n`,
    );
  });

  test('says of an entry that the log came past that it will look again', async () => {
    // This log comes past the time of all later uploads.
    const data = await localWorld().sequenced({ isLive: true });
    const { owner: team } = data;
    const id = await data.upload({}, team);
    const { slot, arrival } = (await data.entriesOf(team.uid))[0] ?? {};
    const key = { uid: team.uid, entryId: id };
    await data.tamper(key, { slot: undefined, arrival: undefined });
    await data.sequence(11 * MINUTE_MS);
    await data.tamper(key, { slot, arrival });
    expect((await data.ailog(['logs', 'verify', '--uid', team.uid])).stdout).toMatch(
      /^FAILED .* without it. If the clock of the service was set back, the sequencer adds it two days/,
    );
  });
});

test('ailog tlog status ends with exit code 5 if the log is more than five minutes behind', async () => {
  stopClock(Date.now());
  const own = await localWorld().sequenced({ isLive: true });
  const arrivals = { beginning: async () => Date.now() - HOUR_MS, between: async () => [] };
  const statusAt = async (minutesBehind: number) => {
    const now = Date.now() - minutesBehind * MINUTE_MS;
    await run({ ...own.runOptions, arrivals, lagMs: 0, now: () => now }, noDeadline());
    return own.ailog(['tlog', 'status']);
  };
  expect(await statusAt(15)).toMatchObject(notes(5, 'The sequencer is behind: it has come to '));
  expect(await statusAt(4)).toMatchObject({ exitCode: 0, stderr: '' });
});
