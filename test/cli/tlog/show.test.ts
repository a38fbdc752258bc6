import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestBackfill } from '../../../cli/demo/requestBackfill.ts';
import { oldTeam, tamper } from '../logs/entries.ts';
import { type LoggedData, openLoggedData } from './loggedData.ts';

let data: LoggedData;
beforeAll(async () => {
  data = await openLoggedData();
  await data.upload();
  await data.sequence();
});
afterAll(() => data.engine.stop());

const show = async (id: string) => {
  const ran = await data.ailog(['logs', 'show', id, '--uid', data.team.uid]);
  return { ...ran, place: /^transparency log +(.*)$/m.exec(ran.stdout)?.[1] };
};

describe('ailog logs show', () => {
  test('says that an entry is not in the log yet, then since when it is', async () => {
    const id = await data.upload();
    expect(await show(id)).toMatchObject({ exitCode: 0, stderr: '', place: 'not yet' });
    await data.sequence();
    const { exitCode, place } = await show(id);
    expect([exitCode, place]).toEqual([0, expect.stringMatching(/^since before \S+Z$/)]);
    const { stdout } = await data.ailog(['logs', 'show', id, '--json']);
    expect(JSON.parse(stdout).tlog).toEqual({
      status: 'logged',
      index: expect.any(Number),
      size: 4,
      since: expect.any(String),
    });
  });

  test('tells by the marks of the head before which hour an entry was in the log', async () => {
    const id = await data.upload();
    await data.sequence();
    const { marks, size } = await data.head();
    const mark = (hour: string, at: number) => ({ cursor: Date.parse(`2100-11-14T${hour}:00:00Z`), size: at });
    await data.changeHead({ marks: [mark('09', size), mark('10', size)] });
    expect((await show(id)).place).toMatch(/^since before 2100-11-14T09:00:00Z$/);
    await data.changeHead({ marks: [mark('09', size - 1), mark('10', size)] });
    expect((await show(id)).place).toMatch(/^since before 2100-11-14T10:00:00Z$/);
    await data.changeHead({ marks });
  });

  test('says that a row was changed, or is missing in the log, and the exit code is 1', async () => {
    const [changed, missing] = [await data.upload(), await data.upload()];
    await tamper(data.fixture, { uid: data.team.uid, entryId: missing }, { slot: undefined, arrival: undefined });
    await data.sequence();
    await data.reconciled();
    await tamper(data.fixture, { uid: data.team.uid, entryId: changed }, { sourceIp: '192.0.2.9' });
    expect(await show(changed)).toMatchObject({ exitCode: 1, place: expect.stringContaining('differs from the log') });
    expect(await show(missing)).toMatchObject({ exitCode: 1, place: expect.stringContaining('missing: ') });
  });

  test('says "not yet" of an entry that the index showed late, until a reconciliation has looked for it', async () => {
    const [known, unknown] = [await data.upload(), await data.upload()];
    const { hourly, daily, cursor } = await data.head();
    await tamper(data.fixture, { uid: data.team.uid, entryId: unknown }, { slot: undefined, arrival: undefined });
    // The cursor comes past both, as if the index had not shown them.
    await data.changeHead({ cursor: cursor + 3_600_000 });
    const places = async () => [(await show(known)).place, (await show(unknown)).place];
    expect(await places()).toEqual(['not yet', 'not yet']);
    const { stderr, exitCode } = await data.ailog(['prove', known, '-o', 'late', '--uid', data.team.uid]);
    expect([exitCode, stderr]).toEqual([
      5,
      expect.stringMatching(/is not in the transparency log yet\.\n(Try again in about|The index showed it late)/),
    ]);
    const done = { begunAt: cursor + 3_600_000, doneAt: cursor + 3_600_000 };
    await data.changeHead({ hourly: done });
    expect(await places()).toEqual([expect.stringContaining('missing: '), 'not yet']);
    await data.changeHead({ hourly, daily: done });
    expect(await places()).toEqual(['not yet', expect.stringContaining('missing: ')]);
    // A head that is claimed and not published may have them.
    const { size } = await data.head();
    await data.changeHead({ hourly: done, daily: done, size: size + 1 });
    expect(await places()).toEqual(['not yet', 'not yet']);
    await data.changeHead({ hourly, daily, cursor, size });
    await data.sequence();
  });

  test('says "not yet" until a backfill, such as that of the demo, has added an older entry', async () => {
    const id = await data.upload();
    await tamper(data.fixture, { uid: data.team.uid, entryId: id }, { slot: undefined, arrival: undefined });
    await data.sequence();
    await data.reconciled();
    expect(await show(id)).toMatchObject({ exitCode: 1, place: expect.stringContaining('missing: ') });
    await requestBackfill(data.fixture.db, data.fixture.names.tlog);
    expect(await show(id)).toMatchObject({ exitCode: 0, place: 'not yet' });
    await data.sequence();
    expect(await show(id)).toMatchObject({ exitCode: 0, place: expect.stringMatching(/^since before /) });
  });

  test('shows the entry even if a file of the log is missing', async () => {
    const id = await data.upload();
    await data.sequence();
    const file = join(data.logFolder, `tile/entries/000.p/${(await data.head()).size}`);
    renameSync(file, `${file}.away`);
    const { exitCode, stdout, stderr } = await show(id);
    renameSync(`${file}.away`, file);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('The transparency log was not read: The transparency log has no tile/entries/'),
    ]);
    expect(stdout).toContain('signature check ');
  });
});

