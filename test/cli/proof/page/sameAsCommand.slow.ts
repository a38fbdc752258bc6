/** The page and `ailog verify` agree on every case of the tests of `ailog verify`, which run here once more. */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOfCount } from '../../../../cli/proof/evidence/countEntries.ts';
import { type Findings, statusOf } from '../../../../cli/proof/evidence/evidence.ts';
import { visible } from '../../../../cli/shell/text/visible.ts';
import { hasBrowser } from '../../../setup/browser.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { argumentsOf, EVIDENCE, vectors } from '../../../vectors/evidence/judge.ts';
import { otherVerifiers } from '../../commands/tlog/evidenceFixture.ts';
import { openVerifyPage, type VerifyPage } from './openVerifyPage.ts';

/** A result as `ailog verify --json` describes it. */
type Described = Omit<Findings, 'facts' | 'isAboutFile'> & { file: string; format: string; ok: boolean };

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const OPTIONS = { log: TEXT, policy: TEXT, body: TEXT, preimage: TEXT, order: TEXT, json: FLAG, verbose: FLAG };

/** Returns the files to choose on the page for arguments of `ailog verify`; undefined if it has nothing like them. */
function filesOf(folder: string, args: readonly string[]): string[] | undefined {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const { policy = 'tlog.policy', body, preimage, order, log } = values;
  // The page reaches no log and inserts no order id. It gives every body and preimage to the evidence of its own.
  if (log !== undefined || order !== undefined || (positionals.length > 1 && (body ?? preimage) !== undefined))
    return undefined;
  const beside = positionals.flatMap((name) => {
    const stem = name.replace(/\.tlog-proof$/, '');
    if (name.endsWith('.jsonl')) return readdirSync(folder).filter((one) => one.endsWith('.json'));
    return stem === name ? [] : [...(preimage ? [] : [`${stem}.preimage`]), `${stem}.receipt`];
  });
  const given = [positionals, body ?? [], preimage ?? []].flat();
  const isFile = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true;
  if (!given.every(isFile)) return undefined;
  return [...new Set([...given, policy, ...beside])].filter(isFile).map((name) => join(folder, name));
}

/** Returns what the page must show for results. */
const expectedOf = (results: readonly Described[]) =>
  results.map(({ file, format: _, ok: _ok, promise: _promise, counted, proven, notProven, wrong, ...facts }) => ({
    name: visible(basename(file)),
    entry: [
      ...Object.entries(facts),
      ...(counted ? rowsOfCount(counted) : []),
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
const compared = { results: 0, refused: 0 };

async function compare(folder: string, args: readonly string[]): Promise<void> {
  const files = filesOf(folder, args);
  if (!files) return;
  const plain = args.filter((one) => one !== '--json');
  const ran = await runCommand(['verify', ...plain, '--json'], { cwd: folder });
  await page.reload(tab);
  const shown = await page.choose(tab, files);
  if (ran.exitCode === 2 || ran.exitCode === 4 || ran.stdout === '') {
    compared.refused += 1;
    expect(shown.verdict).not.toMatch(/^ok/);
    return;
  }
  const results: Described[] = onPage(JSON.parse(ran.stdout));
  compared.results += results.length;
  const entries = shown.results.flatMap(({ name, entries }) => entries.map((entry) => ({ name, entry })));
  expect(sorted(entries)).toEqual(sorted(expectedOf(results)));
  const single = results.filter(({ counted }) => counted === undefined);
  const failed = single.filter((one) => ['FAILED', 'BROKEN'].includes(statusOf(one))).length;
  expect(shown.verdict).toMatch(new RegExp(`^\\D*${single.length} logs? w(as|ere) checked\\.`));
  expect(/ (\d+) cannot be relied on\./.exec(shown.verdict)?.[1] ?? '0').toBe(String(failed));
  expect(shown.verdict.startsWith('ok')).toBe(ran.exitCode === 0 && shown.problems.length === 0);
}

if (hasBrowser) {
  beforeAll(async () => {
    page = await openVerifyPage();
    tab = await page.open();
    otherVerifiers.push(compare);
  });
  afterAll(async () => {
    otherVerifiers.length = 0;
    await page.browser.close();
  });
  await import('../../commands/team/verify.test.ts');
  await import('../evidence/resultFile.test.ts');
  await import('../../commands/report/statement.test.ts');
}

test.runIf(hasBrowser).each(vectors.filter(({ by }) => by === 'verify'))(
  'the page gives the recorded verdict on $name',
  async (vector) => {
    await page.reload(tab);
    const { words } = await page.choose(tab, filesOf(EVIDENCE, argumentsOf(vector)) as string[]);
    expect(words.toSorted()).toEqual(vector.verdicts.toSorted());
  },
);

test.runIf(hasBrowser)('the page was compared with the command', () => {
  expect(compared.results).toBeGreaterThan(300);
  expect(compared.refused).toBeGreaterThan(20);
});
