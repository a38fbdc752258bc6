/** The page and `ailog verify` agree on every case of the tests of `ailog verify`, which run here once more. */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { visible } from '../../../../cli/shell/text/visible.ts';
import { hasBrowser } from '../../../setup/browser.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { otherVerifiers } from '../../commands/tlog/evidenceFixture.ts';
import { openVerifyPage, type VerifyPage } from './openVerifyPage.ts';

/** A result as `ailog verify --json` describes it. */
interface Described {
  readonly file: string;
  readonly format: string;
  readonly ok: boolean;
  /** The number of entries of a statement, if this is about the whole of it. */
  readonly entries?: number;
  readonly promise?: string;
  readonly proven: readonly string[];
  readonly notProven: readonly string[];
  readonly wrong: readonly string[];
}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const OPTIONS = {
  log: TEXT,
  policy: TEXT,
  body: TEXT,
  preimage: TEXT,
  order: TEXT,
  json: FLAG,
  verbose: FLAG,
} as const;

/**
 * Returns the files to choose on the page for arguments of `ailog verify`, and the log in which to look entries up;
 * undefined if it has nothing like them.
 */
function filesOf(folder: string, args: readonly string[]): { files: string[]; log: string | undefined } | undefined {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const { policy = 'tlog.policy', body, preimage, order, log } = values;
  // The page takes the bytes that were sent, and gives every body and preimage to the evidence that it belongs to.
  if (order !== undefined || (positionals.length > 1 && (body ?? preimage) !== undefined)) return undefined;
  const beside = positionals.flatMap((name) => {
    const stem = name.replace(/\.tlog-proof$/, '');
    if (name.endsWith('.jsonl')) return readdirSync(folder).filter((one) => one.endsWith('.json'));
    return stem === name ? [] : [`${stem}.preimage`, `${stem}.receipt`];
  });
  const given = [positionals, body ?? [], preimage ?? []].flat();
  const isFile = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true;
  if (!given.every(isFile)) return undefined;
  const files = [...new Set([...given, policy, ...beside])].filter(isFile).map((name) => join(folder, name));
  return { files, log };
}

/** Returns what the page must show for results. */
const expectedOf = (results: readonly Described[]) =>
  results.map(({ file, format: _, ok: _ok, promise: _promise, proven, notProven, wrong, ...facts }) => ({
    name: visible(basename(file)),
    entry: [
      ...Object.entries(facts),
      ...proven.map((sentence) => ['proven', sentence]),
      ...notProven.map((sentence) => ['not proven', sentence]),
      ...wrong.map((sentence) => ['WRONG', sentence]),
    ].map(([name, text]) => [name, visible(String(text))]),
  }));

/** A file that is given twice is on the page once, and a receipt beside a proof is a part of it. */
const onPage = (results: readonly Described[]) => {
  const parts = results.map(({ file }) => file.replace(/\.tlog-proof$/, '.receipt'));
  return [...new Map(results.map((result) => [JSON.stringify(result), result])).values()].filter(
    ({ file, format }) =>
      format !== 'receipt' || !results.some((one, at) => one.format === 'proof' && parts[at] === file),
  );
};

/** The page shows the worst first. */
const sorted = <Value>(values: readonly Value[]) =>
  values.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

let page: VerifyPage;
let tab: Page;
let online: VerifyPage;
let onlineTab: Page;
const compared = { results: 0, online: 0, refused: 0 };

async function compare(folder: string, args: readonly string[]): Promise<void> {
  const { files, log } = filesOf(folder, args) ?? {};
  if (!files) return;
  const plain = args.filter((one) => one !== '--json');
  const ran = await runCommand(['verify', ...plain, '--json'], { cwd: folder });
  const [from, own] = log === undefined ? [page, tab] : [online, onlineTab];
  await from.reload(own);
  const chosen = await from.choose(own, files);
  const shown = log === undefined ? chosen : await from.lookUp(own, log);
  if (ran.exitCode === 2 || ran.exitCode === 4 || ran.stdout === '') {
    compared.refused += 1;
    expect(shown.verdict).not.toMatch(/^ok/);
    return;
  }
  const results: Described[] = onPage(JSON.parse(ran.stdout));
  compared.results += results.length;
  if (log !== undefined) compared.online += results.length;
  const entries = shown.results.flatMap(({ name, entries }) => entries.map((entry) => ({ name, entry })));
  expect(sorted(entries)).toEqual(sorted(expectedOf(results)));
  const isBroken = ({ promise, wrong }: Described) => promise === 'broken' && wrong.length === 1;
  const single = results.filter(({ entries }) => entries === undefined);
  const failed = single.filter((one) => one.wrong.length > 0 && !isBroken(one)).length;
  expect(shown.verdict).toContain(`Checked: ${single.length}, failed: ${failed}`);
  if (results.some(isBroken)) expect(shown.verdict).toContain('promise broken: ');
  expect(shown.verdict.startsWith('ok')).toBe(ran.exitCode === 0 && shown.problems.length === 0);
}

if (hasBrowser) {
  beforeAll(async () => {
    page = await openVerifyPage();
    tab = await page.open();
    online = await openVerifyPage({ isOnline: true });
    onlineTab = await online.open();
    otherVerifiers.push(compare);
  });
  afterAll(async () => {
    otherVerifiers.length = 0;
    await Promise.all([page.browser.close(), online.browser.close()]);
  });
  await import('../../commands/team/verify.test.ts');
  await import('../../commands/team/verifyOnline.test.ts');
  await import('../../commands/team/verifySlowLog.slow.ts');
  await import('../evidence/journalEvidence.test.ts');
  await import('../../commands/report/statement.test.ts');
}

test.runIf(hasBrowser)('the page was compared with the command', () => {
  expect(compared.results).toBeGreaterThan(300);
  expect(compared.online).toBeGreaterThan(25);
  expect(compared.refused).toBeGreaterThan(20);
});
