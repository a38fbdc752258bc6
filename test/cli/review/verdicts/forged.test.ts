import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { agreedReason } from '../../../../cli/review/verdicts/giveVerdict.ts';
import { type VerdictContent, withId } from '../../../../cli/review/verdicts/record.ts';
import { readStandings } from '../../../../cli/review/verdicts/standing.ts';
import { inProcess, NOW, openStack, signedUpload, world } from '../../../setup/world.ts';

/** What a reviewer writes into the table by hand: IAM fixes the author, and nothing else. */
const ROLES = 'arn:aws:sts::123456789012:assumed-role';
const SSO_ROLE = 'AROASSO2REVIEWERS0001';
const OTHER_SSO_ROLE = 'AROASSO2REVIEWERS0002';
const ROLE = 'AROAPLAINREVIEWERS001';
const OTHER_ROLE = 'AROAPLAINREVIEWERS002';
const sso = (name: string, role = SSO_ROLE) => [`${role}:${name}`, `${ROLES}/AWSReservedSSO_R_0a/${name}`] as const;
const session = (name: string, role = ROLE) => [`${role}:${name}`, `${ROLES}/Reviewer/${name}`] as const;
const user = (id: string, name: string) => [id, `arn:aws:iam::123456789012:user/${name}`] as const;

const fixture = await world();
const { db, names } = fixture;
const uploaded = await fixture.team();
await inProcess(fixture.dependencies()).send(signedUpload(uploaded));
const deployed = {
  settings: { reviewerRoles: `${SSO_ROLE}:*,${OTHER_SSO_ROLE}:*,${ROLE},${OTHER_ROLE}` },
  witnesses: undefined,
};
const caller = async () => ({ id: 'AIDAREADER', arn: 'arn:aws:iam::123456789012:user/reader' });
const target = { db, tables: names, caller, deployed };

const put = (Item: object) => db.send(new PutCommand({ TableName: names.reviews, Item }));
afterEach(async () => {
  const { Items = [] } = await db.send(new ScanCommand({ TableName: names.reviews }));
  for (const { author, id } of Items) {
    await db.send(new DeleteCommand({ TableName: names.reviews, Key: { author, id } }));
  }
});
let teams = 0;
const newUid = () => {
  teams += 1;
  return `77${teams}`;
};
let time = NOW;
const SAID = { verdict: 'disqualify', reason: 'copies', text: 'of 3006', read: 'all 60 pairs of logs' } as const;

/** Writes a record by hand. */
async function say(uid: string, [author, arn]: readonly [string, string], more: Partial<VerdictContent> = {}) {
  time += 1;
  const record = withId({ author, arn, after: [], uid, ...SAID, ...more }, time);
  await put(record);
  return record;
}

/** Returns what stands about a team, and the notes about what was set aside. */
async function read(uid: string) {
  const notes: string[] = [];
  const { of, nameOf } = await readStandings({ note: (text) => notes.push(text) }, target, true);
  return { notes, by: of.get(uid)?.verdicts.map(nameOf) ?? [], isAgreed: of.get(uid)?.isAgreed ?? false };
}

/** Two records of one person: each set-up that docs/runbook/README.md recommends, and those that it does not. */
// biome-ignore format: one case a line
test.each<[string, readonly [string, string], readonly [string, string], string]>([
  ['a user who gives the ARN of another user', user('AIDA1', 'ann'), user('AIDA1', 'bob'), 'AIDA1 (bob)'],
  ['a user who gives the ARN of Identity Center', user('AIDA1', 'ann'), ['AIDA1', `${ROLES}/AWSReservedSSO_R_0a/bob@x.org`], 'AIDA1 (bob@x.org)'],
  ['a role of one person that says it belongs to Identity Center', session('ann'), [`${ROLE}:bob`, `${ROLES}/AWSReservedSSO_R_0a/bob`], `${ROLE} (bob)`],
  ['both sessions say so', [`${ROLE}:ann`, `${ROLES}/AWSReservedSSO_R_0a/ann`], [`${ROLE}:bob`, `${ROLES}/AWSReservedSSO_R_0a/bob`], `${ROLE} (bob)`],
  ['somebody of Identity Center who gives the ARN of a user', sso('ann@x.org'), [`${SSO_ROLE}:ann@x.org`, user('', 'bob')[1]], 'ann@x.org (bob)'],
  ['somebody of Identity Center who gives the name of another one', sso('ann@x.org'), [`${SSO_ROLE}:ann@x.org`, sso('bob@x.org')[1]], 'ann@x.org (bob@x.org)'],
  ['somebody of Identity Center with two permission sets', sso('ann@x.org'), sso('Ann@x.org', OTHER_SSO_ROLE), 'ann@x.org'],
])('one person does not agree alone: %s', async (_name, one, other, by) => {
  const uid = newUid();
  await say(uid, one);
  await say(uid, other);
  expect(await read(uid)).toEqual({ notes: [], by: [by], isAgreed: false });
  await expect(agreedReason(target, uid)).rejects.toThrow('two people must agree, and 1 did.');
});

