import { createHash } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { signNote } from '../../../../functions/c2sp/note.ts';
import { formatReceipt, receiptOf } from '../../../../functions/receipts/receiptFormat.ts';
import { expectClosedPage, hasBrowser } from '../../../setup/browser.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { makeEvidence, ORIGIN } from '../../commands/tlog/evidenceFixture.ts';
import { type Chosen, openVerifyPage, type VerifyPage } from './openVerifyPage.ts';

const evidence = await makeEvidence();
const file = (name: string, content: string | Buffer): Chosen => ({ name, buffer: Buffer.from(content) });
const FILES = Object.entries(evidence.files).map(([name, content]) => file(name, content));
const [POLICY, MINE] = [FILES[0] as Chosen, FILES.slice(0, 5)];
const receipt = evidence.files['mine.receipt'];
const line = {
  file: 'x.json',
  url: 'https://api.example.com',
  accessKey: 'ailog_1001',
  state: 'stored',
  digest: '',
  entryId: evidence.mine.entry.entryId,
  receipt: Buffer.from(receipt).toString('base64'),
  at: '2025-11-14T06:53:22.000Z',
};
const resultsOf = (lines: readonly object[]) =>
  file('ailog-results.jsonl', lines.map((one) => `${JSON.stringify(one)}\n`).join(''));

/** What the page says about one log, after the word about it. */
const OK = 'ok1 log was checked. Nothing is wrong with what was checked.';
const FAILED = 'FAILED1 log was checked. 1 cannot be relied on.';

const page = hasBrowser ? await openVerifyPage() : (undefined as never);
afterAll(() => page?.browser.close());

/** Opens the page, takes a step, and closes it. */
async function withPage<Result>(step: (tab: Page) => Promise<Result>, ...options: Parameters<VerifyPage['open']>) {
  const tab = await page.open(...options);
  try {
    return await step(tab);
  } finally {
    await tab.context().close();
  }
}

/** Opens the page with files, and returns what it shows. */
const shownOf = (files: readonly Chosen[]) => withPage((tab) => page.choose(tab, files));

