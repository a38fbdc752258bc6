import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { type Finding, Findings } from '../../../../cli/proof/audit/findings.ts';
import type { AuditResult } from '../../../../cli/proof/audit/runAudit.ts';
import { describeResult, judge, showResult } from '../../../../cli/proof/audit/showResult.ts';
import { defineCommand } from '../../../../cli/shell/terminal/defineCommand.ts';
import { runCommand } from '../../../../cli/shell/terminal/runCommand.ts';
import { createTerminal } from '../../../../cli/shell/terminal/terminal.ts';

/** The counts of an audit that found nothing, and nothing unusual. */
const COMPARISON = {
  rows: 28,
  matched: 28,
  pending: 0,
  backfilled: 0,
  duplicates: 0,
  expired: 0,
  olderGone: 0,
  kept: 0,
  untimed: 0,
};

function resultOf({
  comparison = {},
  witnesses = [] as string[],
  hasTables = true,
  hasWitnesses = false,
  findings = [] as Finding[],
  unchecked = [] as string[],
}) {
  const found = new Findings();
  for (const finding of findings) found.report(finding);
  const result = {
    checkpoint: {
      origin: 'example.com/log',
      size: 30,
      root: Buffer.alloc(32, 1),
      cosigned: new Map(witnesses.map((name) => [name, 1])),
    },
    files: 40,
    checkpoints: 6,
    keys: 2,
    laterReceiptKeys: [],
    comparison: { ...COMPARISON, ...comparison },
    hasTables,
    hasWitnesses,
    unchecked,
    findings: found,
  };
  return result as unknown as AuditResult;
}

async function show(change: Parameters<typeof resultOf>[0], { json = false, full = false, trustsTarget = false } = {}) {
  const texts = ['', ''];
  const [stdout, stderr] = texts.map((_, index) =>
    new PassThrough().on('data', (chunk) => {
      texts[index] += chunk;
    }),
  );
  const terminal = createTerminal({ env: {}, stdin: new PassThrough(), stdout, stderr, cwd: () => '/' } as never);
  const result = resultOf(change);
  const command = defineCommand({
    words: 'tlog audit',
    for: 'Operators and auditors',
    summary: '',
    examples: [],
    run: (_asked, context) => judge(context.terminal, result),
    json: () => describeResult(result),
    shows: () => showResult(result, { full, trustsTarget }),
  });
  await runCommand(terminal, command, {}, { json, csv: false, yes: false, dryRun: false });
  return { exitCode: terminal.exitCode, stdout: texts[0] ?? '', stderr: texts[1] ?? '' };
}

const ROOT = Buffer.alloc(32, 1).toString('base64');
const removed = (count: number): Finding[] =>
  Array.from({ length: count }, (_, index) => ({ kind: 'removed', index, problem: `Entry ${index} is gone.` }));

test('a log and tables that nobody changed', async () => {
  expect(await show({})).toEqual({
    exitCode: 0,
    stdout: `log         example.com/log, entries: 30, root ${ROOT}
witnesses   none cosigned
files       40
checkpoints 6 signed, each compared with the entries before it
keys        2 in the log
table       entries: 28, in the log: 28
`,
    stderr: 'The log is consistent, and so are the tables with it.\n',
  });
});

test('what is harmless, and what was not checked', async () => {
  const comparison = { matched: 20, pending: 1, backfilled: 4, duplicates: 2, expired: 3, kept: 5 };
  const unchecked = ['The size of the log of last year.', 'The bodies.'];
  const shown = await show({ comparison, witnesses: ['w1', 'w2'], unchecked });
  expect(shown).toEqual({
    exitCode: 5,
    stdout: `log         example.com/log, entries: 30, root ${ROOT}
witnesses   w1, w2
files       40
checkpoints 6 signed, each compared with the entries before it
keys        2 in the log
duplicates  2: leaves that are in the log a second time, which proves nothing less
receipts    5 of those given with --known are in the log
table       entries: 28, in the log: 20
not yet     1: too new to be in the log
backfilled  4: older than the log, which does not prove when they were received
expired     3: in the log, and expired from the table

Not checked: 2
  The size of the log of last year.
  The bodies.
`,
    stderr: 'No contradictions, but not everything was checked.\n',
  });
});

