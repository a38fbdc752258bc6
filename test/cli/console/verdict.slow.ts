import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { VerdictRecord } from '../../../cli/review/verdicts/record.ts';
import { reviewsTable } from '../../../cli/review/verdicts/reviewsTable.ts';
import { hasBrowser, openBrowser, openProfile, runAxe, watch } from '../../setup/browser.ts';
import { type LoggedWorld, localWorld, type Team, temporaryFolder } from '../../setup/world.ts';
import { hold, openConsole, press, type RunningConsole, touching } from './openConsole.ts';

/** Text that would be an element, a request or a dialog if a page took it for HTML. */
const HOSTILE = '<img src="http://127.0.0.1:1/x" onerror="alert(1)"><script>alert(2)</script>';

let data: LoggedWorld;
let browser: Browser;
let team: Team;
let other: Team;
let entryIds: string[];
/** What the pages did that they should not have. */
let trouble: string[][];
const running: RunningConsole[] = [];
beforeAll(async () => {
  if (!hasBrowser) return;
  data = await localWorld().sequenced({ isLive: true });
  browser = await openBrowser();
});
beforeEach(async () => {
  trouble = [];
  team = await data.oldTeam();
  other = await data.oldTeam();
  await data.allowlist.put({ uid: team.uid, status: 'approved', team: HOSTILE });
  entryIds = [];
  for (let log = 0; log < 3; log += 1) entryIds.push(await data.upload({ stage: `log ${log}` }, team));
  await data.upload({}, other);
  await data.sequence();
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.end();
  expect(trouble.flat().filter((said) => !said.startsWith('Disqualify UID '))).toEqual([]);
});

/** Starts a console of a reviewer, which ends after the test. */
async function start(reviewer: string, args = ['--write']): Promise<RunningConsole> {
  const one = await openConsole(data.folder, args, { AILOG_REVIEWER: reviewer });
  running.push(one);
  return one;
}
/** Opens a console of a reviewer, and a screen of it. Of a team, it waits until the form can be filled in. */
async function open(reviewer: string, path: string, args = ['--write'], colorScheme: 'light' | 'dark' = 'light') {
  const { link, origin } = await start(reviewer, args);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', colorScheme });
  const page = await context.newPage();
  trouble.push(watch(page, origin));
  page.on('dialog', (dialog) => dialog.accept());
  await page.goto(link);
  await page.locator('.board tbody tr').first().waitFor();
  if (path !== '') await page.goto(origin + path);
  if (path.startsWith('/team') && args.includes('--write')) await ready(page);
  return { page, origin };
}
const teamOf = ({ uid }: Pick<Team, 'uid'>, more = '') => `/team?uid=${uid}${more}`;
const recordsOf = async ({ uid }: Team): Promise<VerdictRecord[]> =>
  (await reviewsTable({ db: data.db, tables: data.names }).read()).records.filter((record) => record.uid === uid);
const statusOf = async ({ uid }: Team) => (await data.allowlist.get(uid))?.status;
const says = (page: Page, text: RegExp) => page.locator('form p[role=status]').filter({ hasText: text }).waitFor();
const verdicts = (page: Page) => page.locator('section[aria-label="Verdicts"]');
const statements = (uid: string) => readdirSync(data.folder).filter((name) => name.startsWith(`${uid}-`));
/** The file of the draft about a team, whoever writes it, and the draft. */
const draftFile = ({ uid }: Pick<Team, 'uid'>): string | undefined =>
  globSync(join(data.folder, `.local/rows.drafts/*/${uid}.json`))[0];
const draftOf = (about: Pick<Team, 'uid'>): unknown => {
  const path = draftFile(about);
  return path && JSON.parse(readFileSync(path, 'utf8'));
};
/** Types at the end of the text of the form. @param then keys that are pressed after it */
const write = async (page: Page, text: string, ...then: readonly string[]) => {
  await press(page, 't');
  await page.keyboard.type(text);
  await press(page, ...then);
};
/** Waits until the form knows the reasons that can be given. */
const ready = (page: Page) => page.locator('form .chip').first().waitFor();
const gapsIn = (page: Page) => page.locator('form p.failed').allInnerTexts();
const focused = (page: Page) => page.evaluate('document.activeElement.closest("[data-field]")?.dataset.field');

