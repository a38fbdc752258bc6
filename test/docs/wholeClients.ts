import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { expect } from 'vitest';
import { verify } from '../../cli/proof/evidence/verify.ts';
import { formatPolicy, parsePolicy } from '../../functions/c2sp/policy.ts';
import {
  type Fault,
  logText,
  overHttp,
  start,
  startFaultProxy,
  type Team,
  temporaryFolder,
  UNREACHABLE,
  world,
} from '../setup/world.ts';

/** A log with spaces, an id of 18 digits and text beyond ASCII, which a client must send as they are. */
const LOG = logText({ explanation: 'BTC is stronger – 看空 ETH 📉' }, { orderId: '590480926522704171' }).replace(
  ':',
  ' : ',
);

/** The line that a client keeps, as far as it is read. */
interface Kept {
  readonly state: string;
  readonly timestamp: string;
  readonly sign: string;
  readonly body: string;
  readonly receipt?: string;
  readonly warning?: string;
}

interface Case {
  readonly faults?: readonly Fault[];
  readonly team?: { readonly status: null };
  readonly log?: string;
  /** Of the last line that is kept; by default, `stored`. */
  readonly state?: string;
  readonly entries?: number;
  readonly warning?: string;
  /** In what the client prints. */
  readonly says?: string;
}

const refusal = { status: 403, body: '{"code":"40022","msg":"no","requestTime":1,"data":null}' };
const busy = (seconds: string) => ({ status: 429, headers: { 'Retry-After': seconds }, body: '{"code":"429"}' });

/** What a server can do to a request, and what the client must make of it. */
export const CASES: Readonly<Record<string, Case>> = {
  'an answer': {},
  'an answer with a warning': { log: LOG.replace('590480926522704171', '""'), warning: 'orderId is empty' },
  'a server that hangs': { faults: ['hang'] },
  'a server that sends a byte a second': { faults: ['drip'] },
  'a connection that breaks before the request arrives': { faults: ['break before'] },
  'an answer that is lost': { faults: ['lose the answer'] },
  'an error 500, twice': { faults: [{ status: 500 }, { afterwards: { status: 500, body: '<h1>Error</h1>' } }] },
  'a 429': { faults: [busy('1')] },
  'a 429 that asks for too long a pause': { faults: [busy('60')], state: 'not stored', entries: 0 },
  'a page of another server': { faults: [{ status: 200, body: '<h1>Please log in</h1>' }] },
  'a time-out of a proxy': { faults: [{ status: 408, body: '<h1>Time-out</h1>' }] },
  'a limit of a proxy': { faults: [{ status: 429, body: '<h1>Busy</h1>' }] },
  'a wrong address': { faults: [{ status: 404, body: '<h1>Not found</h1>' }], state: 'not stored', entries: 0 },
  'a redirect': { faults: [{ status: 307, headers: { Location: '/' } }], state: 'not stored', entries: 0 },
  'a team that is not approved': { team: { status: null }, state: 'not stored', entries: 0 },
  'an answer that is lost, then a refusal': { faults: ['lose the answer', refusal], state: 'unknown' },
  'only a server that hangs': {
    faults: Array(9).fill('hang'),
    state: 'unknown',
    entries: 1,
    says: 'no answer within 8 s, 3 tries',
  },
  'only errors 503': { faults: Array(9).fill({ status: 503 }), state: 'unknown', entries: 0 },
};

/**
 * Starts the service, and returns a method that runs a client of docs/clients through every case, all at once.
 * @param client its file, and the command that runs it
 */
