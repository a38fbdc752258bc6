import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { formatNote } from '../../../functions/c2sp/note.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { formatReceipt, parseReceipt, type Receipt } from '../../../functions/receipts/receiptFormat.ts';
import { newSigner } from '../../c2sp/keys.ts';
import { hasBrowser } from '../../setup/browser.ts';
import { noDeadline, runCommand } from '../../setup/world.ts';
import { demoOf, newFolder, sendLog, start } from '../local/service.ts';
import { openVerifyPage, type VerifyPage } from './page/openVerifyPage.ts';

/** Evidence of `npm start` is judged by `verify`, with and without a copy of the log, by the page and by the audit. */
const folder = newFolder();
const service = await start(folder);
afterAll(() => service.stop());
const ailog = (...args: string[]) => runCommand(args, { cwd: folder });
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Signs receipts of this log, too: with it, the service has promised what it did not keep. */
const signer = newSigner('localhost/ailog/receipts');
let page: VerifyPage | undefined;

/** Returns the value of the header of a receipt that promises something else than the one in a file. */
async function promising(change: (receipt: Receipt) => Partial<Receipt>): Promise<string> {
  const receipt = parseReceipt(
    Buffer.from(read('good.receipt'), 'base64')
      .toString()
      .replace(/\n\n.*$/s, '\n'),
  );
  const text = formatReceipt({ ...receipt, ...change(receipt) });
  const signature = await signer.sign(Buffer.from(text), noDeadline());
  return Buffer.from(formatNote({ text, signatures: [{ ...signer.key, signature }] })).toString('base64');
}

beforeAll(async () => {
  const { headers } = await sendLog(folder);
  write('good.receipt', headers.get('AI-LOG-RECEIPT') ?? '');
  write('log.json', '{"stage":"a","model":"b","input":{},"output":{},"explanation":"c"}');
  const { AILOG_ACCESS_KEY, AILOG_SECRET, AILOG_PASSPHRASE, AILOG_URL } = demoOf(folder);
  const env = { AILOG_ACCESS_KEY, AILOG_SECRET, AILOG_PASSPHRASE, AILOG_URL };
  expect(await runCommand(['upload', 'log.json'], { cwd: folder, env })).toMatchObject({ exitCode: 0 });
  const expectLogged = async () => expect(await ailog('logs', 'verify')).toMatchObject({ exitCode: 0 });
  await vi.waitFor(expectLogged, { interval: 500, timeout: 60_000 });
  await ailog('statement', '--uid', '1001', '-o', 'good.statement');
  const [logs, ...rest] = read('.local/tlog.policy').split('\n');
  write('tlog.policy', [logs, `# receipts ${formatVerifierKey(signer.key)}`, ...rest].join('\n'));
  const url = `${AILOG_URL}/tlog`;
  expect(await ailog('tlog', 'follow', url, 'copy', '--policy', 'tlog.policy')).toMatchObject({ exitCode: 0 });
  if (hasBrowser) page = await openVerifyPage();
});

/** The exit codes of `verify` and of an audit that knows the evidence: it takes none that does not hold. */
const CODES = { ok: [0, 0], LATE: [6, 6], MISSING: [6, 6], WRONG: [1, 2] } as const;

describe.each<[file: string, text: () => string | Promise<string>, word: keyof typeof CODES, kind?: string]>([
  ['good.receipt', () => read('good.receipt'), 'ok'],
  ['ailog-results.jsonl', () => read('ailog-results.jsonl'), 'ok'],
  ['good.statement', () => read('good.statement'), 'ok'],
  ['changed.receipt', () => read('good.receipt').replace(/.(?=.{8}$)/, (c) => (c === 'A' ? 'B' : 'A')), 'WRONG'],
  ['changed.statement', () => read('good.statement').replace('"c\\"}', '"d\\"}'), 'WRONG'],
  ['late.receipt', () => promising(({ receivedAt }) => ({ deadline: receivedAt })), 'LATE', 'late'],
  [
    'lost.receipt',
    () => promising(({ receivedAt }) => ({ entryHash: 'ab'.repeat(32), deadline: receivedAt })),
    'MISSING',
    'promised',
  ],
])('%s', (file, text, word, kind) => {
  beforeAll(async () => write(file, await text()));

  test(`is ${word} for verify with the copied log`, async () => {
    const ran = await ailog('verify', file, '--policy', 'tlog.policy', '--log', 'copy', '--json');
    const words: string[] = JSON.parse(ran.stdout).map((verdict: { word: string }) => verdict.word);
    expect([ran.exitCode, words.find((one) => one !== 'ok') ?? 'ok']).toEqual([CODES[word][0], word]);
  });

  // The page and a line alone know no log, so a promise holds there.
  const alone = word === 'WRONG' ? word : 'ok';
  test(`is ${alone} for verify alone, and for the page`, async () => {
    const ran = await ailog('verify', file, '--policy', 'tlog.policy', '--json');
    const words: string[] = JSON.parse(ran.stdout).map((verdict: { word: string }) => verdict.word);
    expect(words.find((one) => one !== 'ok') ?? 'ok').toBe(alone);
    if (!page) return;
    const tab = await page.open();
    const shown = await page.choose(
      tab,
      ['tlog.policy', file, ...(file.endsWith('.jsonl') ? ['log.json'] : [])].map((name) => join(folder, name)),
    );
    await tab.context().close();
    expect(shown.words.toSorted()).toEqual(words.toSorted());
  });

  test(`is ${kind ?? word} for the audit of the copied log`, async () => {
    const ran = await ailog('tlog', 'audit', '--log', 'copy', '--policy', 'tlog.policy', '--known', file, '--json');
    expect(ran.exitCode, ran.stderr).toBe(CODES[word][1]);
    if (word === 'WRONG') expect(ran.stderr).toMatch(/Line \d+ of .* does not hold/);
    else expect(JSON.parse(ran.stdout).findings.map((one: { kind: string }) => one.kind)).toEqual(kind ? [kind] : []);
  });
});