test('findings, kind by kind, the first ten of each', async () => {
  const entry = { uid: '7', entryId: 'e\u202e', problem: 'locale was changed.' };
  const findings: Finding[] = [
    ...removed(12),
    { kind: 'tile', path: 'tile/0/000', problem: 'It has another hash.' },
    { kind: 'edited', ...entry },
    { kind: 'tile', path: 'tile/0/001', problem: 'tile/0/001 is missing.' },
    { kind: 'file', path: 'staging/1', ...entry },
  ];
  const shown = await show({ findings, unchecked: ['The bodies.'] }, { trustsTarget: true });
  expect(shown.exitCode).toBe(1);
  const [, ...blocks] = shown.stdout.split('\n\n');
  expect(blocks).toEqual([
    'Tiles that were changed: 2\n  tile/0/000: It has another hash.\n  tile/0/001 is missing.',
    'Files that do not belong to the log: 1\n  staging/1: UID 7 e\\u202e: locale was changed.',
    'Edited entries: 1\n  UID 7 e\\u202e: locale was changed.',
    `Entries of the log that the table does not have: 12\n${removed(10)
      .map(({ problem }) => `  ${problem}\n`)
      .join('')}  … and 2 more`,
    'Not checked: 1\n  The bodies.\n',
  ]);
  expect(shown.stderr).toBe(
    'The keys are those that the Tlog table names. --policy FILE trusts those of a file instead.\n--full shows all findings, --json lists them.\nContradictions: 16.\n',
  );
});

test('all findings with --full, and no more to show if ten are all', async () => {
  const full = await show({ findings: removed(12) }, { full: true });
  expect(full.stdout).toContain('Entry 11 is gone.\n');
  expect(full.stdout).not.toContain('more');
  expect(full.stderr).toBe('Contradictions: 12.\n');
  const ten = await show({ findings: removed(10) });
  expect(ten.stdout).not.toContain('more');
  expect(ten.stderr).toBe('Contradictions: 10.\n');
});

test('an entry that came late is a broken promise, unless something else is wrong', async () => {
  const late: Finding = { kind: 'overdue', uid: '7', entryId: 'e', problem: 'An hour later.' };
  expect(await show({ findings: [late] })).toMatchObject({
    exitCode: 6,
    stdout: expect.stringContaining(
      '\nLATE: entries that were logged after the deadline of their receipts, in order: 1\n  UID 7 e: An hour later.\n',
    ),
    stderr: 'Logged after the deadline of their receipts: 1.\n',
  });
  const both = await show({ findings: [late, ...removed(1)] });
  expect([both.exitCode, both.stderr]).toEqual([
    1,
    'Logged after the deadline of their receipts: 1.\nContradictions: 1.\n',
  ]);
  expect(JSON.parse((await show({ findings: [late] }, { json: true })).stdout)).toMatchObject({ ok: false, found: 0 });
});

test('what no witness has timed is not proven, and no failure', async () => {
  for (const [change, sentence] of [
    [
      { comparison: { untimed: 28 } },
      'When these 28 entries were received: no witnesses cosign this log, so the organisers alone say so.',
    ],
    [
      { comparison: { untimed: 1 }, hasWitnesses: true },
      'When this entry was received: no quorum of witnesses cosigned it within ten minutes of that time.',
    ],
  ] as const) {
    const { exitCode, stdout } = await show(change);
    expect([exitCode, stdout.split('\n\n')[1]]).toEqual([0, `Not proven: ${sentence}\n`]);
    expect(JSON.parse((await show(change, { json: true })).stdout)).toMatchObject({ ok: true, notProven: [sentence] });
  }
});

test('a copy of a log alone', async () => {
  const { stdout, stderr } = await show({ hasTables: false });
  expect(stdout).toMatch(/\ntable +not compared: no target\n$/);
  expect(stderr).toBe('The log is consistent.\n');
});

test('as JSON', async () => {
  const findings: Finding[] = [...removed(1), { kind: 'edited', uid: '7', entryId: 'e\u202e', problem: 'x' }];
  const shown = await show({ findings, unchecked: ['The bodies.'] }, { json: true });
  expect(shown).toMatchObject({ exitCode: 1, stderr: '' });
  expect(shown.stdout).not.toContain('\u202e');
  expect(JSON.parse(shown.stdout)).toEqual({
    ok: false,
    origin: 'example.com/log',
    size: 30,
    root: ROOT,
    witnesses: [],
    files: 40,
    checkpoints: 6,
    keys: 2,
    laterReceiptKeys: [],
    duplicates: 0,
    receiptsInLog: 0,
    rows: 28,
    inLog: 28,
    olderThanLog: 0,
    expired: 0,
    notYetInLog: 0,
    notChecked: ['The bodies.'],
    notProven: [],
    found: 2,
    counts: { removed: 1, edited: 1 },
    findings: findings.toReversed(),
  });
  const none = await show({ hasTables: false }, { json: true });
  expect(none.exitCode).toBe(0);
  expect(JSON.parse(none.stdout)).toMatchObject({ ok: true, found: 0, counts: {}, findings: [], notChecked: [] });
  expect(JSON.parse(none.stdout)).not.toHaveProperty('rows');
  const unsure = await show({ unchecked: ['The bodies.'] }, { json: true });
  expect([unsure.exitCode, JSON.parse(unsure.stdout).ok]).toEqual([5, false]);
});
