import { userInfo } from 'node:os';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { allowlistEditor } from '../../../../cli/store/tables/allowlistEditor.ts';
import type { AllowlistEntry } from '../../../../functions/allowlist/allowlist.ts';
import { inProcess, localWorld, says, signedUpload } from '../../../setup/world.ts';
import { UNANSWERED } from '../keys/keyHelpers.ts';

const local = await localWorld();

const get = (uid: string) => local.allowlist.get(uid);
const entry = (uid: string, status: string, more: Partial<AllowlistEntry> = {}) =>
  ({ uid, status, ...more }) as AllowlistEntry;

/** The allowlist before each case: teams of all kinds, one of them entered by hand with a typo. */
const before = [
  entry('1001', 'approved', { team: 'Alpha', updatedAt: '2025-11-14T00:00:00.000Z', updatedBy: 'someone' }),
  entry('1002', 'suspended', { note: 'key leaked' }),
  entry('1003', 'disqualified', { team: 'Gamma', reason: 'no AI', note: 'paid' }),
  entry('1004', 'removed'),
  entry('1005', 'Approved'),
  entry('1006', ' Disqualified'),
];
/** Stores entries as an admin does in the AWS console: without history. */
const putByHand = (...entries: readonly AllowlistEntry[]) => {
  const requests = entries.map((Item) => ({ PutRequest: { Item } }));
  return local.db.send(new BatchWriteCommand({ RequestItems: { [local.names.allowlist]: requests } }));
};
beforeEach(() => putByHand(...before));

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  readonly types?: readonly string[];
  readonly exitCode?: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** The allowlist entry of each UID afterwards; null: unchanged, or still missing. */
  readonly after?: Record<string, Partial<AllowlistEntry> | null>;
}

// biome-ignore format: few lines a case
const cases: Case[] = [
  { name: 'add keeps the team and the note unless they are given', args: ['add', '1001', '--note', 'paid'],
    after: { 1001: { status: 'approved', team: 'Alpha', note: 'paid' } } },
  ...[
    ['add', '2003', '1003'],
    ['add', '2003', '1003', '--yes'],
    ['suspend', '1001', '1003'],
    ['remove', '1001', '1003', '--yes'],
  ].map((args) => ({
    name: `${args.join(' ')} does not lift a disqualification`,
    args,
    exitCode: 2,
    stderr: /^UID 1003 is disqualified \(no AI\)\. Lift/,
    after: { 1001: null, 1003: null, 2003: null },
  })),
  { name: 'add --lift-disqualification lifts it, but does not approve suspended UIDs',
    args: ['add', '1002', '1003', '--lift-disqualification'], exitCode: 2,
    stderr: /^UID 1002 is suspended \(key leaked\)\. Approve again/,
    after: { 1002: null, 1003: null } },
  { name: 'several barred UIDs are all named', args: ['add', '1003', '1006'], exitCode: 2,
    stderr: /^UID 1003 is disqualified \(no AI\); UID 1006 is {2}Disqualified\. Lift/,
    after: { 1003: null, 1006: null } },
  { name: 'add lifts both with both options', args: ['add', '1002', '1003', '--yes', '--lift-disqualification'],
    after: { 1002: { status: 'approved' }, 1003: { status: 'approved', team: 'Gamma' } } },
  { name: 'suspend and remove lift it with --lift-disqualification',
    args: ['suspend', '1003', '--lift-disqualification'], after: { 1003: { status: 'suspended', note: 'paid' } } },
  { name: 'remove lifts it with both options', args: ['remove', '1003', '--lift-disqualification', '--yes'],
    after: { 1003: { status: 'removed' } } },
  { name: 'add asks, and the answer is no', args: ['add', '1003', '--yes'], types: ['\r'], exitCode: 1,
    stderr: /Nothing was changed\./, after: { 1003: null } },
  { name: 'add asks, and the answer is yes', args: ['add', '1003'], types: ['y'],
    stderr: /UID 1003 is disqualified \(no AI\)\. Lift the disqualification in the local data\?/,
    after: { 1003: { status: 'approved' } } },
  { name: 'add does not lift a disqualification that was typed by hand', args: ['add', '1006', '--yes'], exitCode: 2,
    stderr: /^UID 1006 is {2}Disqualified\. Lift/, after: { 1006: null } },
  ...(
    [
      ['add', '--team', 'team', 100],
      ['add', '--note', 'note', 500],
      ['suspend', '--reason', 'reason', 500],
      ['disqualify', '--reason', 'reason', 500],
      ['remove', '--reason', 'reason', 500],
    ] as const
  ).map(([verb, option, name, limit]) => ({
    name: `${verb} rejects a text that is too long for ${option}`,
    args: [verb, '1001', option, 'x'.repeat(limit + 1)],
    exitCode: 2,
    stderr: new RegExp(`Too long: the ${name} has ${limit + 1} characters; at most ${limit} are allowed\\.\n`),
    after: { 1001: null },
  })),
  { name: 'add approves a removed UID', args: ['add', '1004'], after: { 1004: { status: 'approved' } } },
  { name: 'suspend keeps the team', args: ['suspend', '1001', '--reason', 'leak'],
    after: { 1001: { status: 'suspended', team: 'Alpha', reason: 'leak' } } },
  { name: 'remove records who did it', args: ['remove', '1001', '-y'],
    after: { 1001: { status: 'removed', team: 'Alpha' } } },
  { name: 'list shows statuses as stored, typos included, without removed UIDs', args: ['list', '--local'],
    stdout: /^uid +status +team +reason +note +updated +by\n1001 +approved +Alpha +2025-11-14T00:00:00Z +someone\n1002 +suspended +key leaked\n1003 [^\n]*\n1005 +Approved\n1006 + Disqualified\n/ },
];

