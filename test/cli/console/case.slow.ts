import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { VerdictRecord } from '../../../cli/review/verdicts/record.ts';
import { reviewsTable } from '../../../cli/review/verdicts/reviewsTable.ts';
import { hasBrowser, openBrowser } from '../../setup/browser.ts';
import type { Team } from '../../setup/fixture.ts';
import { oldTeam } from '../commands/logs/entries.ts';
import { type LoggedData, openLoggedData } from '../commands/tlog/loggedData.ts';
import { openConsole, type RunningConsole } from './openConsole.ts';

/** Text that would be an element, a request or a dialog if a page took it for HTML. */
const HOSTILE = '<img src="http://127.0.0.1:1/x" onerror="alert(1)"><script>alert(2)</script>';

let data: LoggedData;
let browser: Browser;
let team: Team;
let other: Team;
let entryIds: string[];
/** What pages said or asked for that they should not have. */
let trouble: string[];
const running: RunningConsole[] = [];
beforeAll(async () => {
  if (!hasBrowser) return;
  data = await openLoggedData();
  browser = await openBrowser();
});
beforeEach(async () => {
  trouble = [];
  team = await oldTeam(data.fixture);
  other = await oldTeam(data.fixture);
  await data.fixture.allowlist.put({ uid: team.uid, status: 'approved', team: HOSTILE });
  entryIds = [];
  for (let log = 0; log < 3; log += 1) entryIds.push(await data.upload({ stage: `log ${log}` }, team));
  await data.upload({}, other);
  await data.sequence();
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.end();
  expect(trouble).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await data?.engine.stop();
});

/** Opens a console of a reviewer, and a screen of it. */
async function open(reviewer: string, path: string, args = ['--write'], colorScheme: 'light' | 'dark' = 'light') {
  const one = await openConsole(data.folder, args, { AILOG_REVIEWER: reviewer });
  running.push(one);
  const origin = new URL(one.link).origin;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', colorScheme });
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => trouble.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) trouble.push(request.url());
  });
  page.on('dialog', (dialog) => {
    if (!dialog.message().startsWith('Disqualify UID ')) trouble.push(dialog.message());
    dialog.accept();
  });
  await page.goto(one.link);
  await page.locator('.board tbody tr').first().waitFor();
  // The bar at the top has one line.
  expect(await page.evaluate('document.querySelector(".top").offsetHeight')).toBeLessThan(40);
  if (path !== '') await page.goto(origin + path);
  return { page, origin };
}
const caseOf = ({ uid }: Team, more = '') => `/case?uid=${uid}${more}`;
const recordsOf = async ({ uid }: Team): Promise<VerdictRecord[]> =>
  (await reviewsTable({ db: data.fixture.db, tables: data.fixture.names }).read()).records.filter(
    (record) => record.uid === uid,
  );
const statusOf = async ({ uid }: Team) => (await data.fixture.allowlist.get(uid, AbortSignal.timeout(5000)))?.status;
const says = (page: Page, text: RegExp) => page.locator('p[role=status]').filter({ hasText: text }).waitFor();
const verdicts = (page: Page) => page.locator('section[aria-label="Verdicts"]');
const statements = (uid: string) => readdirSync(data.folder).filter((name) => name.startsWith(`${uid}-`));

/** Says by keys alone that a team is to be disqualified, with a statement. */
async function disqualifyByKeys(page: Page, text: string): Promise<void> {
  await page.locator('form.verdict').waitFor();
  await page.keyboard.press('s');
  await says(page, /Written to .*, in the transparency log: 3\./);
  await page.keyboard.press('d');
  await page.keyboard.press('t');
  await page.keyboard.type(text);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type('cop');
  await page.keyboard.press('Control+Enter');
  await says(page, /Recorded: disqualify\./);
}

