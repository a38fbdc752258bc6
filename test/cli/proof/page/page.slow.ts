import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { localPaths } from '../../../../cli/store/targets/data.ts';
import { expectClosedPage, hasBrowser, ATTACKS as MARKUP, runAxe, watch } from '../../../setup/browser.ts';
import { localWorld } from '../../../setup/world.ts';
import { HEADER, headerWith, textOf, VECTORS, vectors } from '../../../vectors/evidence/vectors.ts';
import { type Chosen, openVerifyPage, type VerifyPage } from './openVerifyPage.ts';

const file = (name: string, content: string | Buffer): Chosen => ({ name, buffer: Buffer.from(content) });
const vector = (name: string) => file(name, readFileSync(VECTORS + name));
const POLICY = vector('tlog.policy');
const line = JSON.parse(textOf('journal-of-upload.jsonl').split('\n')[2] ?? '');
const resultsOf = (lines: readonly object[]) =>
  file('ailog-results.jsonl', lines.map((one) => `${JSON.stringify(one)}\n`).join(''));

/** What the page says about one log, after the word about it. */
const OK = 'ok1 log was checked. Nothing is wrong with what was checked.';
const WRONG = 'WRONG1 log was checked. 1 cannot be relied on.';

const page = hasBrowser ? await openVerifyPage() : (undefined as never);

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
  test('says the words of the vectors', { timeout: 300_000 }, async () => {
    const bodies = ['decision.json', 'order.json', 'risk.json'].map(vector);
    await withPage(async (tab) => {
      for (const { name, words, policy, log } of vectors) {
        // The page takes a file for evidence by its first line that can be read.
        if (log !== undefined || words.length === 0 || name === 'no-evidence.jsonl') continue;
        await page.reload(tab);
        const named = file('tlog.policy', textOf(policy));
        const shown = await page.choose(tab, [
          named,
          vector(name),
          ...(name.includes('journal') || name === 'file-changed.jsonl' || name === 'receipt-of-another-log.jsonl'
            ? bodies
            : []),
        ]);
        expect(shown.words.toSorted(), name).toEqual([...words].sort());
      }
    });
  });

  test("says in a sponsor's words what is shown and what is not, and shows the logs as a table", async () => {
    const wordsOf = (tab: Page) => tab.locator('.plain').allInnerTexts();
    await withPage(async (tab) => {
      const { verdict } = await page.choose(tab, [vector('statement.jsonl')]);
      expect(verdict).toBe(
        "Nothing is checked yet. One file is missing: the organisers' policy, tlog.policy. Ask them for it.",
      );
      await page.choose(tab, [POLICY]);
      const said = await wordsOf(tab);
      expect(said).toEqual([
        "All 3 logs in this file are in the competition's log. Nothing in them was changed since.",
        'Since when, only the organisers say: no independent witness confirms a time.',
        'This does not show that the team sent no others.',
      ]);
      expect(said.join()).not.toMatch(/--|ailog|[a-z][A-Z]/);
      const first = tab.locator('tbody tr').first();
      expect(await first.innerText()).toMatch(/^09:30 on 14 November 2025\t590480926522704171\tGPT-5-mini\t/);
      await first.getByRole('button', { name: 'Read' }).click();
      await tab.locator('p.log').first().getByText('explanation').waitFor();
      await page.choose(tab, [file('tlog.policy', textOf('witness.policy'))]);
      expect((await wordsOf(tab))[1]).toBe(
        'Independent witnesses confirm that they were there by 10:30 on 16 November 2025 UTC.',
      );
    });
    await withPage(async (tab) => {
      await page.choose(tab, [POLICY, vector('body-changed.jsonl')]);
      expect((await wordsOf(tab))[0]).toBe('1 log of 3 cannot be relied on: see below.');
      const rows = (await tab.locator('tbody tr:visible').allInnerTexts()).map((row) => /WRONG/.test(row));
      expect(rows).toEqual([true, false, false]);
      await page.choose(tab, [file('cut.jsonl', textOf('statement.jsonl').replace(/\{"end.*\n/, ''))]);
      expect(await wordsOf(tab)).toContain('This file was changed, or a part of it is missing. Do not rely on it.');
      await page.choose(tab, [vector('receipt.header')]);
      expect(await wordsOf(tab)).toContain('The organisers confirmed that they received the log in this file.');
    });
  });

  test('shows the logs of a copy and its original open, with their teams', async () => {
    const data = await localWorld().sequenced({ isLive: true });
    const texts = ['Buy the breakout', 'Buy the breakout!'];
    const other = await data.oldTeam();
    const ids = [await data.logged({ explanation: texts[0] }), await data.logged({ explanation: texts[1] }, other)];
    await data.ailog(['statement', ...ids.flatMap((id) => ['--entry', id]), '-o', 'pair.jsonl']);
    await data.close();
    await withPage(async (tab) => {
      const { verdict } = await page.choose(
        tab,
        [localPaths.policy, 'pair.jsonl'].map((name) => join(data.folder, name)),
      );
      expect(verdict).toBe('ok2 logs were checked. Nothing is wrong with what was checked.');
      const teams = await tab.locator('tbody tr:visible > td:first-child:not([colspan])').allInnerTexts();
      expect(teams).toEqual([data.owner.uid, other.uid]);
      const shown = await tab.locator('p.log:visible').allInnerTexts();
      expect(shown).toEqual(texts.map((text) => expect.stringContaining(`"explanation": "${text}"`)));
    });
  });

  test('gives each body to the evidence that names its digest', async () => {
    const journal = textOf('journal-of-upload.jsonl').replaceAll('decision.json', 'renamed.json');
    const { verdict, results } = await shownOf([
      POLICY,
      file('ailog-results.jsonl', journal),
      vector('decision.json'),
      vector('order.json'),
    ]);
    expect(verdict).toBe('ok2 logs were checked. Nothing is wrong with what was checked.');
    const said = results[0]?.entries.map((rows) => rows.find(([, text]) => text.startsWith('its body')));
    expect(said).toEqual(Array(2).fill(['proven', 'its body is the one that was given, byte for byte']));
    const changed = await shownOf([POLICY, vector('receipt.header'), file('x.json', '{"another":"body"}')]);
    expect(changed.verdict).toBe(WRONG);
  });

  test('takes files that are dropped, and adds them to those before', async () => {
    await withPage(async (tab) => {
      const { verdict } = await page.choose(tab, [POLICY]);
      expect(verdict).toBe('The policy is here. Add the files to check.');
      const transfer = await tab.evaluateHandle(
        `(() => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([${JSON.stringify(HEADER)}], 'dropped.txt'));
          return transfer;
        })()`,
      );
      await tab.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
      await tab.waitForSelector('#results section');
      expect(await tab.textContent('#verdict')).toBe(OK);
      // A file replaces the one of its name.
      const forged = file('dropped.txt', HEADER.replace('A', 'B'));
      expect(await page.choose(tab, [forged])).toMatchObject({ verdict: WRONG });
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
    const many = resultsOf(Array.from({ length: 2000 }, (_, index) => ({ ...line, file: `${index}.json` })));
    await withPage(async (tab) => {
      await page.give(tab, [POLICY, many]);
      await page.give(tab, [file('ailog-results.jsonl', HEADER)]);
      await tab.waitForSelector('body[aria-busy=false]');
      await tab.waitForTimeout(500);
      expect(await tab.textContent('#verdict')).toBe(OK);
    });
  });
});

describe.runIf(hasBrowser)('files that cannot be verified', () => {
  // biome-ignore format: one case a line
  test.each<[string, () => Chosen[], RegExp]>([
    ['a text', () => [file('hello.txt', 'hello')], /^hello\.txt is no policy, no evidence and no log\.$/],
    ['an empty file', () => [file('empty', '')], /^empty is no policy/],
    ['a film of 300 MB', () => [file('film.mp4', Buffer.alloc(30_000_000))], /^film\.mp4 is no policy/],
    ['a body of nothing', () => [vector('order.json')], /^order\.json belongs to none of the evidence here\.$/],
    ['a second policy', () => [vector('witness.policy')], /^There are several policies\./],
    ['a policy that is none', () => [file('tlog.policy', 'log x\n')], /^tlog\.policy is not a trust policy: Line 1 of the policy:/],
    ['a policy that trusts nothing', () => [file('tlog.policy', 'quorum none\n')], /^tlog\.policy is not a trust policy: It names no log/],
  ])('%s is named, and what would be right', async (_name, files, says) => {
    const { problems, verdict } = await shownOf([POLICY, ...files()].slice(says.source.includes('trust policy') ? 1 : 0));
    expect([problems, verdict]).toEqual([[expect.stringMatching(says)], expect.not.stringMatching(/^ok/)]);
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
    const header = await headerWith({ bodySha256: createHash('sha256').update(body).digest('hex') });
    const { verdict } = await shownOf([POLICY, file('r.txt', header), file('b.json', body)]);
    expect(verdict).toBe(OK);
  });
});

describe.runIf(hasBrowser)('hostile text', () => {
  const ATTACKS = [...MARKUP, 'A'.repeat(5000)];
  const attack = ATTACKS.join('');
  /** The elements and attributes that the page is made of. */
  const ELEMENTS =
    'button code dd details div dl dt h1 h2 header input label li main noscript p path section span strong summary svg table tbody td th thead tr ul';
  const ATTRIBUTES = 'aria-busy class colspan d disabled for hidden id multiple open placeholder role type viewBox';

  const expectHarmless = (files: readonly Chosen[]) =>
    withPage(async (tab) => {
      const happened = watch(tab);
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
      file(`${name}.receipt`, HEADER),
      file(`${name}.json`, '{}'),
      file(`${name}.txt`, 'hello'),
    ]);
    expect((await expectHarmless([POLICY, ...named])).results).toHaveLength(ATTACKS.length);
  });

  test('in every field of results, receipts and policies neither', async () => {
    const fields = Object.keys(line).map((name) => ({ ...line, [name]: attack }));
    const uid = attack.replace(/\p{Cc}/gu, '');
    const header = await headerWith({ uid });
    const shown = await expectHarmless([POLICY, resultsOf(fields), file('signed.txt', header)]);
    expect(JSON.stringify(shown.results)).toContain('<img/src=x/onerror=alert(1)>');
    const policy = textOf('tlog.policy').replace('ailog+', `${uid}+`);
    expect((await expectHarmless([file('tlog.policy', policy)])).problems.join()).toContain('alert(1)');
  });

  test('in every member of a statement neither', async () => {
    const [checkpoint = '', entry = ''] = textOf('statement.jsonl').split('\n');
    const attacked = (text: string, at: number) =>
      Object.keys(JSON.parse(text)).map((name, index) =>
        file(`${at}-${index}.statement`, `${checkpoint}\n${JSON.stringify({ ...JSON.parse(text), [name]: attack })}\n`),
      );
    const statements = [...attacked(checkpoint, 0), ...attacked(entry, 1), ...attacked(JSON.stringify({ end: 1 }), 2)];
    expect((await expectHarmless([POLICY, ...statements])).results).toHaveLength(statements.length);
  });
});

describe.runIf(hasBrowser)('the browser', () => {
  test('lets the page neither reach the network nor run or draw anything else', async () => {
    await withPage(expectClosedPage);
  });

  test('without JavaScript gets a hint', async () => {
    const context = await page.browser.newContext({ locale: 'en-US', javaScriptEnabled: false });
    const tab = await context.newPage();
    await tab.goto(`file://${page.path}`);
    expect(await tab.innerText('body')).toContain('This page needs JavaScript');
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
        expect((await runAxe(tab))[0]).toEqual([]);
        await page.choose(tab, [
          POLICY,
          vector('statement.jsonl'),
          file('hello.txt', 'hello'),
          vector('receipt-time-changed.jsonl'),
          resultsOf([line, { ...line, receipt: undefined, file: 'y.json' }]),
        ]);
        expect((await runAxe(tab))[0]).toEqual([]);
        expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }, zoomed);
    },
  );
});