/** Says by keys alone that a team is to be disqualified; its statement is built first. */
async function disqualifyByKeys(page: Page, text: string): Promise<void> {
  await ready(page);
  await press(page, 'd', 'c');
  await write(page, text);
  if ((await page.locator('[data-field=read]').count()) > 0) {
    await press(page, 'Tab');
    await page.keyboard.type('all logs of the team');
  }
  await press(page, 'Escape', 'r');
  await says(page, /Recorded: disqualify\./);
}

describe.runIf(hasBrowser)('the verdict about a team', () => {
  test('by keyboard alone: with pins and a statement, a second person, the disqualification', async () => {
    const { page } = await open('ann', '');
    await press(page, '/');
    await page.keyboard.type(team.uid);
    await press(page, 'Enter');
    await page.waitForURL(new RegExp(`/team\\?.*uid=${team.uid}`));
    await page.goto(`${new URL(page.url()).origin}${teamOf(team, `&at=e${entryIds[1]}`)}`);
    await page.locator('section.log .entry').waitFor();
    await press(page, 'x');
    await page.locator('section.log button[aria-pressed=true]').filter({ hasText: 'Pinned' }).waitFor();
    await disqualifyByKeys(page, HOSTILE);

    const [record] = await recordsOf(team);
    const [file] = statements(team.uid);
    const sha256 = createHash('sha256')
      .update(readFileSync(join(data.folder, file as string)))
      .digest('hex');
    expect(record).toMatchObject({
      arn: 'local:ann',
      verdict: 'disqualify',
      reason: expect.stringMatching(/./),
      text: HOSTILE,
      entries: [entryIds[1]],
      evidence: { file, sha256 },
    });
    expect(Date.parse(record?.period?.until ?? '')).toBeGreaterThan(Date.parse(record?.period?.from ?? ''));
    for (const part of ['Disqualify', 'you, local:ann', 'author’s clock', HOSTILE, sha256])
      await expect.poll(() => verdicts(page).innerText()).toContain(part);

    expect(await verdicts(page).locator('a.pin').getAttribute('title')).toBe(entryIds[1]);
    // What was recorded is seen, and what comes next is louder than recording again.
    const [said, form] = await Promise.all([verdicts(page).boundingBox(), page.locator('form').boundingBox()]);
    expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThanOrEqual(form?.y ?? 0);
    expect(await page.locator('form .main').allInnerTexts()).toEqual(['n Next team that you have not judged']);
    await page.locator('main .bar .own').getByText('you: disqualify').waitFor();

    const second = await open('bob', teamOf(team));
    await verdicts(second.page).getByText('Another reviewer has judged this team.').waitFor();
    expect(await verdicts(second.page).innerText()).not.toContain('Disqualify');
    await disqualifyByKeys(second.page, 'I agree');
    await verdicts(second.page).getByText('local:ann').waitFor();
    expect(await statusOf(team)).toBe('approved');
    // What two agreed is not undone by one.
    await press(page, 'z');
    await says(page, /Withdrawn\. Two people have agreed/);
    await verdicts(page).getByText('local:ann took it back.').waitFor();
    await second.page.getByRole('button', { name: 'Disqualify the team' }).press('Enter');
    await says(second.page, /is disqualified\./);
    expect(await statusOf(team)).toBe('disqualified');
    const { reason } = (await data.allowlist.get(team.uid)) ?? {};
    expect(reason).toMatch(/^reviewed: .*; statement SHA-256 .*; verdicts .*; taken back by local:ann$/);
    await verdicts(second.page).getByText('Disqualified: reviewed:').waitFor();
    expect(await second.page.getByRole('button', { name: 'Disqualify the team' }).count()).toBe(0);
    await second.page.locator('main .bar .status').getByText('disqualified').waitFor();
  });

  test('has a statement that verifies; one changed byte is refused, and the draft stays', async () => {
    const { page } = await open('ann', teamOf(team));
    await press(page, 's');
    await says(page, /Written to .*, in the transparency log: 3\./);
    const [file = ''] = statements(team.uid);
    await data.ailog(['tlog', 'export-policy', '-o', 'case.policy']);
    const verify = () => data.ailog(['verify', file, '--policy', 'case.policy']);
    expect((await verify()).stdout).toMatch(/^ok /m);
    const path = join(data.folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace('log 1', 'log 9'));
    expect((await verify()).exitCode).toBe(1);
    await press(page, 'l', 'r');
    await page.getByText(/is no complete statement about UID .*: line \d+: The body is another one/).waitFor();
    expect([await recordsOf(team), await page.getByRole('radio', { name: 'Looked at' }).isChecked()]).toEqual([
      [],
      true,
    ]);
    // Every reviewer on this machine is offered the statements in its folder.
    rmSync(path);
  });

  test('says all that is missing at once, keeps the focus in the form, and drops no key', async () => {
    const { page } = await open('ann', teamOf(team));
    await press(page, 'r');
    await says(page, /Not recorded/);
    expect([await gapsIn(page), await focused(page)]).toEqual([['Choose what you say: l, e, a or d.'], 'verdict']);
    // Reasons are not chosen by the first letters of keys.
    await page.locator('form .chip[aria-pressed=true]').click();
    await press(page, 'd', 'r');
    await expect
      .poll(() => gapsIn(page))
      .toEqual(['Choose a reason: c goes through them.', 'Write what the team did: t.']);
    expect(await focused(page)).toBe('reason');
    await press(page, 's', 'd');
    expect(await page.locator('form .chip[aria-pressed=true]').count()).toBe(0);
    await press(page, 'c', 't');
    // Keys of the page are letters of a text.
    const keys = 'leadctsrzxjkunpoibv+-=0/?1234';
    const { pathname, search } = new URL(page.url());
    await page.keyboard.type(keys.padEnd(1001, 'x'));
    expect(await page.locator('textarea').first().inputValue()).toBe(keys.padEnd(1001, 'x'));
    expect([await page.locator('dialog').count(), new URL(page.url())]).toMatchObject([0, { pathname, search }]);
    await press(page, 'Control+Enter');
    const unread = expect.stringMatching(/is a question: write what you read, in a sentence\.$/);
    await expect.poll(() => gapsIn(page)).toEqual(['These are 1001 characters; at most 1000 can be recorded.', unread]);
    expect([await recordsOf(team), await page.getByRole('radio', { name: 'Disqualify' }).isChecked()]).toEqual([
      [],
      true,
    ]);
    await press(page, 'Backspace');
    expect(await gapsIn(page)).toEqual([unread]);
    await says(page, /Written to|Not recorded/);
  });

  test('is recorded when its statement is ready, whatever is pressed meanwhile, and once', async () => {
    const { page } = await open('ann', teamOf(team));
    const build = await hold(page, '**/api/buildStatement');
    // Until the new rows are read, the teams have another order, and `k` would not undo `j`.
    await page.getByText('3 logs · ').waitFor();
    await press(page, 's', 'e', 'c', 'r', 'r');
    await says(page, /^Building the statement, then recording the verdict … It was asked for already\.$/);
    // Leaving the page is asked about, and what is written now is the next draft.
    const leaves = () => page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    expect(await leaves()).toBe(false);
    await write(page, 'written later', 'Escape', 'j');
    const hint = (text: string) => page.locator('p.hint').filter({ hasText: `${team.uid}: ${text}` });
    await hint('Building the statement').waitFor();
    expect(await recordsOf(team)).toEqual([]);
    build();
    await hint('Recorded: explained.').waitFor();
    const [file] = statements(team.uid);
    expect(await leaves()).toBe(true);
    await expect.poll(() => draftOf(team)).toMatchObject({ text: 'written later' });
    // After all that was asked for about the team.
    await press(page, 'k');
    await ready(page);
    await press(page, 'z');
    await says(page, /Withdrawn\./);
    const [record, ...others] = await recordsOf(team);
    expect(record).toMatchObject({ verdict: 'explained', evidence: { file } });
    expect([record?.text, others.map(({ verdict }) => verdict)]).toEqual([undefined, ['withdrawn']]);
  });

  test('leaves the focus to somebody who types meanwhile', async () => {
    const { page } = await open('ann', teamOf(team));
    for (const [verdict, says] of [
      ['', 'Not recorded: see what is missing.'],
      ['l', 'Recorded: looked at.'],
    ] as const) {
      const release = await hold(page, '**/api/case*');
      await press(page, ...verdict, 'r', 't');
      await page.keyboard.type('first ');
      release();
      await page.locator('form p[role=status]').getByText(says).waitFor();
      await page.keyboard.type('drz');
      expect(await page.locator('textarea').inputValue()).toMatch(/first drz$/);
      await press(page, 'Escape');
      await page.unroute('**/api/case*');
    }
    expect((await recordsOf(team)).map(({ verdict }) => verdict)).toEqual(['looked-at']);
    // Who ends a text with Ctrl and Enter goes on with Enter.
    await press(page, 'l');
    await write(page, ' end', 'Control+Enter');
    await page.locator('.next').and(page.locator(':focus')).waitFor();
  });

  test('is written on a laptop without a field behind the buttons, and has its sample folded', async () => {
    const { page } = await open('ann', teamOf(team));
    expect(await page.locator('.tools .writing').innerText()).toBe('writing');
    expect(await page.getByLabel('seed').isVisible()).toBe(false);
    await page.getByText('Sample that you read').click();
    await page.getByLabel('seed').fill('day-1');
    await press(page, 'Escape', 'd', 'c', 'c', 'c', 'c');
    await page.locator('[data-field=read]').waitFor();
    const bottoms = await page
      .locator('form [data-field]')
      .evaluateAll((all) =>
        all.map(
          (one) => (one as unknown as { getBoundingClientRect(): { bottom: number } }).getBoundingClientRect().bottom,
        ),
      );
    const { y = 0, height = 0 } = (await page.locator('.actions').boundingBox()) ?? {};
    expect([Math.max(...bottoms) <= y, y + height <= 800]).toEqual([true, true]);
  });

  test('is withdrawn by a record of its own; without one, that is said', async () => {
    const { page } = await open('ann', teamOf(team));
    await press(page, 'z');
    await page.getByText('You have given no verdict about UID').waitFor();
    await press(page, 'l', 'r', 'z');
    await says(page, /Withdrawn\./);
    const [given, withdrawn, ...more] = await recordsOf(team);
    expect(more).toEqual([]);
    expect([given?.verdict, withdrawn?.verdict, withdrawn?.withdraws]).toEqual(['looked-at', 'withdrawn', given?.id]);
    await page.getByRole('button', { name: 'Withdraw yours' }).waitFor({ state: 'detached' });
  });

  test('has what a sample bounds, with its seed', async () => {
    const { page } = await open('ann', `/search?uid=${team.uid}&n=60&seed=day-2`);
    await page.getByText('These are all of them.').waitFor();
    await press(page, 'x', '2');
    await page.getByText('none of 3 failed, so fewer than 63.2 % of all do, at 95 % confidence').waitFor();
    await page.getByLabel('failures').fill('4');
    await ready(page);
    await press(page, 'Escape', 'a', 'c', 'r');
    await expect.poll(() => gapsIn(page)).toEqual(['At most as many failures as logs.']);
    await page.getByLabel('failures').fill('2');
    await page.getByText('2 of 3 failed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Record the verdict' }).click();
    await says(page, /Recorded: ask the team\./);
    expect(await recordsOf(team)).toMatchObject([{ sample: { seed: 'day-2', size: 3, failures: 2 } }]);
    await verdicts(page).getByText('Sample with the seed day-2: 2 of 3 failed.').waitFor();
  });

  test('gets one pin of a key that is held, and no draft of what is none, which is said', async () => {
    const { page } = await open('ann', teamOf(team, `&at=e${entryIds[0]}`));
    await page.locator('section.log .entry').waitFor();
    await ready(page);
    await page.keyboard.down('x');
    await page.keyboard.down('x');
    await page.keyboard.up('x');
    await page.locator('.findings .pin').waitFor();
    await expect.poll(() => draftOf(team)).toEqual({ pins: [entryIds[0]] });
    const path = draftFile(team) as string;
    writeFileSync(path, '{broken');
    await page.reload();
    await ready(page);
    await page.getByText(`Drafts are not kept: ${path} is no draft.`).waitFor();
    expect(await page.locator('.findings .pin').count()).toBe(0);
    await press(page, 'x', 'l');
    await page.locator('.findings .pin').waitFor();
    expect(readFileSync(path, 'utf8')).toBe('{broken');
    // What was written meanwhile is kept as soon as it can be.
    rmSync(path);
    await expect.poll(() => draftOf(team)).toEqual({ verdict: 'looked-at', pins: [entryIds[0]] });
    await page.getByText('Drafts are not kept').waitFor({ state: 'detached' });
  });

  test('stays a draft if the page is left before it is saved', async () => {
    const { page } = await open('kim', teamOf(team));
    // The server takes nothing until the page is left.
    let isLeft = false;
    await page.route('**/api/saveDraft', (route) => (isLeft ? route.continue() : undefined));
    await write(page, 'the last word');
    isLeft = true;
    await page.goto(`${new URL(page.url()).origin}${teamOf(other)}`);
    await page.goto(`${new URL(page.url()).origin}${teamOf(team)}`);
    await ready(page);
    expect(await page.locator('textarea').inputValue()).toBe('the last word');
    // The browser asked before it left.
    expect(trouble.flatMap((said) => said.splice(0))).toEqual(['']);
    await page.locator('textarea').fill('');
    await expect.poll(() => draftOf(team)).toBeUndefined();
  });

  test('stays a draft through every screen, a reload, a crash and the next console, until it is recorded', async () => {
    const one = await start('joe');
    const { origin } = one;
    const profile = temporaryFolder();
    const first = await openProfile(profile);
    const page = await first.newPage();
    await page.goto(one.link);
    await page.locator('.board tbody tr').first().waitFor();
    await page.goto(origin + teamOf(team, `&at=e${entryIds[0]}`));
    await page.locator('section.log .entry').waitFor();
    await ready(page);
    await press(page, 'x', 'e', 'c');
    await write(page, 'half a sentence');
    const kept = async (where: Page) => {
      await ready(where);
      return [
        await where.locator('textarea').inputValue(),
        await where.getByRole('radio', { name: 'Explained' }).isChecked(),
        await where.locator('form .chip[aria-pressed=true]').count(),
        await where.locator('.findings .pin').getAttribute('title'),
      ];
    };
    const draft = ['half a sentence', true, 1, entryIds[0]];
    expect(await kept(page)).toEqual(draft);
    // Each team has a draft of its own.
    await page.goto(origin + teamOf(other));
    await ready(page);
    expect([await page.locator('textarea').inputValue(), await page.locator('.findings .pin').count()]).toEqual([
      '',
      0,
    ]);
    await write(page, 'about the other');
    await page.goto(origin + teamOf(team));
    expect(await kept(page)).toEqual(draft);
    await press(page, 'u');
    await page.locator('tr').filter({ hasText: team.uid }).getByText('draft', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'with a draft' }).click();
    await expect.poll(() => page.locator('.board tbody tr').count()).toBe(2);
    await page.locator('.board tbody a').getByText(team.uid).focus();
    await press(page, '3', '4', '2');
    await page.waitForURL(/team\?.*queue=draft/);
    expect(await kept(page)).toEqual(draft);
    await page.reload();
    expect(await kept(page)).toEqual(draft);
    await expect.poll(() => draftOf(team)).toMatchObject({ text: 'half a sentence' });
    expect(statSync(draftFile(team) as string).mode & 0o777).toBe(0o600);
    const ended = new Promise((resolve) => first.once('close', resolve));
    const session = await first.browser()?.newBrowserCDPSession();
    await session?.send('Browser.crash').catch(() => {});
    await ended;
    await one.end();
    // The next console has another origin. Nobody else gets the draft.
    const { page: others } = await open('bob', teamOf(team));
    expect(await others.locator('textarea').inputValue()).toBe('');
    const { page: again } = await open('joe', teamOf(team));
    expect(await kept(again)).toEqual(draft);
    // Two tabs change one draft: each adds what it changes, and gets what the other one has when it is looked at.
    const tab = await again.context().newPage();
    const [opening] = readdirSync(data.folder).filter((name) =>
      name.startsWith(`ailog-console-${new URL(again.url()).port}-`),
    );
    await tab.goto(`file://${join(data.folder, opening as string)}`);
    await tab.locator('.board tbody tr').first().waitFor();
    await tab.goto(`${new URL(again.url()).origin}${teamOf(team)}`);
    expect(await kept(tab)).toEqual(draft);
    await press(again, 't');
    await again.keyboard.press('End');
    await again.keyboard.type(' and more');
    await tab.getByText('Sample that you read').click();
    await tab.getByLabel('seed').fill('day-1');
    await expect
      .poll(() => draftOf(team))
      .toMatchObject({ text: 'half a sentence and more', sample: { seed: 'day-1' } });
    await again.evaluate("dispatchEvent(new Event('focus'))");
    await expect.poll(() => again.getByLabel('seed').inputValue()).toBe('day-1');
    await again.getByLabel('seed').fill('');
    await expect.poll(() => draftOf(team)).not.toHaveProperty('sample');
    await press(again, 'Escape', 'r');
    await says(again, /Recorded: explained\./);
    expect(await recordsOf(team)).toMatchObject([
      { verdict: 'explained', text: 'half a sentence and more', entries: [entryIds[0]] },
    ]);
    expect(await again.locator('textarea').inputValue()).toBe('');
    await expect.poll(() => [draftOf(team), draftOf(other)]).toEqual([undefined, { text: 'about the other' }]);
    expect(await again.evaluate('localStorage.length')).toBe(0);
  });

  test('is one of a queue: what is not judged, what waits for a second reviewer, and how far it is', async () => {
    const uids = [team.uid, other.uid];
    await data.ailog(['reviews', 'add', team.uid, 'looked-at'], { env: { AILOG_REVIEWER: 'ann' } });
    const { page } = await open('ann', '');
    const rowOf = (where: Page) => where.locator('.board tbody tr').filter({ hasText: team.uid });
    await rowOf(page).getByText('looked-at 1').waitFor();
    const second = await open('eve', '');
    await rowOf(second.page).getByText('1 not shown').waitFor();
    const waiting = await second.page.evaluate(
      `fetch('/api/verdicts', { headers: { 'x-ailog-session': sessionStorage.getItem('session') } })
        .then((answer) => answer.json()).then((all) => Object.values(all).filter(({ waits }) => waits).length)`,
    );
    const progress = second.page.getByText(/ · 0 of \d+ judged, /);
    const wait = waiting === 1 ? '1 waits' : `${waiting} wait`;
    expect(await progress.innerText()).toContain(` judged, ${wait} for a second reviewer`);
    const title = second.page.locator('main h2').first();
    const listed = () => second.page.locator('.board tbody a').allInnerTexts();
    const all = await listed();
    await second.page.getByRole('button', { name: 'asks for a second reviewer' }).click();
    await expect.poll(async () => (await listed()).filter((uid) => uids.includes(uid))).toEqual([team.uid]);
    await second.page.getByRole('button', { name: 'not judged by me' }).click();
    await expect.poll(listed).toEqual(all);
    await press(second.page, 'j', 'Enter');
    for (const [place, uid] of all.slice(0, 2).entries()) {
      await title.filter({ hasText: uid }).waitFor();
      await ready(second.page);
      await press(second.page, 'l', 'r');
      await second.page.getByText(`${place + 1} of ${all.length} judged`).waitFor();
      await second.page.locator('.next').waitFor();
      await press(second.page, place === 0 ? 'n' : 'Enter');
    }
    await title.filter({ hasText: all[2] as string }).waitFor();
    await press(second.page, 'k');
    expect(await title.innerText()).toContain(all[2]);
    // Without the filter, the next one is not judged either.
    await second.page.goto(second.origin + teamOf({ uid: all[0] as string }));
    await ready(second.page);
    await press(second.page, 'l', 'r');
    await second.page.getByText(`2 of ${all.length} judged`).waitFor();
    await second.page.locator('.next').waitFor();
    await press(second.page, 'n');
    await title.filter({ hasText: all[2] as string }).waitFor();
  });

  test('without --write, the page only reads, and says who the reviewer would be', async () => {
    const { page } = await open('ann', teamOf(team), []);
    await page.getByText('Start it with --write to record verdicts as local:ann.').waitFor();
    expect(await page.locator('form.verdict').count()).toBe(0);
    await press(page, 'l', 'r', 's', 'd', 'z');
    expect([await recordsOf(team), statements(team.uid)]).toEqual([[], []]);
  });

  test('hides no failure: a team without entries has no statement, and needs none', async () => {
    const uid = `7${team.uid.slice(-8)}`;
    await data.allowlist.put({ uid, status: 'approved' });
    const { page } = await open('ann', teamOf({ uid }));
    await press(page, 's');
    await page.getByText(/There are no entries( in this period)? to make a statement of/).waitFor();
    expect(existsSync(join(data.folder, `${uid}.statement`))).toBe(false);
    // Without orders, nothing is to be looked at. Facts stand first.
    await press(page, 'c');
    await page.locator('.chip[aria-pressed=true]').filter({ hasText: 'no entries' }).waitFor();
    await press(page, 'd');
    await write(page, 'it never uploaded', 'Control+Enter');
    await says(page, /Recorded: disqualify\./);
  });

  test('is a drawer on a narrow screen', async () => {
    const { page } = await open('ann', teamOf(team));
    await page.setViewportSize({ width: 1000, height: 700 });
    const form = page.locator('form.verdict');
    await form.waitFor({ state: 'hidden' });
    await press(page, 'v', 'e');
    await form.waitFor({ state: 'visible' });
    await page.reload();
    await page.getByRole('radio', { name: 'Explained' }).and(page.locator(':checked')).waitFor();
    await press(page, 'Escape');
    await form.waitFor({ state: 'hidden' });
  });

  test.each(['light', 'dark'] as const)(
    'has no finding of axe in the %s theme, zoomed to 200 percent',
    async (theme) => {
      await data.ailog(['reviews', 'add', team.uid, 'explained', '--reason', 'late', '--text', 'x'], {
        env: { AILOG_REVIEWER: 'ann' },
      });
      for (const args of [['--write'], []]) {
        const { page } = await open('ann', teamOf(team, '&verdict=1'), args, theme);
        await verdicts(page).getByText('Explained').waitFor();
        for (const width of [1280, 640]) {
          await page.setViewportSize({ width, height: 800 });
          const [found] = await runAxe(page, "{ rules: { 'target-size': { enabled: true } } }");
          expect([found, await touching(page)]).toEqual([[], []]);
        }
      }
    },
  );
});
