import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../cli/local/serve.ts';
import { serveTlog } from '../../../../cli/local/serveTlog.ts';
import { waitForLog } from '../../../../cli/proof/evidence/waitForLog.ts';
import { publicFiles } from '../../../../cli/proof/inclusion/publicFiles.ts';
import { createTerminal } from '../../../../cli/shell/terminal/terminal.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { runSequencer } from '../../../../functions/sequencer/run.ts';
import { entriesOf } from '../../../c2sp/trees.ts';
import { notes, shows } from '../../../setup/outcome.ts';
import { MINUTE_MS } from '../../../setup/time.ts';
import { folderOf, LOG, openLocalLog, openTeamFixture } from '../../commands/team/teamFixture.ts';
import { openPublicLogServer, type PublicLogServer } from '../inclusion/publicLogServer.ts';

describe('waiting for a public log', () => {
  let server: PublicLogServer;
  beforeEach(async () => {
    server = await openPublicLogServer();
    await server.publish(entriesOf(3));
    return server.close;
  });

  /** Waits for the entries of receipts. @returns the exit code and the notes */
  async function wait(receipts: Readonly<Record<string, string | undefined>>, signal?: AbortSignal) {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const host = { env: {}, stdin, stdout, stderr, cwd: () => '/', ...(signal && { signal }) };
    const terminal = createTerminal(host as unknown as Parameters<typeof createTerminal>[0]);
    const headers = Object.entries(receipts).map(
      ([name, note]) => [name, note && Buffer.from(note).toString('base64')] as const,
    );
    const files = publicFiles(server.url, terminal.signal);
    await waitForLog(terminal, new Map(headers), { files, policy: parsePolicy(server.policy) });
    return { exitCode: terminal.exitCode, notes: String(stderr.read() ?? '') };
  }

  /** Does something when the checkpoint is asked for again. */
  function atSecondLook(act: () => Promise<unknown>): void {
    let looks = 0;
    server.state.intercept = (path, response) => {
      if (path === 'checkpoint') looks += 1;
      if (path !== 'checkpoint' || looks !== 2) return false;
      // The second look fails: that ends nothing.
      void act().then(() => response.writeHead(503).end());
      return true;
    };
  }

  test('ends when the log has all entries, although it did not answer in between', async () => {
    const [one, two] = [await server.entry(Date.now()), await server.entry(Date.now() - MINUTE_MS)];
    await server.publish([two.entryHash]);
    atSecondLook(() => server.publish([one.entryHash]));
    const { exitCode, notes } = await wait({ 'one.json': one.receipt, 'two.json': two.receipt });
    expect([exitCode, notes.split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^Waiting for the transparency log, until \S+Z at most\.$/),
        `In the transparency log at ${server.url}/: 2 of 2 logs.`,
        '',
      ],
    ]);
  });

  test('ends with the deadline: the promise is broken', async () => {
    const late = await server.entry(Date.now() - 10 * MINUTE_MS - 22_000);
    expect(await wait({ 'late.json': late.receipt })).toEqual({
      exitCode: 6,
      notes: expect.stringMatching(/\nBROKEN: late\.json: The promise is BROKEN: .*\n.*: 0 of 1 log\.\n$/),
    });
  });

  test('a log without a receipt cannot be looked up; a receipt of another key is wrong', async () => {
    const { receipt } = await server.entry(Date.now());
    expect(await wait({ 'none.json': undefined })).toEqual({
      exitCode: 5,
      notes: `NO PROOF: none.json: it has no receipt.\nIn the transparency log at ${server.url}/: 0 of 1 log.\n`,
    });
    const forged = receipt.replace(/\n10\d\d\n/, '\n1\n');
    expect(await wait({ 'forged.json': forged, 'none.json': undefined })).toMatchObject({ exitCode: 1 });
  });

  test('a log that never answered is an error at once', async () => {
    server.close();
    await expect(wait({ 'a.json': (await server.entry(Date.now())).receipt })).rejects.toMatchObject({
      outcome: 'unreachable',
    });
  });

  test('a log that no longer answers after the deadline is an error', async () => {
    const late = await server.entry(Date.now() - 10 * MINUTE_MS - 22_000);
    let looks = 0;
    server.state.intercept = (path, response) => {
      if (path === 'checkpoint') looks += 1;
      return looks > 1 && !!response.writeHead(503).end();
    };
    await expect(wait({ 'a.json': late.receipt })).rejects.toMatchObject({ outcome: 'unreachable' });
  });

  test('Ctrl-C ends it', async () => {
    const { receipt } = await server.entry(Date.now());
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    await expect(wait({ 'a.json': receipt }, controller.signal)).rejects.toMatchObject({ outcome: 'interrupted' });
  });
});

