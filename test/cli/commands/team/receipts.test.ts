import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { formatProofFile } from '../../../../cli/proof/evidence/proofFile.ts';
import { LOCAL_ORIGIN } from '../../../../cli/store/targets/data.ts';
import { parseCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { parseNote } from '../../../../functions/c2sp/note.ts';
import { bundlesFrom, readBundle, tilePath } from '../../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../../functions/c2sp/treeReader.ts';
import { runSequencer } from '../../../../functions/sequencer/run.ts';
import { entryHashOf, entryPreimage } from '../../../../functions/tlog/entryHash.ts';
import { notes, shows } from '../../../setup/outcome.ts';
import { makeEvidence } from '../tlog/evidenceFixture.ts';
import { folderOf, LOG, openLocalLog, openTeamFixture } from './teamFixture.ts';

const work = await openTeamFixture();
afterAll(() => work.close());
const { folder, log, policy } = await openLocalLog(work.fixture);

const journalIn = (cwd: string): { state: string; file: string; receipt?: string }[] =>
  readFileSync(join(cwd, 'ailog-results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const team = await work.fixture.team();

describe('the receipt of an upload to the local service', () => {
  const cwd = folderOf({ 'log.json': LOG, 'tlog.policy': policy });
  const run = (...args: string[]) => work.run(team, args, { cwd });

  test('is in the result file, and verifies with the body that was sent', async () => {
    const { exitCode, stdout, stderr } = await run('upload', 'log.json', '--order', '7');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^receipt +in ailog-results\.jsonl$/m)]);
    expect(stderr).not.toContain('receipt');
    const [entry] = await work.fixture.entriesOf(team.uid);
    const kept = journalIn(cwd).at(-1);
    expect(kept).toMatchObject({ state: 'stored', entryId: entry?.entryId });
    writeFileSync(join(cwd, 'log.note'), Buffer.from(kept?.receipt ?? '', 'base64'));
    expect(await run('verify', 'log.note', '--body', 'log.json', '--order', '7')).toMatchObject(
      shows(0, new RegExp(`entryId +${entry?.entryId}\n.*uid +${team.uid}\n`, 's')),
    );
    expect(await run('verify', 'log.note', '--body', 'log.json')).toMatchObject({ exitCode: 1 });
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
      kept.map(({ file }) => expect.objectContaining({ ok: true, log: file, uid: team.uid })),
    ]);

    writeFileSync(join(logs, 'b.json'), LOG);
    expect(await work.run(team, ['verify', 'ailog-results.jsonl'], { cwd: logs })).toMatchObject(
      shows(1, /^FAILED.*\n(.*\n)* {2}WRONG +b\.json is not the body.*\n(.*\n)*ok.*\n {2}log +a\.json\n/),
    );
  });

  test('is followed by a proof as soon as the sequencer has run, which verifies with the same policy', async () => {
    const [entry] = await work.fixture.entriesOf(team.uid);
    if (!entry) throw new Error('no entry');
    await runSequencer({ ...log, now: () => Date.now() + 60_000 }, AbortSignal.timeout(30_000));
    const read = (path: string) => readFileSync(join(folder, path));
    const checkpoint = read('checkpoint').toString();
    const { size } = parseCheckpoint(parseNote(checkpoint).text);
    const leaves = [...bundlesFrom(0, size)].flatMap((tile) => readBundle(read(tilePath(tile)), tile.width));
    const index = leaves.findIndex((leaf) => entryHashOf(entryPreimage(entry)).equals(leaf));
    const proof = await treeReader(async (tile) => read(tilePath(tile)), size).inclusionProof(index);

    writeFileSync(join(cwd, 'e.tlog-proof'), formatProofFile({ index, proof, checkpoint }));
    writeFileSync(join(cwd, 'e.preimage'), entryPreimage(entry));
    writeFileSync(join(cwd, 'e.receipt'), readFileSync(join(cwd, 'log.note')));
    expect(await run('verify', 'e.tlog-proof', '--body', 'log.json', '--order', '7')).toMatchObject(
      shows(0, `the entry is in the transparency log of ${LOCAL_ORIGIN}, at index ${index} of ${size}`),
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
    const { files, other } = await makeEvidence();
    const foreign = Buffer.from(files['other.receipt']).toString('base64');
    // biome-ignore format: one case a line
    for (const [sent, says] of [
      [foreign, `it is about the entry ${other.entry.entryId}, not `],
      [foreign.slice(0, 100), 'A note has an empty line'],
      ['sorry', 'The receipt is not standard base64 with padding'],
      ['\u00e9\u009b', 'The receipt is not standard base64'],
    ] as const) {
      const { cwd, exitCode, stderr } = await upload(['log.json'], sent);
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`WARNING: the receipt of log.json is worth nothing: ${says}`)]);
      expect(journalIn(cwd).at(-1)?.receipt).toBe(Buffer.from(sent).toString('latin1'));
      expect(await upload(['--dir', '.'], sent)).toMatchObject(notes(0, 'WARNING: the receipt of log.json'));
    }
    const { stdout } = await upload(['log.json', '--json'], foreign);
    expect(JSON.parse(stdout)).toMatchObject({
      receipt: foreign,
      receiptProblem: expect.stringContaining('it is about the entry'),
    });
  });
});
