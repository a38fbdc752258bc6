import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { execute, localWorld, MAIN, type Team } from '../../../setup/world.ts';
import { teamIn } from './keyHelpers.ts';

const local = await localWorld();
const keys = (...args: string[]) => local.ailog(['keys', ...args]);
const { codeOf: upload, keysOf } = local;
const DIE = pathToFileURL(fileURLToPath(new URL('./dieAtStep.ts', import.meta.url))).href;
const MAX_STEPS = 60;

/** Runs a command that is killed at a step. @returns false if it ended before that step */
async function killedAt(step: number, args: readonly string[]): Promise<boolean> {
  const env = { ...process.env, DIE_AT: String(step), DYNAMODB_ENDPOINT: local.endpoint };
  const { exitCode, stderr } = await execute([process.execPath, '--import', DIE, MAIN, 'keys', ...args], {
    cwd: local.folder,
    env,
  });
  expect([0, null], stderr).toContain(exitCode);
  return exitCode === null;
}

/** Runs a command again as a person does who follows what it says, and expects that it ends well. */
async function continued(folder: string, args: readonly string[]): Promise<void> {
  const again = await keys(...args, '--skip-existing');
  if (again.exitCode === 0) return;
  const [, file] = /^(\S+\.env) has the key \S+, which .*\.\nDelete the file or /.exec(again.stderr) ?? [];
  expect(file, again.stderr).toMatch(new RegExp(`^${folder}/`));
  rmSync(join(local.folder, file as string));
  expect(await keys(...args, '--skip-existing')).toMatchObject({ exitCode: 0 });
}

/** Returns the lines of the record without its first: each has the key and the file. */
const recorded = (folder: string) =>
  readFileSync(join(local.folder, folder, 'handed-over.csv'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .map(([uid, , accessKey, file]) => [uid?.replace(/^'/, ''), accessKey, file]);

test('keys rotate --grace 0 after a leak: killed at any step and continued, only the new secret uploads', async () => {
  let wasKilled = true;
  let step = 1;
  for (; wasKilled && step < MAX_STEPS; step += 1) {
    const folder = `rotated-${step}`;
    const leaked = await local.team();
    const args = ['rotate', '--uid', leaked.uid, '--grace', '0', '--output-dir', folder, '--yes'];
    wasKilled = await killedAt(step, args);
    await continued(folder, args);
    const file = join(local.folder, folder, `${leaked.uid}.env`);
    expect([step, await upload(leaked), await upload(teamIn(file))]).toEqual([step, '40009', '00000']);
    expect([step, ...recorded(folder)]).toEqual([step, [leaked.uid, leaked.accessKey, `${folder}/${leaked.uid}.env`]]);
  }
  // There were such steps.
  expect(step).toBeGreaterThan(8);
  expect(wasKilled).toBe(false);
});

test('keys issue: killed at any step and continued, each team has one key, its file, its line and its page', async () => {
  let wasKilled = true;
  let step = 1;
  for (; wasKilled && step < MAX_STEPS; step += 1) {
    const folder = `issued-${step}`;
    const uids = [`${70_000 + 2 * step}`, `${70_001 + 2 * step}`];
    for (const uid of uids) await local.allowlist.put({ uid, status: 'approved' });
    const args = ['issue', ...uids, '--output-dir', folder, '--yes'];
    wasKilled = await killedAt(step, args);
    await continued(folder, args);
    const lines: string[][] = [];
    for (const uid of uids) {
      const team: Team = teamIn(join(local.folder, folder, `${uid}.env`));
      expect([step, uid, await upload(team)]).toEqual([step, uid, '00000']);
      expect([step, (await keysOf(uid)).map(({ accessKey }) => accessKey)]).toEqual([step, [team.accessKey]]);
      lines.push([uid, team.accessKey, `${folder}/${uid}.env`]);
    }
    expect([step, ...recorded(folder).toSorted()]).toEqual([step, ...lines.toSorted()]);
    const names = readdirSync(join(local.folder, folder));
    expect(names).toEqual(expect.arrayContaining(['README.txt', 'clients', 'teams.md', 'openapi.json']));
    expect(existsSync(join(local.folder, folder, 'clients', 'ailog_upload.go'))).toBe(true);
  }
  expect(step).toBeGreaterThan(12);
  expect(wasKilled).toBe(false);
});