describe('ailog allowlist', () => {
  test('after a lost answer, says which UID is in doubt and how many are changed', async () => {
    const said =
      'The answer to the change of UID 6002 was lost. It may have been applied.\nCheck it with ailog allowlist show 6002, and run the command again. Changed so far: 1.\n';
    const args = ['allowlist', 'add', '6001', '6002', '6003'];
    expect(await local.ailogWith(['pass', ...UNANSWERED], args)).toEqual(says(4, said));
    expect([(await get('6001'))?.status, await get('6003')]).toEqual(['approved', undefined]);
  });

  test.each(cases)('$name', async ({ args, types, exitCode = 0, stdout = '', stderr = '', after = {} }) => {
    const start = Date.now();
    const ran = await local.ailog(['allowlist', ...args], types === undefined ? {} : { types });
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.stdout).toMatch(stdout);
    expect(ran.stderr).toMatch(stderr);
    for (const [uid, wanted] of Object.entries(after)) {
      const stored = await get(uid);
      if (wanted === null) expect(stored).toEqual(before.find((one) => one.uid === uid));
      else {
        expect(stored?.reason).toBe(wanted.reason);
        expect(stored).toMatchObject({ uid, ...wanted, updatedBy: `local:${userInfo().username}` });
        expect(Date.parse(stored?.updatedAt ?? '')).toBeGreaterThanOrEqual(start);
      }
    }
  });

  test('a change takes effect on the next upload', async () => {
    const transport = inProcess(local.dependencies());
    const team = await local.team({ status: null });
    const upload = async () => (await transport.send(signedUpload(team))).json.code;
    expect(await upload()).toBe('40022');
    for (const [args, code] of [
      [['add', team.uid], '00000'],
      [['suspend', team.uid], '40022'],
      [['add', team.uid, '--yes'], '00000'],
      [['disqualify', team.uid, '--reason', 'r', '--yes'], '40022'],
      [['remove', team.uid, '--yes', '--lift-disqualification'], '40022'],
    ] as const) {
      await local.ailog(['allowlist', ...args]);
      expect([args[0], await upload()]).toEqual([args[0], code]);
    }
    expect(await local.entriesOf(team.uid)).toHaveLength(2);
  });

  describe('a change that somebody made since the entry was read is not overwritten', () => {
    const [seen] = before as [AllowlistEntry];
    const next = { ...seen, updatedAt: '2025-11-15T00:00:00.000Z' };

    // biome-ignore format: one case a line
    test.each<[string, AllowlistEntry]>([
      ['by this command line', { ...seen, updatedAt: '2025-11-14T00:00:00.001Z' }],
      ['by hand: the status alone', { ...seen, status: 'disqualified' }],
      ['by hand: the note alone', { ...seen, note: 'do not touch' }],
      ['by hand: the team alone', { ...seen, team: 'Alpha 2' }],
      ['by hand: the history alone', { ...seen, history: [{ id: '1', at: '2025-11-14T00:00:00.000Z', to: 'approved' }] }],
      ['by hand: without the time', { uid: '1001', status: 'approved', team: 'Alpha', updatedBy: 'someone' }],
    ])('%s', async (_name, stored) => {
      await putByHand(stored);
      const editor = allowlistEditor({ db: local.db, tables: local.names });
      expect(await editor.replace(seen, next)).toEqual({ outcome: 'changed' });
      expect(await editor.replace(undefined, next)).toEqual({ outcome: 'changed' });
      expect(await get('1001')).toEqual(stored);
    });

    test('a disqualification by hand while import waits for the answer', async () => {
      const path = local.file('waits.csv', 'uid,team\n1001,Renamed\n');
      const disqualified: AllowlistEntry = { ...seen, status: 'disqualified' };
      const ran = await local.ailog(['allowlist', 'import', path], {
        types: [() => putByHand(disqualified).then(() => 'y')],
      });
      expect(ran).toMatchObject({
        exitCode: 3,
        stderr: expect.stringMatching(
          /Someone else has just changed UID 1001\.\S*\nCheck it with ailog allowlist show 1001, and run the command again\. Changed so far: 0\.\n$/,
        ),
      });
      expect(await get('1001')).toEqual(disqualified);
    });
  });
});

