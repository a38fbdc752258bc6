import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { localRunOptions } from '../../cli/local/sequence.ts';
import { localSigner } from '../../cli/local/sequenceKeys.ts';
import { LOCAL_ORIGIN, localPaths } from '../../cli/store/targets/data.ts';
import { formatPolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { run as sequence } from '../../functions/sequencer/sequence.ts';
import { aiLog, jsonOf, localWorld, noDeadline, overHttp, type Ran, startAws } from '../setup/world.ts';
import { HEADER, textOf } from '../vectors/evidence/vectors.ts';
import { commandWords } from './commandWords.ts';

describe('secrets', async () => {
  const local = await localWorld();
  const transport = await overHttp(local);
  afterAll(() => vi.unstubAllEnvs());

  test('appear only in the output of the command that issues them', async () => {
    const { url } = transport;
    const team = await local.team();
    const env = {
      AILOG_URL: url,
      AILOG_ACCESS_KEY: team.accessKey,
      AILOG_SECRET: team.secret,
      AILOG_PASSPHRASE: team.passphrase,
    };
    const log = local.file('log.json', jsonOf(aiLog));
    const csv = local.file('teams.csv', 'uid\n1001\n');
    const existing = ['bg_key', 'an-existing-secret', 'an-existing-passphrase'];
    const [key, secret, passphrase] = existing;
    const file = local.file(
      'k.env',
      `AILOG_ACCESS_KEY=${key}\nAILOG_SECRET=${secret}\nAILOG_PASSPHRASE=${passphrase}\n`,
    );

    const outputs: { words: string; ran: Ran }[] = [];
    const run = async (...args: string[]) => {
      for (const variant of [args, [...args, '--json'], [...args, '--debug']]) {
        const words = commandWords.find((leaf) => leaf.every((word, index) => variant[index] === word))?.join(' ');
        outputs.push({ words: words ?? '', ran: await local.ailog(variant, { env }) });
      }
      return outputs.at(-3)?.ran as Ran;
    };

    await run('allowlist', 'add', '1001');
    await run('allowlist', 'suspend', '1001');
    await run('allowlist', 'disqualify', '1001', '--reason', 'r', '--yes');
    await run('allowlist', 'import', csv, '--yes');
    await run('allowlist', 'remove', '1001', '--yes', '--lift-disqualification');
    await run('allowlist', 'list');
    await run('allowlist', 'list', '--silent', '1s');
    await run('allowlist', 'show', '1001');
    await run('keys', 'issue', '1001', '--unlisted');
    await run('keys', 'issue', '1001', '--credentials', file, '--unlisted');
    await run('keys', 'rotate', key as string, '--yes');
    await run('sign', log);
    await run('doctor');
    await run('doctor', log);
    const { stdout } = await run('upload', log);
    const [entryId = ''] = /\d{13}-[0-9a-f]{32}/.exec(stdout) ?? [];
    const policy = local.file('vectors.policy', textOf('tlog.policy'));
    await run('verify', local.file('receipt.txt', HEADER), '--policy', policy);
    await run('keys', 'list');
    await run('keys', 'list', key as string);
    await run('logs', 'list');
    await run('logs', 'show', entryId);
    await run('logs', 'list', 'ETH');
    await run('logs', 'verify');
    await run('logs', 'export');
    const { db, names, logFolder } = local;
    const files = { folder: logFolder, keyFile: local.environment.CREDENTIALS_KEY_FILE };
    const logs = [formatVerifierKey(localSigner(files.keyFile, LOCAL_ORIGIN).key)];
    local.file(localPaths.policy, formatPolicy({ logs, receipts: [await local.makeReceiptKey()] }));
    symlinkSync(logFolder, join(local.folder, localPaths.tlog));
    // What was uploaded in the last second gets into the log with a later run.
    await expect
      .poll(async () => {
        await sequence(localRunOptions({ db, tables: names, ...files }), noDeadline());
        return (await local.ailog(['tlog', 'audit'], { env })).exitCode;
      })
      .toBe(0);
    await run('report');
    for (const options of [[], ['--check'], ['--rebuild']]) await run('data', 'sync', ...options);
    await run('reviews', 'add', '1001', 'looked-at');
    await run('reviews', 'list', '--all');
    await run('tlog', 'audit');
    await run('tlog', 'status');
    await run('tlog', 'export-policy');
    await run('statement', '--uid', team.uid, '-o', 'b');
    await run('keys', 'revoke', key as string, '--yes');

    await run('ops', 'check');
    await run('ops', 'rehearse', '--remove');
    // It uses the endpoint of AWS that the environment names.
    const aws = await startAws('AiLogUpload-test', local.names);
    const environment = { ...aws.environment, ...local.environment };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const { apiKeys } = local.names;
    await run('ops', 'restore', '--from', apiKeys, '--to', apiKeys, '--yes');
    // They work on deployments only: test/cli/commands/data/backfill.slow.ts.
    const ofDeployments = [['data', 'backfill']];
    for (const command of ofDeployments) expect((await local.ailog(command)).exitCode).toBe(2);

    // They have no target, so they cannot read a secret.
    for (const command of [
      ['tlog', 'monitor'],
      ['tlog', 'copy'],
    ])
      expect((await local.ailog([...command, '--help'])).stdout).not.toMatch(/--(local|stack)\b/);

    const unexpected = outputs
      .filter(({ ran }) => ran.exitCode !== 0)
      .map(({ words, ran }) => `${words}: ${ran.stderr}`);
    expect(
      unexpected.filter(
        (text) =>
          !/^(keys issue: Key bg_key already exists|allowlist (suspend|disqualify|remove): Not on|logs export: --json says what|statement: The file .* already exist)/.test(
            text,
          ),
      ),
    ).toEqual([]);
    const others = ['data backfill', 'tlog follow', 'console'];
    // The console answers the same questions by HTTP, until it is stopped: test/cli/console/routes.test.ts.
    const expected = commandWords.map((words) => words.join(' ')).filter((words) => !others.includes(words));
    expect(new Set(outputs.map(({ words }) => words))).toEqual(new Set(expected));

    const issued = outputs
      .filter(({ words }) => words === 'keys issue' || words === 'keys rotate')
      .flatMap(({ ran }) =>
        [...ran.stdout.matchAll(/(?:secret|passphrase)\W+([0-9a-f]{32,64})\b/g)].map(([, text]) => text as string),
      );
    expect(issued).toHaveLength(12);
    const master = readFileSync(local.environment.CREDENTIALS_KEY_FILE, 'utf8').trim();
    for (const text of [...issued, team.secret, team.passphrase, secret as string, passphrase as string, master]) {
      const shown = outputs.filter(({ ran }) => `${ran.stdout}${ran.stderr}`.includes(text)).map(({ words }) => words);
      expect(shown).toEqual(issued.includes(text) ? [expect.stringMatching(/^keys (issue|rotate)$/)] : []);
    }
  });
});