describe.runIf(hasBrowser)('the page', () => {
  test('verifies a proof with everything beside it, and refuses it with one byte changed', async () => {
    expect(await shownOf(MINE)).toMatchObject({ verdict: OK, problems: [] });
    const changed = evidence.files['mine.preimage'].replace('192.0.2.1', '192.0.2.2');
    const shown = await shownOf([...MINE, file('mine.preimage', changed)].filter((_, index) => index !== 2));
    expect(shown).toMatchObject({ verdict: FAILED });
    expect(shown.results[0]?.entries[0]).toContainEqual([
      'WRONG',
      'The proof shows the entry of the receipt, which is not that of the preimage',
    ]);
  });

  test("says in a sponsor's words what is shown and what is not, and shows the logs as a table", async () => {
    const vectors = new URL('../../../vectors/evidence/files/', import.meta.url);
    const vector = (name: string) => file(name, readFileSync(new URL(name, vectors)));
    const wordsOf = (tab: Page) => tab.locator('.plain').allInnerTexts();
    await withPage(async (tab) => {
      const { verdict } = await page.choose(tab, [vector('team.statement')]);
      expect(verdict).toBe(
        "Nothing is checked yet. One file is missing: the organisers' policy, tlog.policy. Ask them for it.",
      );
      await page.choose(tab, [vector('tlog.policy')]);
      const said = await wordsOf(tab);
      expect(said).toEqual([
        expect.stringMatching(
          /^All \d+ logs in this file are in the competition's log\. Nothing in them was changed since\.$/,
        ),
        expect.stringMatching(
          /^(Independent witnesses confirm that they were there by \d\d:\d\d on \d+ \w+ \d{4} UTC|Since when, only the organisers say: no independent witness confirms a time)\.$/,
        ),
        'This does not show that the team sent no others.',
      ]);
      expect(said.join()).not.toMatch(/--|ailog|[a-z][A-Z]/);
      const first = tab.locator('tbody tr').first();
      expect(await first.innerText()).toMatch(/^\d\d:\d\d on \d+ \w+ \d{4}\t(\d+|–)\t\S/);
      await first.getByRole('button', { name: 'Read' }).click();
      await tab.locator('p.log').first().getByText('explanation').waitFor();
    });
    await withPage(async (tab) => {
      await page.choose(tab, [vector('tlog.policy'), vector('statement-body-changed.statement')]);
      expect((await wordsOf(tab))[0]).toBe('1 log of 3 cannot be relied on: see below.');
      const rows = (await tab.locator('tbody tr:visible').allInnerTexts()).map((row) => /FAILED/.test(row));
      expect(rows).toEqual([true, false, false]);
      await page.choose(tab, [vector('statement-cut-off.statement')]);
      expect(await wordsOf(tab)).toContain('This file was changed, or a part of it is missing. Do not rely on it.');
    });
  });

  test('gives each body to the evidence that names its digest', async () => {
    const names = ['tlog.policy', 'mine.receipt', 'mine.json', 'other.receipt', 'other.json'] as const;
    const { verdict, results } = await shownOf(names.map((name) => file(name, evidence.files[name])));
    expect(verdict).toBe('ok2 logs were checked. Nothing is wrong with what was checked.');
    expect(
      results.map(({ name, entries }) => [name, entries[0]?.find(([, text]) => text.startsWith('its body'))]),
    ).toEqual([
      ['mine.receipt', ['proven', 'its body is mine.json, byte for byte']],
      ['other.receipt', ['proven', 'its body is other.json, byte for byte']],
    ]);
  });

  test('takes files that are dropped, and adds them to those before', async () => {
    await withPage(async (tab) => {
      const { verdict } = await page.choose(tab, [POLICY]);
      expect(verdict).toBe('The policy is here. Add the files to check.');
      const transfer = await tab.evaluateHandle(
        `(() => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([${JSON.stringify(receipt)}], 'dropped.note'));
          return transfer;
        })()`,
      );
      await tab.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
      await tab.waitForSelector('#results section');
      expect(await tab.textContent('#verdict')).toBe(OK);
      // A file replaces the one of its name.
      const forged = file('dropped.note', receipt.replace('\n1001\n', '\n1003\n'));
      expect(await page.choose(tab, [forged])).toMatchObject({ verdict: FAILED });
      await tab.click('#again');
      await tab.waitForSelector('#files:empty', { state: 'attached' });
    });
  });

  test('shows entries that do not hold first, and the others when asked', async () => {
    const lines = Array.from({ length: 250 }, (_, index) => ({ ...line, file: `${index}.json` }));
    lines[249] = { ...line, file: 'bad.json', receipt: line.receipt.replace('A', 'B') };
    await withPage(async (tab) => {
      await page.give(tab, [POLICY, resultsOf(lines)]);
      await tab.waitForSelector('body[aria-busy=false]');
      expect(await tab.locator('.entries details').count()).toBe(100);
      expect(await tab.locator('.entries details').first().textContent()).toContain('bad.json');
      expect(await tab.locator('.entries details[open]').count()).toBe(1);
      await tab.click('text=150 more');
      await tab.click('text=50 more');
      expect(await tab.locator('.entries details').count()).toBe(250);
      expect(await tab.locator('.entries + .more:visible').count()).toBe(0);
    });
  });

  test('shows the result of the last files, however long earlier ones take', async () => {
    const many = resultsOf(Array.from({ length: 5000 }, (_, index) => ({ ...line, file: `${index}.json` })));
    await withPage(async (tab) => {
      await page.give(tab, [POLICY, many]);
      await page.give(tab, [file('ailog-results.jsonl', receipt)]);
      await tab.waitForSelector('body[aria-busy=false]');
      await tab.waitForTimeout(500);
      expect(await tab.textContent('#verdict')).toBe(OK);
    });
  });
});

