import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run as runSequencer } from '../../../../functions/sequencer/sequence.ts';
import { folderOf, LOG, noDeadline, notes, shows, world } from '../../../setup/world.ts';
import { HEADER, RECEIPT } from '../../../vectors/evidence/vectors.ts';

const work = await world().served();
const { logFolder: folder, runOptions: log } = work;
const policy = await work.policy();

const journalIn = (cwd: string): { state: string; file: string; receipt?: string }[] =>
  readFileSync(join(cwd, 'ailog-results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const team = await work.team();

describe('the receipt of an upload to the local service', () => {
  test('is in the result file, verifies with the body that was sent, and is found in the log', async () => {
    const owner = await work.team();
    const cwd = folderOf({ 'log.json': LOG, 'tlog.policy': policy });
    const run = (...args: string[]) => work.run(owner, args, { cwd });
    const { exitCode, stdout, stderr } = await run('upload', 'log.json', '--order', '7');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^receipt +in ailog-results\.jsonl$/m)]);
    expect(stderr).not.toContain('receipt');
    const [entry] = await work.entriesOf(owner.uid);
    const kept = journalIn(cwd).at(-1);
    expect(kept).toMatchObject({ state: 'stored', entryId: entry?.entryId });
    expect(await run('verify', 'ailog-results.jsonl')).toMatchObject(
      shows(0, new RegExp(`uid +${owner.uid}\n +entryId +${entry?.entryId}\n.*its body is the one`, 's')),
    );
    writeFileSync(join(cwd, 'receipt.txt'), kept?.receipt ?? '');
    expect(await run('verify', 'receipt.txt')).toMatchObject({ exitCode: 0 });
    expect(await run('verify', 'receipt.txt', '--body', 'log.json')).toMatchObject({ exitCode: 1 });

    await runSequencer({ ...log, now: () => Date.now() + 60_000 }, noDeadline());
    expect(await run('verify', 'ailog-results.jsonl', '--log', folder)).toMatchObject(
      shows(0, /proven +it is in the log localhost\/ailog, at index \d of \d\n.*the organisers' storage says/s),
    );
  });

  test('of a folder is in the result file, which is verified as a whole, and in --json', async () => {
    const logs = folderOf({ 'a.json': LOG, 'b.json': LOG.replace('é', 'b'), 'tlog.policy': policy });
    const { stdout, exitCode } = await work.run(team, ['upload', '--dir', '.', '--json'], { cwd: logs });
    const results: { receipt: string }[] = JSON.parse(stdout);
    const kept = journalIn(logs).filter(({ state }) => state === 'stored');
    expect([exitCode, kept.map(({ receipt }) => receipt)]).toEqual([0, results.map(({ receipt }) => receipt)]);
    const verified = await work.run(team, ['verify', 'ailog-results.jsonl', '--json'], { cwd: logs });
    expect([verified.exitCode, JSON.parse(verified.stdout)]).toEqual([
      0,
      kept.map(({ file }) =>
        expect.objectContaining({ word: 'ok', file: 'ailog-results.jsonl', log: file, uid: team.uid }),
      ),
    ]);

    writeFileSync(join(logs, 'b.json'), LOG);
    expect(await work.run(team, ['verify', 'ailog-results.jsonl'], { cwd: logs })).toMatchObject(
      shows(
        1,
        /^WRONG.*\n(.*\n)* {2}log +b\.json\n(.*\n)* {2}WRONG +The body is another one.*\n(.*\n)*ok.*\n(.*\n)* {2}log +a\.json\n/,
      ),
    );
  });
});

describe('a service that lies', () => {
  const upload = async (args: readonly string[], receipt: string | undefined) => {
    const body = '{"code":"00000","msg":"success","requestTime":1,"data":"upload success"}';
    const headers = receipt === undefined ? {} : { 'AI-LOG-RECEIPT': receipt };
    work.way.plan({ status: 200, headers, body });
    const cwd = folderOf({ 'log.json': LOG });
    return { cwd, ...(await work.run(team, ['upload', ...args], { cwd, input: LOG })) };
  };

  test('without a receipt: it is said, and the log is stored', async () => {
    for (const args of [['log.json'], ['--dir', '.'], ['-']]) {
      const { exitCode, stdout, stderr } = await upload(args, undefined);
      expect([exitCode, stderr]).toEqual([
        0,
        expect.stringMatching(/^The service sent no receipt for (log\.json|the log)\.$/m),
      ]);
      expect(stdout).not.toContain('receipt');
    }
  });

  test('with a receipt of something else: a warning, and it is kept as it is', async () => {
    const foreign = HEADER;
    // biome-ignore format: one case a line
    for (const [sent, says] of [
      [foreign, `It is about the entry ${RECEIPT.entryId}, not `],
      [foreign.slice(0, 100), 'A note has an empty line'],
      ['sorry', 'The receipt is not standard base64 with padding'],
      ['\u00e9\u009b', 'The receipt is not standard base64'],
    ] as const) {
      const { cwd, exitCode, stderr } = await upload(['log.json'], sent);
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`WARNING: the receipt of log.json is worth nothing. ${says}`)]);
      expect(journalIn(cwd).at(-1)?.receipt).toBe(Buffer.from(sent).toString('latin1'));
      expect(await upload(['--dir', '.'], sent)).toMatchObject(notes(0, 'WARNING: the receipt of log.json'));
    }
    const { stdout } = await upload(['log.json', '--json'], foreign);
    expect(JSON.parse(stdout)).toMatchObject({
      receipt: foreign,
      receiptProblem: expect.stringContaining('It is about the entry'),
    });
  });
});
