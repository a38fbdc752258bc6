import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openLocalData } from '../../../setup/commandLine.ts';
import { notes } from '../../../setup/outcome.ts';

const local = await openLocalData();
afterAll(() => local.engine.stop());
const letter = (...args: string[]) => local.ailog(['allowlist', 'letter', ...args]);
const allowlist = (...args: string[]) => local.ailog(['allowlist', ...args]);
const readLetter = (name: string) => readFileSync(join(local.folder, name), 'utf8');

const STATEMENT = '{"format":"a statement"}\n';
const SHA256 = createHash('sha256').update(STATEMENT).digest('hex');
const statement = local.file('alpha.statement', STATEMENT);

/** Approves a team and disqualifies it, for a reason as two reviewers leave it. */
async function disqualified(
  uid: string,
  reason = `reviewed: copies; statement SHA-256 ${SHA256}; verdicts 17-a, 17-b; taken back by arn:x`,
) {
  await allowlist('add', uid, '--team', 'Alpha\u202e');
  await allowlist('disqualify', uid, '--reason', reason, '--yes');
}

test('a letter of disqualification has reason, evidence and how to answer, and nothing about reviewers', async () => {
  await disqualified('1001');
  const ran = await letter('1001', '--evidence', statement, '--output-dir', 'alpha', '--contact', 'jury@example.com');
  expect(ran).toEqual({
    exitCode: 0,
    stdout: `Written: ${join(local.folder, 'alpha', '1001-disqualification.txt')}.\n`,
    stderr: 'Send the folder to this team alone: a statement has its logs in full.\n',
  });
  const text = readLetter('alpha/1001-disqualification.txt');
  expect(text).toMatch(
    /^AI log upload: disqualification\n\nTeam {6}Alpha\\u202e\nUID {7}1001\nBarred {4}\d{4}-\d\d-\d\dT[\d:.]+Z\n/,
  );
  expect(text).toContain(`Reason    reviewed: copies; statement SHA-256 ${SHA256}\n`);
  expect(text).not.toMatch(/verdicts|arn:/);
  expect(text).toContain(`     alpha.statement\n     SHA-256 ${SHA256}\n`);
  expect(text).toContain('node ailog.mjs verify alpha.statement --policy tlog.policy');
  expect(text).toContain('HTTP 403 and the code 40022');
  expect(text).toContain('4. If this is wrong, answer to jury@example.com');
  expect(text.split('\n').filter((line) => line.length > 80 && !line.includes(SHA256))).toEqual([]);
  expect(readLetter('alpha/alpha.statement')).toBe(STATEMENT);
});

test('the statement that reviewers agreed on must be attached, and nothing is overwritten', async () => {
  await disqualified('1002');
  const other = local.file('other.statement', 'other');
  const missing = notes(2, `SHA-256 ${SHA256} is not attached`);
  for (const evidence of [[], ['--evidence', other]]) {
    expect(await letter('1002', ...evidence, '--output-dir', 'beta')).toMatchObject(missing);
  }
  expect(existsSync(join(local.folder, 'beta'))).toBe(false);
  const folder = await letter('1002', '--evidence', local.folder, '--output-dir', 'beta');
  expect(folder).toMatchObject(notes(2, `${local.folder} is a folder, not a file.\n`));
  const both = ['--evidence', other, '--evidence', statement, '--output-dir', 'beta', '--json'];
  const { stdout } = await letter('1002', ...both);
  expect(JSON.parse(stdout)).toMatchObject({ uid: '1002', kind: 'disqualification' });
  const names = ['1002-disqualification.txt', 'alpha.statement', 'other.statement'];
  expect(readdirSync(join(local.folder, 'beta')).sort()).toEqual(names);
  expect(await letter('1002', ...both)).toMatchObject(notes(2, 'already exist'));
});

test('without a statement in the reason, the letter says only what an admin gave', async () => {
  await disqualified('1003', 'sold its account');
  const ran = await letter('1003', '--output-dir', 'gamma');
  expect(ran).toMatchObject(notes(0, /^No evidence is attached\. ailog statement writes it/));
  const text = readLetter('gamma/1003-disqualification.txt');
  expect(text).toContain('Reason    sold its account\n');
  expect(text).not.toMatch(/Attached/);
  expect(text).toContain('3. If this is wrong, answer to the organisers who sent you this letter');
});

test('a letter of reinstatement says what was lifted, since when, and what to send again', async () => {
  await disqualified('1004');
  await allowlist('add', '1004', '--lift-disqualification', '--note', 'appeal won');
  expect((await letter('1004', '--output-dir', 'delta')).exitCode).toBe(0);
  const text = readLetter('delta/1004-reinstatement.txt');
  expect(text).toMatch(/^Approved {2}\d{4}-.*\nBarred {4}\d{4}-.*\nReason {4}reviewed: copies; statement/m);
  expect(text).toContain('node ailog.mjs upload --dir FOLDER');
  expect(text).toContain('with the same key');
});

test.each([
  ['2001', ['add'], 'UID 2001 is approved, and its last change was no disqualification'],
  ['2002', ['add', 'suspend'], 'UID 2002 is suspended'],
  ['2003', [], 'Not on the allowlist: UID 2003'],
])('there is nothing to write to UID %s after %j', async (uid, before, says) => {
  for (const verb of before) await allowlist(verb, uid);
  expect(await letter(uid, '--output-dir', 'x')).toMatchObject(notes(1, says));
  expect(existsSync(join(local.folder, 'x'))).toBe(false);
});

test('a reason that was corrected is the one in the letter', async () => {
  await disqualified('1005', 'first reason');
  await allowlist('disqualify', '1005', '--reason', 'better words', '--yes');
  await letter('1005', '--output-dir', 'epsilon');
  const [first] = JSON.parse((await allowlist('show', '1005', '--json')).stdout).history.slice(-2);
  expect(readLetter('epsilon/1005-disqualification.txt')).toContain(`Barred    ${first.at}\n`);
  expect(readLetter('epsilon/1005-disqualification.txt')).toContain('Reason    better words\n');
});