describe.runIf(hasBrowser)('files that cannot be verified', () => {
  /** Writes a file that begins with a text, and goes on with zero bytes. */
  const bigFile = (name: string, start: string) => {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, start);
    truncateSync(path, 300 * 1024 * 1024);
    return path;
  };
  // biome-ignore format: one case a line
  test.each<[string, () => Chosen[], RegExp]>([
    ['a text', () => [file('hello.txt', 'hello')], /^hello\.txt is neither a receipt, nor a proof, nor a result file, nor a statement\. Give a receipt/],
    ['an empty file', () => [file('empty', '')], /^empty is empty\./],
    ['a body of nothing', () => [file('other.json', evidence.files['other.json'])], /^other\.json belongs to none of the evidence here\.$/],
    ['a preimage without its proof', () => [file('x.preimage', evidence.files['mine.preimage'])], /^x\.preimage belongs to none/],
    ['a proof without its preimage', () => [file('x.tlog-proof', evidence.files['mine.tlog-proof'])], /^x\.tlog-proof does not say which entry it proves: x\.preimage is missing\.$/],
    ['a second policy', () => [file('b.policy', evidence.unwitnessed)], /^There are several policies\./],
    ['a policy that is none', () => [file('tlog.policy', 'log x\n')], /^tlog\.policy is not a trust policy: Line 1 of the policy:/],
    ['half a line of results', () => [file('r.jsonl', `${JSON.stringify(line)}\n{"file":\n`)], /^Line 2 of r\.jsonl is not JSON\./],
  ])('%s is named, and what would be right', async (_name, files, says) => {
    const { problems, verdict } = await shownOf([POLICY, ...files()]);
    expect([problems, verdict]).toEqual([[expect.stringMatching(says)], expect.not.stringMatching(/^ok/)]);
  });

  test('a huge file of another kind, and a huge result file, are refused', async () => {
    await withPage(async (tab) => {
      await page.choose(tab, [POLICY]);
      const results = bigFile('ailog-results.jsonl', `${JSON.stringify(line)}\n`);
      const { problems } = await page.choose(tab, [bigFile('film.mp4', ''), results]);
      expect(problems).toEqual([
        expect.stringContaining('film.mp4 is neither a receipt'),
        expect.stringContaining('ailog-results.jsonl is larger than 256 MiB.'),
      ]);
    });
  });

  test('a file that disappears before it is read is named', async () => {
    await withPage(async (tab) => {
      await tab.evaluate(`Blob.prototype.slice = () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) })`);
      const { problems } = await page.choose(tab, [POLICY]);
      expect(problems).toEqual(['tlog.policy cannot be read. If it is a folder, give the files in it.']);
    });
  });

  // biome-ignore format: one case a line
  test.each<[string, string]>([
    ['one token', `{"a":"${'x'.repeat(1024 * 1024 - 8)}"}`],
    ['2 000 levels', `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`],
    ['hidden characters', `{"a":"${'\u202e'.repeat(349_520)}"}`],
  ])('a body of 1 MiB is verified: %s', async (_name, body) => {
    const [bodySha256, bodyBytes] = [createHash('sha256').update(body).digest('hex'), Buffer.byteLength(body)];
    const note = await evidence.receiptNote({ ...evidence.mine.entry, bodySha256, bodyBytes });
    const { verdict } = await shownOf([POLICY, file('r.note', note), file('b.json', body)]);
    expect(verdict).toBe(OK);
  });
});

describe.runIf(hasBrowser)('hostile text', () => {
  // biome-ignore format: several a line
  const ATTACKS = [
    '<img/src=x/onerror=alert(1)>', '<script>alert(1)</script>', '"><svg/onload=alert(1)>',
    '</title><iframe/src=javascript:alert(1)>', 'javascript:alert(1)', '<a/href=https://example.com>x</a>',
    '<style>@import"//example.com"</style>', '\u202eexe.txt\u200b\u0007',
    `{{constructor.constructor('alert(1)')()}}`, '__proto__', 'A'.repeat(5000),
  ];
  const attack = ATTACKS.join('');
  /** The elements and attributes that the page is made of. */
  const ELEMENTS =
    'button code dd details div dl dt h1 h2 header input label li main noscript p path section span strong summary svg table tbody td th thead tr ul';
  const ATTRIBUTES = 'aria-busy class colspan d disabled for hidden id multiple open placeholder role type viewBox';

  const expectHarmless = (files: readonly Chosen[]) =>
    withPage(async (tab) => {
      const happened: string[] = [];
      tab.on('request', (request) => happened.push(request.url()));
      tab.on('dialog', (dialog) => happened.push(dialog.message()));
      tab.on('pageerror', (error) => happened.push(String(error)));
      const shown = await page.choose(tab, files);
      const names = (expression: string): Promise<string[]> =>
        tab.evaluate(
          `[...document.body.querySelectorAll('*')].filter(({ localName }) => localName !== 'script').flatMap((one) => ${expression})`,
        );
      expect(ELEMENTS.split(' ')).toEqual(expect.arrayContaining(await names('one.localName')));
      expect(ATTRIBUTES.split(' ')).toEqual(expect.arrayContaining(await names('one.getAttributeNames()')));
      expect(await tab.evaluate('document.body.innerText')).not.toMatch(/[\u202e\u200b]/);
      expect(happened).toEqual([]);
      return shown;
    });

  test('in the names of files creates no element, request or dialog', async () => {
    const named = ATTACKS.map((name) => name.replaceAll('/', ' ')).flatMap((name) => [
      file(`${name}.receipt`, receipt),
      file(`${name}.json`, '{}'),
      file(`${name}.txt`, 'hello'),
      file(`${name}.tlog-proof`, evidence.files['mine.tlog-proof']),
      file(`${name}.preimage`, evidence.files['mine.preimage']),
    ]);
    expect((await expectHarmless([POLICY, ...named])).results).toHaveLength(ATTACKS.length);
  });

  test('in every field of results, receipts and policies neither', async () => {
    const fields = Object.keys(line).map((name) => ({ ...line, [name]: attack }));
    const uid = attack.replace(/\p{Cc}/gu, '');
    const note = await signNote(
      formatReceipt({ ...receiptOf(ORIGIN, evidence.mine.entry), uid }),
      [evidence.receipts],
      new AbortController().signal,
    );
    const shown = await expectHarmless([POLICY, resultsOf(fields), file('signed.note', note)]);
    expect(JSON.stringify(shown.results)).toContain('<img/src=x/onerror=alert(1)>');
    const policy = evidence.unwitnessed.replace('ailog+', `${uid}+`);
    expect((await expectHarmless([file('tlog.policy', policy)])).problems.join()).toContain('alert(1)');
  });

  test('in every field of a statement neither', async () => {
    const emptyOf = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, '']));
    const period = { since: null, until: null };
    const signed = emptyOf('generatedAt policy checkpoint');
    const header = { format: 'ai-log-statement/v1', uid: '1', origin: 'o', ...period, ...signed };
    const entry = {
      ...emptyOf('uid entryId receivedAt orderId stage model explanation bodySha256'),
      bodyBytes: 1,
      ...emptyOf('accessKey timestamp signature query locale sourceIp body status'),
      index: 1,
      proof: [],
      receipt: '',
    };
    const statements = [
      ...Object.keys(header)
        .slice(1)
        .map((name) => [{ ...header, [name]: attack }, entry]),
      ...Object.keys(entry).map((name) => [header, { ...entry, [name]: attack }]),
      [{ ...header, [attack]: 1 }, entry],
    ].map((lines, index) => file(`${index}.statement`, `${lines.map((one) => JSON.stringify(one)).join('\n')}\n`));
    expect((await expectHarmless([POLICY, ...statements])).results).toHaveLength(statements.length);
  });
});