describe.runIf(hasBrowser)('the case', () => {
  test('by keyboard alone: a verdict with pins and a statement, a second person, the disqualification', async () => {
    const { page } = await open('ann', '');
    await page.keyboard.press('/');
    await page.keyboard.type(team.uid);
    await page.keyboard.press('Tab');
    await page.keyboard.press('j');
    await page.locator('tr.at').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/team\\?.*uid=${team.uid}`));
    await page.goto(`${new URL(page.url()).origin}/team?uid=${team.uid}&at=e${entryIds[1]}`);
    await page.locator('section.log .entry').waitFor();
    await page.keyboard.press('x');
    await page.locator('section.log button[aria-pressed=true]').waitFor();
    await page.keyboard.press('v');
    await disqualifyByKeys(page, HOSTILE);

    const [record] = await recordsOf(team);
    const [file] = statements(team.uid);
    const sha256 = createHash('sha256')
      .update(readFileSync(join(data.folder, file as string)))
      .digest('hex');
    expect(record).toMatchObject({
      arn: 'local:ann',
      verdict: 'disqualify',
      reason: 'copies',
      text: HOSTILE,
      entries: [entryIds[1]],
      evidence: { file, sha256 },
    });
    expect(Date.parse(record?.period?.until ?? '')).toBeGreaterThan(Date.parse(record?.period?.from ?? ''));
    const shown = await verdicts(page).innerText();
    for (const part of ['Disqualify', 'copies', 'you, local:ann', HOSTILE, entryIds[1] as string, sha256])
      expect(shown).toContain(part);

    const second = await open('bob', caseOf(team));
    await verdicts(second.page).getByText('Another reviewer has judged this team.').waitFor();
    expect(await verdicts(second.page).innerText()).not.toContain('copies');
    await disqualifyByKeys(second.page, 'I agree');
    expect(await verdicts(second.page).innerText()).toContain('local:ann');
    expect(await statusOf(team)).toBe('approved');
    await second.page.getByRole('button', { name: 'Disqualify the team' }).press('Enter');
    await says(second.page, /is disqualified\./);
    expect(await statusOf(team)).toBe('disqualified');
    const { reason } = (await data.fixture.allowlist.get(team.uid, AbortSignal.timeout(5000))) ?? {};
    expect(reason).toBe(
      `reviewed: copies; statement SHA-256 ${statements(team.uid)
        .map((name) =>
          createHash('sha256')
            .update(readFileSync(join(data.folder, name)))
            .digest('hex'),
        )
        .filter((digest, at, all) => all.indexOf(digest) === at)
        .join(', ')}; verdicts ${(await recordsOf(team)).map(({ id }) => id).join(', ')}`,
    );
    await verdicts(second.page).getByText('Disqualified: reviewed: copies').waitFor();
    expect(await second.page.getByRole('button', { name: 'Disqualify the team' }).count()).toBe(0);
  });

  test('the statement that it builds verifies, and one changed byte is refused', async () => {
    const { page } = await open('ann', caseOf(team));
    await page.locator('form.verdict').waitFor();
    await page.keyboard.press('s');
    await says(page, /Written to .*, in the transparency log: 3\./);
    const [file = ''] = statements(team.uid);
    await data.ailog(['tlog', 'export-policy', '-o', 'case.policy']);
    const verify = () => data.ailog(['verify', file, '--policy', 'case.policy']);
    expect((await verify()).stdout).toMatch(/^ok /m);
    const path = join(data.folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace('log 1', 'log 9'));
    expect((await verify()).exitCode).toBe(1);
    await page.keyboard.press('l');
    await page.keyboard.press('r');
    await page.getByText(/is no complete statement about UID .*: its end is missing, or it was changed/).waitFor();
    expect(await recordsOf(team)).toEqual([]);
  });

  test('a verdict is withdrawn by a record of its own', async () => {
    const { page } = await open('ann', caseOf(team));
    await page.locator('form.verdict').waitFor();
    const read = Promise.withResolvers<void>();
    await page.route(/[/]case[?].*turn=1/, async (route) => {
      await read.promise;
      await route.continue();
    });
    await page.keyboard.press('l');
    await page.keyboard.press('r');
    await page.keyboard.press('r');
    await expect.poll(() => recordsOf(team)).toHaveLength(1);
    // Before the page has the record, it would not know what to withdraw.
    expect(await page.getByText(/Recorded/).count()).toBe(0);
    read.resolve();
    await says(page, /Recorded: looked at\./);
    await page.keyboard.press('z');
    await says(page, /Withdrawn\./);
    const [given, withdrawn, ...more] = await recordsOf(team);
    expect(more).toEqual([]);
    expect([given?.verdict, withdrawn?.verdict, withdrawn?.withdraws]).toEqual(['looked-at', 'withdrawn', given?.id]);
    await page.getByRole('button', { name: 'Withdraw yours' }).waitFor({ state: 'detached' });
  });

  test('records what a sample bounds, with its seed', async () => {
    const { page } = await open('ann', caseOf(team));
    await page.getByLabel('seed').fill('day-2');
    await page.getByText('none of 60 failed, so fewer than 4.9 % of all do, at 95 % confidence').waitFor();
    await page.getByLabel('failures').fill('3');
    await page.getByText('3 of 60 failed', { exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Ask the team' }).check();
    await page.getByLabel('Reason').selectOption('late');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Record the verdict' }).click();
    await says(page, /Recorded: ask the team\./);
    expect(await recordsOf(team)).toMatchObject([{ sample: { seed: 'day-2', size: 60, failures: 3 }, reason: 'late' }]);
    await verdicts(page).getByText('Sample with the seed day-2: 3 of 60 failed.').waitFor();
  });

  test('the board shows what stands, as far as the reviewer may see it, and how many are judged', async () => {
    await data.ailog(['reviews', 'add', team.uid, 'looked-at'], { env: { AILOG_REVIEWER: 'ann' } });
    const rowOf = (page: Page) => page.locator('.board tbody tr').filter({ hasText: team.uid });
    const { page } = await open('ann', '');
    await rowOf(page).getByText('looked-at 1').waitFor();
    await page.getByText(/judged by you: [1-9]/).waitFor();
    const second = await open('eve', '');
    await rowOf(second.page).getByText('1 not shown').waitFor();
    await second.page.getByText('judged by you: 0').waitFor();
  });

  test('without --write it only reads, and says who the reviewer would be', async () => {
    const { page } = await open('ann', caseOf(team), []);
    await page.getByText('Start it with --write to record verdicts as local:ann.').waitFor();
    expect(await page.locator('form.verdict').count()).toBe(0);
    for (const key of ['l', 'r', 's', 'd', 'z']) await page.keyboard.press(key);
    expect([await recordsOf(team), statements(team.uid)]).toEqual([[], []]);
  });

  test('keeps team and pins when it is loaded again, and leaves the pins of a team at the next', async () => {
    const { page, origin } = await open('ann', caseOf(team, `&pins=${entryIds[0]}+${entryIds[2]}`));
    const pins = page.locator('form .pin');
    await pins.first().waitFor();
    await page.reload();
    await pins.first().waitFor();
    expect(await pins.allInnerTexts()).toEqual([`${entryIds[0]} ×`, `${entryIds[2]} ×`]);
    await pins.first().click();
    expect(await pins.allInnerTexts()).toEqual([`${entryIds[2]} ×`]);
    await page.getByText(/^[1-9] of [1-9]\d* teams$/).waitFor();
    await page.keyboard.press('j');
    await page.waitForURL((url) => !url.search.includes('pins'));
    expect(page.url().startsWith(`${origin}/case?uid=`)).toBe(true);
  });

  test('hides no failure: a team without entries has no statement, and needs none', async () => {
    const uid = `7${team.uid.slice(-8)}`;
    await data.fixture.allowlist.put({ uid, status: 'approved' });
    const { page } = await open('ann', `/case?uid=${uid}`);
    await page.locator('form.verdict').waitFor();
    await page.keyboard.press('s');
    await page.getByText(/has no entries to make a statement of/).waitFor();
    expect(existsSync(join(data.folder, `${uid}.statement`))).toBe(false);
    await page.keyboard.press('d');
    await page.getByLabel('Reason').selectOption('no entries');
    await page.keyboard.press('Escape');
    await page.getByLabel('Why').fill('it never uploaded');
    await page.getByRole('button', { name: 'Record the verdict' }).click();
    await says(page, /Recorded: disqualify\./);
  });

  test.each(['light', 'dark'] as const)(
    'has no finding of axe in the %s theme, zoomed to 200 percent',
    async (theme) => {
      await data.ailog(['reviews', 'add', team.uid, 'explained', '--reason', 'late', '--text', 'x'], {
        env: { AILOG_REVIEWER: 'ann' },
      });
      for (const args of [['--write'], []]) {
        const { page } = await open('ann', caseOf(team, `&pins=${entryIds[0]}`), args, theme);
        await verdicts(page).getByText('Explained').waitFor();
        for (const width of [1280, 640]) {
          await page.setViewportSize({ width, height: 800 });
          await page.evaluate(axe.source);
          const found = await page.evaluate(
            'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
          );
          expect(found).toEqual([]);
        }
      }
    },
  );
});