describe('ailog logs verify', () => {
  test('says of every entry since when it is in the log, and counts them', async () => {
    const team = await oldTeam(data.fixture);
    const ids: string[] = [];
    for (let entry = 0; entry < 3; entry += 1) ids.push(await data.upload({ stage: `${entry}` }, team));
    const [whole = '', changed = '', missing = ''] = ids;
    await tamper(data.fixture, { uid: team.uid, entryId: missing }, { slot: undefined, arrival: undefined });
    await data.sequence();
    await data.reconciled();
    await tamper(data.fixture, { uid: team.uid, entryId: changed }, { locale: 'fr' });
    const pending = await data.upload({ stage: 'late' }, team);
    const ran = await data.ailog(['logs', 'verify', '--uid', team.uid]);
    expect(ran.exitCode).toBe(1);
    const line = (id: string) => ran.stdout.split('\n').find((text) => text.includes(id));
    expect(line(whole)).toMatch(
      /^ok .* digest ok, fields ok, signature ok, time ok, transparency log since before \S+Z$/,
    );
    expect(line(changed)).toMatch(/^FAILED .*, transparency log the row differs/);
    expect(line(missing)).toMatch(/^FAILED .*, transparency log missing/);
    expect(line(pending)).toMatch(/^ok .*, transparency log not yet$/);
    expect(ran.stderr).toBe(
      'Checked: 4, failed: 2, not checked: 0.\nIn the transparency log: 1, not yet: 1, changed since: 1, missing: 1.\n',
    );
    const { stdout } = await data.ailog(['logs', 'verify', '--uid', team.uid, '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { entryId: whole, ok: true, tlog: { status: 'logged', index: expect.any(Number) } },
      { entryId: changed, ok: false, tlog: { status: 'differs' } },
      { entryId: missing, ok: false, tlog: { status: 'missing' } },
      { entryId: pending, ok: true, tlog: { status: 'pending' } },
    ]);
  });
});

describe('ailog report', () => {
  test('counts the logs of each team by their place in the log, and names the teams to look at', async () => {
    const [changedTeam, wholeTeam] = [await oldTeam(data.fixture), await oldTeam(data.fixture)];
    await data.upload({ stage: 'a' }, changedTeam);
    const changed = await data.upload({ stage: 'b' }, changedTeam);
    await data.upload({ stage: 'c' }, wholeTeam);
    await data.sequence();
    await tamper(data.fixture, { uid: changedTeam.uid, entryId: changed }, { receivedAt: 5 });
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
});
