import { renameSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { notes } from '../../../setup/outcome.ts';
import { MINUTE_MS } from '../../../setup/time.ts';
import { oldTeam, tamper } from '../logs/entries.ts';
import { openLoggedData } from './loggedData.ts';

const data = await openLoggedData();
afterAll(() => data.engine.stop());
await data.logged();

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
    expect([exitCode, place]).toEqual([0, expect.stringMatching(/^index 4, by \S+Z, says the organisers' storage$/)]);
    const { stdout } = await data.ailog(['logs', 'show', id, '--json']);
    const logged = { status: 'logged', index: expect.any(Number), size: 5, storedAt: expect.any(String) };
    expect(JSON.parse(stdout).tlog).toEqual(logged);
  });

  test('calls no entry late that is older than the log: nothing was promised of it', async () => {
    const [old] = await data.fixture.entriesOf(data.team.uid);
    const paths = ['checkpoint', 'checkpoints/3', 'checkpoints/4'].map((path) => join(data.logFolder, path));
    const before = paths.map((path) => statSync(path));
    const came = (old as Entry).receivedAt / 1000 + 75 * 60;
    for (const path of paths) utimesSync(path, came, came);
    const { exitCode, place } = await show((old as Entry).entryId);
    for (const [at, { atime, mtime }] of before.entries()) utimesSync(paths[at] as string, atime, mtime);
    expect([exitCode, place]).toEqual([0, expect.stringMatching(/^index 3, by \S+Z, says the organisers' storage$/)]);
  });

  test('says when it came by the storage, whatever the marks of the head say; LATE ends with exit code 6', async () => {
    const id = await data.logged();
    const { marks, size } = await data.head();
    await data.changeHead({ marks: [{ cursor: Date.parse('2100-11-14T09:00:00Z'), size }] });
    const came = Math.floor((await data.stored(id)).receivedAt / 1000 + 75 * 60) * 1000;
    for (const path of ['checkpoint', `checkpoints/${size}`])
      utimesSync(join(data.logFolder, path), came / 1000, came / 1000);
    const { exitCode, place } = await show(id);
    await data.changeHead({ marks });
    const by = `${new Date(came).toISOString().slice(0, 19)}Z`;
    expect(place).toMatch(
      new RegExp(`^index 5, by ${by}, says the organisers' storage. LATE: 1 h (4|5) min.* after the ten minutes that`),
    );
    expect(exitCode).toBe(6);
  });

  test('says "by now" if the hints are gone', async () => {
    const hints = join(data.logFolder, 'hints');
    const id = await data.logged();
    renameSync(hints, `${hints}.away`);
    const ran = await show(id);
    renameSync(`${hints}.away`, hints);
    expect(ran).toMatchObject({ exitCode: 0, place: 'index 6, by now; nothing says since when' });
  });

  test('says "not yet" of an entry that the index shows late, until the log has looked for it for ten minutes', async () => {
    const id = await data.upload();
    const { cursor, size } = await data.head();
    const { receivedAt } = (await data.fixture.entriesOf(data.team.uid)).at(-1) ?? { receivedAt: 0 };
    const placeAt = async (minutes: number) => {
      await data.changeHead({ cursor: receivedAt + minutes * MINUTE_MS });
      return (await show(id)).place;
    };
    // The cursor comes past it, as if the index had not shown it.
    expect(await placeAt(10)).toBe('not yet');
    const { stderr, exitCode } = await data.ailog(['prove', id, '-o', 'late', '--uid', data.team.uid]);
    expect([exitCode, stderr]).toEqual([
      5,
      expect.stringMatching(/is not in the transparency log yet\.\n(Try again in about|The index shows it late)/),
    ]);
    expect(await placeAt(11)).toContain('missing: ');
    // A head that is claimed and not published may have it.
    await data.changeHead({ size: size + 1 });
    expect(await placeAt(11)).toBe('not yet');
    await data.changeHead({ cursor, size });
    await data.sequence();
  });

  test('shows the entry even if a file of the log is missing', async () => {
    const id = await data.logged();
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
    const undo = await data.passed();
    await tamper(data.fixture, { uid: team.uid, entryId: changed }, { locale: 'fr' });
    const pending = await data.upload({ stage: 'late' }, team);
    const ran = await data.ailog(['logs', 'verify', '--uid', team.uid]);
    expect(ran.exitCode).toBe(1);
    const line = (id: string) => ran.stdout.split('\n').find((text) => text.includes(id));
    expect(line(whole)).toMatch(/^ok .* digest ok, fields ok, signature ok, time ok, transparency log index \d+$/);
    expect(line(changed)).toMatch(/^FAILED .*, transparency log the row differs/);
    expect(line(missing)).toMatch(/^FAILED .*, transparency log missing/);
    expect(line(pending)).toMatch(/^PARTLY .*, transparency log not yet$/);
    expect(ran.stderr).toBe(
      'Checked: 4, failed: 2, not checked: 1.\nIn the transparency log: 1, not yet: 1, changed since: 1, missing: 1.\n',
    );
    const { stdout } = await data.ailog(['logs', 'verify', '--uid', team.uid, '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { entryId: whole, ok: true, tlog: { status: 'logged', index: expect.any(Number) } },
      { entryId: changed, ok: false, tlog: { status: 'differs' } },
      { entryId: missing, ok: false, tlog: { status: 'missing' } },
      { entryId: pending, ok: false, tlog: { status: 'pending' } },
    ]);
    await undo();
  });

  test('says of an entry that the log came past that the clock may have been set back, until it looks again', async () => {
    const team = await oldTeam(data.fixture);
    await data.upload({}, team);
    const { looked } = await data.head();
    const undo = await data.passed();
    const verify = async () => (await data.ailog(['logs', 'verify', '--uid', team.uid])).stdout;
    const waiting = await verify();
    await data.changeHead({ looked: Date.now() + MINUTE_MS });
    const gone = await verify();
    await data.changeHead({ looked });
    await undo();
    expect(waiting).toMatch(
      /^FAILED .* without it. If the clock of the service was set back, the sequencer adds it two days/,
    );
    expect(gone).toMatch(/^FAILED .* missing: the log came past the time of this entry without it\n$/);
    await data.sequence();
  });

  test('ends with exit code 5 if nothing is wrong, and an entry is not in the log yet', async () => {
    const team = await oldTeam(data.fixture);
    await data.logged({}, team);
    const verify = () => data.ailog(['logs', 'verify', '--uid', team.uid]);
    expect((await verify()).exitCode).toBe(0);
    await data.upload({}, team);
    expect(await verify()).toMatchObject(notes(5, 'Checked: 2, failed: 0, not checked: 1.'));
  });
});