describe.runIf(hasBrowser)('the browser', () => {
  test('lets the page neither reach the network nor run or draw anything else', async () => {
    await withPage(expectClosedPage);
  });

  test('without Ed25519 is named, and no file can be chosen', async () => {
    const context = await page.browser.newContext({ locale: 'en-US' });
    await context.addInitScript(
      `crypto.subtle.generateKey = async () => { throw new DOMException('', 'NotSupportedError'); }`,
    );
    const tab = await context.newPage();
    await tab.goto(`file://${page.path}`);
    await tab.waitForSelector('#unsupported:visible');
    expect(await tab.textContent('#unsupported')).toContain('Chrome or Edge 137, Firefox 129, Safari 17');
    expect(await tab.isDisabled('#choose')).toBe(true);
    await context.close();
  });

  test('without JavaScript gets a hint', async () => {
    const context = await page.browser.newContext({ locale: 'en-US', javaScriptEnabled: false });
    const tab = await context.newPage();
    await tab.goto(`file://${page.path}`);
    expect(await tab.innerText('body')).toContain('This page needs JavaScript.');
    await context.close();
  });

  test('reaches everything by keyboard', async () => {
    await withPage(async (tab) => {
      await page.choose(tab, [POLICY, resultsOf([line, { ...line, file: 'y.json' }])]);
      const focused = () => tab.evaluate(`document.activeElement.id || document.activeElement.localName`);
      const reached: unknown[] = [];
      await tab.evaluate('document.activeElement.blur()');
      for (let step = 0; step < 5; step += 1) {
        await tab.keyboard.press('Tab');
        reached.push(await focused());
        // The checks for experts are closed: all of them hold.
        if (step >= 2) await tab.keyboard.press('Enter');
      }
      expect(reached).toEqual(['choose', 'again', 'summary', 'summary', 'summary']);
      expect(await tab.locator('.entries details[open]').count()).toBe(2);
    });
  });

  test('prints every entry that is shown, open, without the controls', async () => {
    await withPage(async (tab) => {
      await page.choose(tab, [POLICY, resultsOf([line, { ...line, file: 'y.json' }])]);
      expect((await tab.pdf({ format: 'A4' })).length).toBeGreaterThan(1000);
      expect(await tab.locator('.entries details[open]').count()).toBe(2);
      await tab.emulateMedia({ media: 'print' });
      for (const part of ['#drop', '#again']) expect(await tab.isVisible(part)).toBe(false);
      expect(await tab.isVisible('#policy')).toBe(true);
    });
  });

  // 200 % zoom of a window of 1280 × 800.
  test.each(['light', 'dark'] as const)(
    'has no finding of axe in the %s theme, zoomed to 200 percent',
    async (colorScheme) => {
      const zoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, colorScheme };
      await withPage(async (tab) => {
        await tab.evaluate(axe.source);
        const findings = async () =>
          (await tab.evaluate(
            'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
          )) as unknown[];
        expect(await findings()).toEqual([]);
        await page.choose(tab, [
          ...FILES,
          file('hello.txt', 'hello'),
          file('bad.note', receipt.replace('1001', '1003')),
          resultsOf([line, { ...line, receipt: undefined, file: 'y.json' }]),
        ]);
        expect(await findings()).toEqual([]);
        expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }, zoomed);
    },
  );
});