test.each([
  ['two people of Identity Center', sso('ann@x.org'), sso('bob@x.org'), ['ann@x.org', 'bob@x.org']],
  ['two users', user('AIDA1', 'ann'), user('AIDA2', 'bob'), ['AIDA1 (ann)', 'AIDA2 (bob)']],
  ['a role each', session('ann'), session('ann', OTHER_ROLE), [`${ROLE} (ann)`, `${OTHER_ROLE} (ann)`]],
])('two people agree: %s', async (_name, one, other, by) => {
  const uid = newUid();
  await say(uid, one);
  await say(uid, other);
  expect(await read(uid)).toEqual({ notes: [], by, isAgreed: true });
  expect(await agreedReason(target, uid)).toMatch(/^reviewed: copies; verdicts /);
});

// biome-ignore format: one case a line
test.each<[string, readonly [string, string], string]>([
  ['a role of which nobody said who may assume it', session('bob', 'AROAUNKNOWN'), 'AROAUNKNOWN'],
  ['one that says it belongs to Identity Center', sso('bob@x.org', 'AROAUNKNOWN'), 'AROAUNKNOWN'],
  ['a federated user', ['123456789012:bob', 'arn:aws:sts::123456789012:federated-user/bob'], '123456789012'],
  ['a local user, whom AWS does not have', ['local:bob', 'local:bob'], 'local'],
])('nobody agrees with %s', async (_name, author, principal) => {
  const uid = newUid();
  await say(uid, user('AIDA1', 'ann'));
  const { id } = await say(uid, author);
  const why = `${principal} is no IAM user, and no role that the setting reviewerRoles names`;
  expect(await read(uid)).toEqual({
    notes: [`Set aside, so it does not count: the record ${id} of ${author[0]}, because ${why}.`],
    by: ['AIDA1 (ann)'],
    isAgreed: false,
  });
});

const WITHDRAWN = {
  ...{ reason: undefined as never, text: undefined as never, read: undefined as never },
  ...{ verdict: 'withdrawn', withdraws: `${time}-${'0'.repeat(32)}` },
} as const;
const MORE: Partial<VerdictContent> = {
  ...{ reason: 'copies', text: 'a', read: 'a', entries: ['1'], sample: { seed: '7', size: 1, failures: 0 } },
  evidence: { file: 'a', sha256: '0'.repeat(64) },
  period: { from: '2026-11-17', until: '2026-11-18' },
};

/** What the program that writes a verdict refuses does not count, either, if another program has written it. */
// biome-ignore format: one case a line
test.each<[string, Partial<VerdictContent>, string]>([
  ['no statement, though the team has entries', {}, '"disqualify" needs a statement as evidence, which ailog statement writes'],
  ['no text', { text: ' ', evidence: { file: 'a', sha256: '0'.repeat(64) } }, '"disqualify" needs a text: what the team did'],
  ['a question as its reason, and nothing that was read', { read: undefined as never }, '"disqualify" for "copies", a question, needs a sentence that says what you read'],
  ['a reason that does not exist', { reason: 'nose' }, 'the reason code is one of: '],
  ['no reason', { verdict: 'explained', reason: undefined as never }, '"explained" needs a reason code: '],
  ['an empty sample', { verdict: 'looked-at', sample: { seed: '7', size: 0, failures: 0 } }, 'a sample has at least one log'],
  ['more failures than logs', { verdict: 'looked-at', sample: { seed: '7', size: 1, failures: 2 } }, 'a sample has at most as many failures as logs'],
  ['101 entries', { verdict: 'looked-at', entries: Array(101).fill('1') }, 'at most 100 entries can be pinned'],
  ['a text that is too long', { verdict: 'looked-at', text: 'x'.repeat(1001) }, 'the text has 1001 characters; at most 1000 are allowed'],
  ['a withdrawal of nothing', { verdict: 'withdrawn' }, 'a withdrawal names what it withdraws'],
  ...Object.entries(MORE).map(([name, value]) => [`a withdrawal with ${name}`, { ...WITHDRAWN, [name]: value }, 'a withdrawal says nothing but what it withdraws'] as [string, Partial<VerdictContent>, string]),
])('a record with %s is set aside', async (_name, more, why) => {
  const { author, id } = await say(uploaded.uid, user('AIDA7', 'eve'), more);
  const { notes, by } = await read(uploaded.uid);
  expect(by).toEqual([]);
  expect(notes).toContainEqual(expect.stringContaining(`the record ${id} of ${author}, because ${why}`));
});