const work = await openTeamFixture();
const { folder, log, policy } = await openLocalLog(work.fixture);
const run = { ...log, now: () => Date.now() + MINUTE_MS, windowMs: 10 * MINUTE_MS };
const sequence = () => runSequencer(run, AbortSignal.timeout(30_000));
await sequence();
let sequencing: Promise<unknown> | undefined;
const tlog = createServer(async (request, response) => {
  await serveTlog(folder, request, response);
  // The log grows after the first look.
  if (request.url === '/tlog/checkpoint') sequencing ??= sequence();
});
const url = `${await listen(tlog, 0)}/tlog`;
afterAll(() => {
  tlog.close().closeAllConnections();
  work.close();
});

describe('ailog upload --wait-for-log', () => {
  test('of a file: uploads it, and ends when the log of the sequencer has it', async () => {
    const team = await work.fixture.team();
    const cwd = folderOf({ 'log.json': LOG, 'organisers.policy': policy });
    const args = ['upload', 'log.json', '--wait-for-log', url, '--policy', 'organisers.policy'];
    const { exitCode, stdout, stderr } = await work.run(team, args, { cwd });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('stored')]);
    expect(stderr).toMatch(
      /\nWaiting for the transparency log, until \S+Z at most\.\nIn the transparency log at \S+: 1 of 1 log\.\n$/,
    );
    await sequencing;
    expect(
      await work.run(team, ['verify', 'ailog-results.jsonl', '--policy', 'organisers.policy', '--log', url], { cwd }),
    ).toMatchObject(shows(0, 'the entry is in the transparency log of localhost/ailog'));
  });

  test('of a folder: all logs that it has stored', async () => {
    const team = await work.fixture.team();
    const cwd = folderOf({ '1.json': LOG, '2.json': LOG, 'tlog.policy': policy });
    const uploaded = work.run(team, ['upload', '--dir', '.', '--wait-for-log', url], { cwd });
    sequencing = undefined;
    expect(await uploaded).toMatchObject(notes(0, `In the transparency log at ${url}/: 2 of 2 logs.`));
    await sequencing;
  });

  // biome-ignore format: one case a line
  test.each([
    ['--watch', ['--dir', '.', '--watch', '--wait-for-log', 'https://a.example'], '--wait-for-log does not go with --watch.'],
    ['--policy alone', ['log.json', '--policy', 'tlog.policy'], '--policy needs --wait-for-log.'],
    ['no URL', ['log.json', '--wait-for-log', 'here'], '"here" is not the URL of a transparency log.'],
    ['no policy', ['log.json', '--wait-for-log', 'https://a.example'], 'There is no trust policy.'],
  ])('%s: exit code 2, and nothing is sent', async (_name, args, says) => {
    const team = await work.fixture.team();
    const cwd = folderOf({ 'log.json': LOG });
    expect(await work.run(team, ['upload', ...args], { cwd })).toMatchObject(notes(2, says));
    expect(await work.fixture.entriesOf(team.uid)).toEqual([]);
  });
});