describe('the history of a UID', () => {
  const history = async (uid: string) => (await get(uid))?.history ?? [];

  test('begins with the entry as it was found, so that no reason from before is lost', async () => {
    await local.ailog(['allowlist', 'add', '1003', '--lift-disqualification', '--note', 'appeal won']);
    expect(await history('1003')).toMatchObject([
      { to: 'disqualified', team: 'Gamma', why: 'no AI' },
      { from: 'disqualified', to: 'approved', why: 'appeal won' },
    ]);
  });

  test('is kept by import and by put', async () => {
    await local.ailog(['allowlist', 'suspend', '1001', '--reason', 'first']);
    await local.allowlist.put({ uid: '1001', status: 'approved' });
    const path = local.file('kept.csv', 'uid,team\n1001,Renamed\n');
    await local.ailog(['allowlist', 'import', path, '--yes']);
    expect((await history('1001')).map(({ from, to, team }) => [from, to, team])).toEqual([
      [undefined, 'approved', 'Alpha'],
      ['approved', 'suspended', undefined],
      ['suspended', 'approved', undefined],
      ['approved', 'approved', 'Renamed'],
    ]);
  });

  test('is limited, but a full one never keeps a team in', async () => {
    const change = { id: '1', to: 'approved', why: '界'.repeat(500), team: '界'.repeat(100), by: 'b'.repeat(200) };
    const fill = (length: number) =>
      putByHand(entry('9002', 'approved', { history: Array.from({ length }, () => change) }));
    await fill(99);
    expect((await local.ailog(['allowlist', 'add', '9002', '--note', 'x'])).exitCode).toBe(0);
    await fill(100);
    const full =
      'The history of UID 9002 is full: 100 changes.\nSave it (ailog allowlist show 9002 --json), then delete its oldest changes from the table by hand.\n';
    expect(await local.ailog(['allowlist', 'add', '9002', '--note', 'x'])).toEqual(says(1, full));
    await fill(119);
    expect((await local.ailog(['allowlist', 'disqualify', '9002', '--reason', 'r', '--yes'])).exitCode).toBe(0);
    expect(await history('9002')).toHaveLength(120);
  });
});