export async function openWholeClient(client: string, command: readonly string[]) {
  const fixture = await world();
  const { url: service } = await overHttp(fixture);

  /** Starts the client for a team, in a new folder. @param base the URL; by default, that of a server with faults */
  async function begin(team: Team, log: string, base?: string) {
    const way = await startFaultProxy(service);
    const cwd = temporaryFolder();
    copyFileSync(fileURLToPath(new URL(`../../docs/clients/${client}`, import.meta.url)), join(cwd, client));
    writeFileSync(join(cwd, 'log.json'), log);
    const { PATH, HOME } = process.env;
    const env = {
      ...{ PATH, HOME, AILOG_SECRET: team.secret, AILOG_PASSPHRASE: team.passphrase },
      // The client must remove the slashes. The service itself would ignore them.
      ...{ AILOG_URL: base ?? `${way.url}//`, AILOG_ACCESS_KEY: team.accessKey },
    };
    const kept = (): Kept[] =>
      readFileSync(join(cwd, 'ailog-kept.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    const hasKept = () =>
      existsSync(join(cwd, 'ailog-kept.jsonl')) && readFileSync(join(cwd, 'ailog-kept.jsonl')).length > 0;
    return { way, cwd, kept, hasKept, env, run: () => start([...command, client, 'log.json'], { env, cwd }) };
  }

  return {
    /** Runs the client against a server with the faults of a case, and expects what it keeps and what is stored. */
    async expectCase({ faults = [], team: status, log = LOG, state = 'stored', entries = 1, warning, says }: Case) {
      const team = await fixture.team(status);
      const { way, cwd, kept, run } = await begin(team, log);
      way.plan(...faults);
      const { exitCode, stdout, stderr } = await run().ended;
      const [sending, result, ...others] = kept();
      expect([exitCode, result?.state, others], stdout + stderr).toEqual([state === 'stored' ? 0 : 1, state, []]);
      expect(`${stdout}${stderr}`).toMatch(new RegExp(`^.*log\\.json: ${state}.*${warning ?? ''}`));
      if (state !== 'stored') expect(`${stdout}${stderr}`).toMatch(/ HTTP \d+/);
      expect(`${stdout}${stderr}`).toContain(says ?? '');
      expect(sending?.state).toBe('sending');
      // Every attempt is the identical request, and the line has what proves it.
      const sent = way
        .seen()
        .map(({ url, headers, body }) =>
          JSON.stringify([url, headers['access-sign'], headers['access-timestamp'], body]),
        );
      expect(new Set(sent)).toEqual(
        new Set([
          JSON.stringify([
            '/capi/v2/order/uploadAiLog',
            result?.sign,
            result?.timestamp,
            Buffer.from(log).toString('hex'),
          ]),
        ]),
      );
      // On a busy machine, more answers come too late.
      if (state === 'not stored') expect(sent).toHaveLength(1);
      else expect(sent.length).toBeGreaterThan(state === 'stored' ? faults.length : 1);
      expect(result?.body).toBe(log);
      const stored = await fixture.entriesOf(team.uid);
      expect(stored.map(({ body, signature }) => [zstdDecompressSync(body).toString(), signature])).toEqual(
        Array(entries).fill([log, result?.sign]),
      );
      if (state !== 'stored') return;
      expect(Buffer.from(String(result?.receipt), 'base64').toString()).toContain(`\n${stored[0]?.entryId}\n`);
      expect(String(result?.warning ?? '')).toContain(warning ?? '');
      // What it keeps is evidence as it is.
      const receipts = [await fixture.makeReceiptKey()];
      const trusted = { policy: parsePolicy(formatPolicy({ logs: [], receipts })) };
      const [verdict, ...rest] = await Array.fromAsync(verify([readFileSync(join(cwd, 'ailog-kept.jsonl'))], trusted));
      const facts = { entryId: stored[0]?.entryId, hasBody: true };
      expect([verdict, rest]).toEqual([
        expect.objectContaining({ word: 'ok', facts: expect.objectContaining(facts) }),
        [],
      ]);
      for (const secret of [team.secret, team.passphrase]) expect(JSON.stringify(kept())).not.toContain(secret);
    },

    /** Kills the client while the server hangs, and expects that the line of the request is kept. */
    async expectKeptWhenKilled() {
      const team = await fixture.team();
      const { way, kept, run } = await begin(team, LOG);
      way.plan('hang');
      const running = run();
      await expect.poll(() => way.seen()).toHaveLength(1);
      const { timestamp, sign } = kept()[0] as Kept;
      running.kill('SIGKILL');
      await running.ended;
      expect(kept()).toMatchObject([{ state: 'sending', timestamp, sign, body: LOG }]);
      expect(way.seen()[0]?.headers).toMatchObject({ 'access-timestamp': timestamp, 'access-sign': sign });
    },

    /** Expects that nothing is sent to another host without encryption, nor kept. */
    async expectNoPlainHttp() {
      for (const base of ['http://ailog.example.com', 'http://127.0.0.1.example.com', 'ftp://127.0.0.1', 'nowhere']) {
        const { hasKept, run } = await begin(await fixture.team(), LOG, base);
        const { exitCode, stdout, stderr } = await run().ended;
        expect([base, exitCode]).toEqual([base, 1]);
        expect(stdout + stderr).toMatch(/https|URL/);
        expect(hasKept()).toBe(false);
      }
    },

    /** Expects that a log is not stored, rather than unknown, if no try has reached a server. */
    async expectNotStoredWithoutServer() {
      const { kept, run } = await begin(await fixture.team(), LOG, UNREACHABLE);
      const { exitCode, stdout, stderr } = await run().ended;
      expect([exitCode, kept().at(-1)?.state], stdout + stderr).toEqual([1, 'not stored']);
      expect(stdout + stderr).toMatch(/ tries/);
    },

    /** Expects that nothing is sent, nor called stored, if the record of it cannot be written. */
    async expectNothingSentWithoutRecord() {
      const { way, cwd, run } = await begin(await fixture.team(), LOG);
      symlinkSync('/dev/full', join(cwd, 'ailog-kept.jsonl'));
      const { exitCode, stdout, stderr } = await run().ended;
      expect([exitCode, way.seen()]).toEqual([1, []]);
      expect(stdout + stderr).toMatch(/no space|ENOSPC/i);
      expect(stdout + stderr).not.toContain(': stored');
    },

    /** Expects that what is missing or malformed is named in one line before anything is kept or sent. */
    async expectMistakesNamed() {
      const team = await fixture.team();
      const { way, cwd, hasKept, env } = await begin(team, LOG);
      const run = (files: readonly string[], changed: Readonly<NodeJS.Dict<string>> = {}) =>
        start([...command, client, ...files], { env: { ...env, ...changed }, cwd }).ended;
      const mistakes: [changed: Readonly<NodeJS.Dict<string>>, says: RegExp][] = [
        ...[undefined, '', ' ', 'a ', 'a\n', 'é'].map((value, at): (typeof mistakes)[number] => {
          const name = ['AILOG_URL', 'AILOG_ACCESS_KEY', 'AILOG_SECRET', 'AILOG_PASSPHRASE'][at % 4] as string;
          const says = `${name} must be set, in ASCII, without spaces at its ends`;
          return [{ [name]: value }, new RegExp(`^log\\.json: (not sent: )?${says}\\n$`)];
        }),
        ...['https://', 'https://a:b', 'https://a/?b', 'https://a@b'].map((url): (typeof mistakes)[number] => [
          { AILOG_URL: url },
          /^log\.json: (not sent: )?AILOG_URL must be as https:\/\/api\.example\.com, with a path or not\n$/,
        ]),
      ];
      for (const [changed, says] of mistakes) {
        const { exitCode, stdout, stderr } = await run(['log.json'], changed);
        expect([changed, exitCode, stdout]).toEqual([changed, 1, '']);
        expect(stderr).toMatch(says);
      }
      expect(await run([])).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(/^usage: .*\n$/) });
      expect([way.seen(), hasKept()]).toEqual([[], false]);
      // One that is missing does not stop the others.
      const { exitCode, stdout, stderr } = await run(['missing.json', 'log.json']);
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^missing\.json: .*\n$/)]);
      expect(stdout).toMatch(/^log\.json: stored/);
      expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
    },
  };
}