/** Anyone can put anything under their own key, and nobody may delete it. */
// biome-ignore format: one case a line
test.each<[string, object]>([
  ['after that is a number', { after: 5 }],
  ['no after', { after: undefined }],
  ['an ARN that is a number', { arn: 5 }],
  ['what it withdraws as a story', { withdraws: 'a story' }],
  ['no ARN', { arn: undefined }],
  ['an ARN that is longer than any', { arn: 'x'.repeat(2049) }],
  ['a team that is none', { uid: 'x' }],
  ['a team that is a list', { uid: ['1'] }],
  ['an unknown verdict', { verdict: 'guilty' }],
  ['a text that is a list', { text: [] }],
  ['entries that are a text', { entries: 'abc' }],
  ['a sample without a size', { sample: { seed: '7' } }],
  ['a seed that is longer than any', { sample: { seed: 'x'.repeat(41), size: 1, failures: 0 } }],
  ['a number that no program can add to', { sample: { seed: '7', size: 12345678901234567890n, failures: 0 } }],
  ['evidence that is null', { evidence: null }],
  ['a period that is no time', { period: { from: 'yesterday', until: 'now' } }],
  ['a set', { entries: new Set(['a']) }],
  ['bytes', { text: new Uint8Array(4) }],
  ['a further field', { at: 1 }],
])('an item with %s is set aside, and everything else goes on', async (_name, more) => {
  const uid = newUid();
  await say(uid, user('AIDA1', 'ann'));
  time += 1;
  const written = withId({ author: 'AIDA7', arn: 'eve', after: [], uid, ...SAID }, time);
  await put({ ...written, ...more });
  const why = 'it does not have the shape of a verdict';
  expect(await read(uid)).toEqual({
    notes: [`Set aside, so it does not count: the record ${written.id} of AIDA7, because ${why}.`],
    by: ['AIDA1 (ann)'],
    isAgreed: false,
  });
});

test('an item with a sort key of its own is set aside, and of many only some are named', async () => {
  const uid = newUid();
  await say(uid, user('AIDA1', 'ann'));
  for (let item = 0; item < 10; item += 1) await put({ author: 'AIDA7', id: `x${item}` });
  expect((await read(uid)).notes).toHaveLength(10);
  for (const item of [10, 11]) await put({ author: 'AIDA7', id: `x${item}` });
  const { notes, by } = await read(uid);
  expect([notes.length, notes.at(-1), by]).toEqual([11, 'Further records that are set aside: 2.', ['AIDA1 (ann)']]);
});

test('a record that was replaced after another one had named it is named first, whatever else is set aside', async () => {
  const uid = newUid();
  const said = await say(uid, user('AIDA1', 'ann'));
  time += 1;
  const [author, arn] = user('AIDA2', 'bob');
  await put(withId({ author, arn, uid, ...SAID, after: [said.id] }, time));
  for (let item = 0; item < 12; item += 1) await put({ author: 'AIDA1', id: `0${item}` });
  await put({ ...said, verdict: 'explained' });
  const { notes, by } = await read(uid);
  const why = 'it was changed after it was written';
  expect([by, notes[0]]).toEqual([
    ['AIDA2 (bob)'],
    `Set aside, so it does not count: the record ${said.id} of AIDA1, because ${why}.`,
  ]);
});

test('the reason in the allowlist names who took it back as IAM does, whatever the record says', async () => {
  const uid = newUid();
  const { id } = await say(uid, user('AIDA1', 'ann'));
  await say(uid, user('AIDA2', 'bob'));
  const bare = { reason: undefined as never, text: undefined as never, read: undefined as never };
  await say(uid, user('AIDA1', 'bob); taken back by AIDA2 (bob'), { ...bare, verdict: 'withdrawn', withdraws: id });
  expect(await agreedReason(target, uid)).toMatch(/^reviewed: copies; verdicts [\d0-9a-f, -]+; taken back by AIDA1$/);
});

test('on a deployment, the commands say so, and disqualify nobody', async () => {
  const settings = { stage: 'prod', ...deployed.settings };
  const monitored = () => ({ alarms: [], metrics: {}, settings });
  const stack = await openStack(fixture, { name: 'AiLogUpload-prod', monitored });
  const ailog = (...args: string[]) => stack.ailog(args, { columns: 400 });
  const { uid } = uploaded;
  const evidence = { file: 'a.statement', sha256: '0'.repeat(64) };
  await say(uid, user('AIDA1', 'ann'), { evidence });
  await say(uid, user('AIDA1', 'bob'), { evidence });
  const { id } = await say(uid, user('AIDA2', 'bob'));

  const refused = await ailog('allowlist', 'disqualify', uid, '--reviewed', '--yes');
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('two people must agree, and 1 did.') });
  const { exitCode, stdout, stderr } = await ailog('reviews', 'list', '--reveal', '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ uid, agreed: false, verdicts: [{ author: 'AIDA1' }] }]);
  expect(stderr).toContain(`the record ${id} of AIDA2, because "disqualify" needs a statement`);
  expect(await ailog('reviews', 'add', uid, 'looked-at')).toMatchObject({
    exitCode: 2,
    stderr: 'No verdict was given: AROA is no IAM user, and no role that the setting reviewerRoles names.\n',
  });

  await say(uid, user('AIDA2', 'bob'), { evidence });
  expect(await ailog('allowlist', 'disqualify', uid, '--reviewed', '--yes')).toMatchObject({ exitCode: 0 });
  expect((await fixture.allowlist.get(uid))?.reason).toMatch(/^reviewed: copies; statement SHA-256 0{64}; verdicts /);
});