describe('ailog allowlist import', () => {
  const FILE = 'Team,UID\n"Alpha, renamed",1001\nBeta,1002\nGamma,1003\n,1005\nDelta,3001\n';
  const PLAN = `line  uid   change              team            note
   2  1001  update              Alpha, renamed
   3  1002  stays suspended                     key leaked
   4  1003  stays disqualified  Gamma           paid
   5  1005  add
   6  3001  add                 Delta
`;

  test('adds and changes, and leaves teams that are barred', async () => {
    const ran = await local.ailog(['allowlist', 'import', local.file('teams.csv', FILE), '--dry-run']);
    expect(ran).toMatchObject({ exitCode: 0, stdout: PLAN });
    await local.ailog(['allowlist', 'import', local.file('teams.csv', FILE), '--yes']);
    const statuses = await Promise.all(['1001', '1003', '3001'].map(async (uid) => (await get(uid))?.status));
    expect(statuses).toEqual(['approved', 'disqualified', 'approved']);
  });

  test('a new note alone is a change, and the reason in the history; one row is asked for as one', async () => {
    const path = local.file('note.csv', 'uid,team,note\n1001,,paid\n1001,,again\n1005,,\n');
    const args = ['allowlist', 'import', path, '--skip-invalid', '--json'];
    expect((await local.ailog(args)).stderr).toMatch(/^Line 3: .*\nWrite 2 rows to the local data\?/);
    const { stdout } = await local.ailog([...args, '--yes']);
    expect(JSON.parse(stdout)).toEqual([
      { line: 2, uid: '1001', change: 'update', team: 'Alpha', note: 'paid' },
      { line: 4, uid: '1005', change: 'add' },
    ]);
    expect(await get('1001')).toMatchObject({ team: 'Alpha', note: 'paid' });
    expect((await get('1001'))?.history?.at(-1)).toMatchObject({ from: 'approved', to: 'approved', why: 'paid' });
    const one = local.file('one.csv', 'uid,note\n1001,late\n');
    expect((await local.ailog(['allowlist', 'import', one])).stderr).toContain('Write 1 row to the local data?');
  });

  test('reads a list as a form exports it: other headings, blank rows', async () => {
    const path = local.file(
      'form.csv',
      ' User ID ;隊伍名稱（中文）;Remarks;\r\n;;;\r\n5101;阿尔法;paid;\r\n ; ;;\r\n;\r\n5102;贝塔;;\r\n;;;\r\n',
    );
    const { stdout, stderr } = await local.ailog(['allowlist', 'import', path, '--yes', '--json']);
    expect({ rows: JSON.parse(stdout), stderr }).toEqual({
      rows: [
        { line: 3, uid: '5101', change: 'add', team: '阿尔法', note: 'paid' },
        { line: 6, uid: '5102', change: 'add', team: '贝塔' },
      ],
      stderr: '',
    });
    expect(await get('5101')).toMatchObject({ team: '阿尔法', note: 'paid' });
  });

  // biome-ignore format: one case a line
  test.each([
    ['invalid lines', 'uid\n5001\nabc\n5001\n', [], 2, 'Line 3: "abc" is not a UID, a decimal number without leading zeros.\nLine 4: UID 5001 is already on line 2.\nFILE has invalid lines: 2. Nothing was written.\nCorrect them, or skip them: --skip-invalid.\n'],
    ['invalid lines with --skip-invalid', 'uid\n5002\nabc\n', ['--skip-invalid', '--yes'], 0, 'Line 3: "abc" is not a UID, a decimal number without leading zeros.\n'],
    ['columns that are not read', 'uid,team,country\n5003,A,SG\n', ['--yes'], 0, 'Ignored columns: country.\n'],
    ['names that nothing calls names', 'uid,note,Crew,,label\n5001,paid,Alpha,,x\n', ['--yes'], 2, 'Ignored columns: Crew.\nFILE has no column team, and others that may have the names of teams.\nCall one of them team, or remove them: Crew, label.\n'],
    ['two columns of names', 'uid,Team (EN),Team (CN)\n5001,A,B\n', ['--yes'], 2, 'FILE has two columns for the team: "Team (EN)" and "Team (CN)".\nIts first line must name its columns: uid,team,note (required: uid).\n'],
    ['a missing column', 'team\nA\n', [], 2, 'FILE has no column uid.\nIts first line must name its columns: uid,team,note (required: uid).\n'],
    ['a wrong quote with --skip-invalid: the lines after it cannot be trusted', 'uid,team\n5001,"A"B\n5004,C\n', ['--skip-invalid', '--yes'], 2, 'FILE is not CSV, line 2: Invalid Closing Quote: got "B".\n'],
    ['the separator in the first line', 'sep=;\nuid;team\n5007;A\nabc;B\n', ['--skip-invalid', '--yes'], 0, 'Line 4: "abc" is not a UID, a decimal number without leading zeros.\n'],
    ['a note that is too long', `uid,note\n5001,${'x'.repeat(501)}\n`, [], 2, 'Line 2: the note has 501 characters; at most 500 are allowed.\nFILE has invalid lines: 1. Nothing was written.\nCorrect them, or skip them: --skip-invalid.\n'],
    ['every mistake', `uid,team\n5001,A,B\nabc\n5001,${'x'.repeat(101)}\n0012,C\n`, [], 2, 'Line 2: cells: 3, but columns in the first line: 2.\nLine 3: cells: 1, but columns in the first line: 2.\nLine 4: the team has 101 characters; at most 100 are allowed.\nLine 5: "0012" is not a UID, a decimal number without leading zeros.\nFILE has invalid lines: 4. Nothing was written.\nCorrect them, or skip them: --skip-invalid.\n'],
    ['mistakes of several kinds, line by line', 'uid,team\nabc,A\n5001,A,B\n', [], 2, 'Line 2: "abc" is not a UID, a decimal number without leading zeros.\nLine 3: cells: 3, but columns in the first line: 2.\nFILE has invalid lines: 2. Nothing was written.\nCorrect them, or skip them: --skip-invalid.\n'],
    ['a team of 100 characters', `uid,team\n5009,${'📉'.repeat(100)}\n`, ['--yes'], 0, ''],
  ])('%s', async (name, text, args, exitCode, stderr) => {
    const path = local.file(`${name}.csv`, text);
    const ran = await local.ailog(['allowlist', 'import', path, ...args]);
    expect({ ...ran, stderr: ran.stderr.replaceAll(path, 'FILE') }).toMatchObject({ exitCode, stderr });
    expect(await get('5001')).toBeUndefined();
  });
});
