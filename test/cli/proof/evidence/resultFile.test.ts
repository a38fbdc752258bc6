import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { statusOf } from '../../../../cli/proof/evidence/evidence.ts';
import { setOrderId } from '../../../../cli/proof/evidence/resultFile.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { execute, MAIN, start } from '../../../setup/execute.ts';
import { notes, shows } from '../../../setup/outcome.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { type Files, makeEvidence, verifyIn } from '../../commands/tlog/evidenceFixture.ts';

const evidence = await makeEvidence();
const { files, mine, other } = evidence;
const headerOf = (name: 'mine.receipt' | 'other.receipt') => Buffer.from(files[name]).toString('base64');
const stored = {
  file: 'mine.json',
  url: 'https://api.example.com',
  accessKey: 'ailog_1001',
  state: 'stored',
  digest: mine.entry.bodySha256,
  entryId: mine.entry.entryId,
  receipt: headerOf('mine.receipt'),
  at: '2025-11-14T06:53:22.000Z',
};

/** Verifies a result file of these lines, beside the logs. */
const verify = (lines: readonly unknown[], change: Files = {}, end = '\n') => {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return verifyIn({ ...files, ...change, 'ailog-results.jsonl': text + end }, ['ailog-results.jsonl', '--verbose']);
};

test('the last stored line of each log counts, with the body beside the result file', async () => {
  const sending = { ...stored, state: 'sending', receipt: undefined };
  const second = { ...stored, file: 'other.json', entryId: other.entry.entryId, receipt: headerOf('other.receipt') };
  const { exitCode, stdout, stderr } = await verify([sending, stored, second, { ...second, state: 'unknown' }]);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Checked: 2, failed: 0. ')]);
  expect(stdout).toMatch(/log +mine\.json\n(.*\n)*.*proven +its body is mine\.json, byte for byte\n/);
  expect(stdout).toMatch(/log +other\.json\n(.*\n)*.*proven +its body is other\.json, byte for byte\n/);
});

test('a log of one name at two services is two logs', async () => {
  const elsewhere = { ...stored, url: 'http://127.0.0.1:8080', state: 'unknown' };
  expect(await verify([elsewhere, stored])).toMatchObject(notes(5, 'Checked: 2, failed: 0, without proof: 1. '));
});

test('a promise is broken only if nothing else is wrong', () => {
  const broken = { proven: [], promise: 'broken' } as const;
  expect(statusOf({ ...broken, wrong: ['one'] })).toBe('BROKEN');
  expect(statusOf({ ...broken, wrong: ['one', 'two'] })).toBe('FAILED');
});

test('a log without a receipt is not proven: exit code 5', async () => {
  expect(await verify([{ ...stored, receipt: undefined }])).toMatchObject({
    exitCode: 5,
    stdout: expect.stringMatching(
      /^NO PROOF {2}ailog-results\.jsonl\n(.*\n)* {2}not proven {2}that the service accepted the log: the result file has no receipt of it\n/,
    ),
    stderr: expect.stringContaining('Checked: 1, failed: 0, without proof: 1.'),
  });
});

test.each(['sending', 'unknown', 'not stored'])('a log that was never stored is not proven: %s', async (state) => {
  const sending = { ...stored, file: 'other.json', state: 'sending', receipt: undefined };
  const { exitCode, stdout, stderr } = await verify([stored, sending, { ...sending, state }]);
  expect([exitCode, stderr]).toEqual([5, expect.stringContaining('Checked: 2, failed: 0, without proof: 1.')]);
  expect(stdout).toMatch(
    new RegExp(`^NO PROOF .*\n  log +other\\.json\n  not proven +.*: its last state is "${state}"\n`, 'm'),
  );
});

test('a log without a receipt is not ok in JSON', async () => {
  const text = `${JSON.stringify({ ...stored, receipt: undefined })}\n`;
  const { stdout } = await verifyIn({ ...files, 'ailog-results.jsonl': text }, ['ailog-results.jsonl', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ ok: false, proven: [], wrong: [] }]);
});

test('a log that is gone is said, and its receipt holds', async () => {
  expect(await verify([stored], { 'mine.json': undefined })).toMatchObject(shows(0, 'not proven  which body it has'));
});

// biome-ignore format: one case a line
test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
  ['the receipt of another log', { receipt: headerOf('other.receipt') }, /WRONG +The receipt is not about the entry of the line, .*\n.*WRONG +mine\.json is not the body/],
  ['a receipt that was changed', { receipt: Buffer.from(files['mine.receipt'].replace('1001', '1003')).toString('base64') }, /WRONG +The signature of .* is wrong/],
  ['a receipt that is a number', { receipt: 7 }, /WRONG +Line 1 of ailog-results\.jsonl is not a result of an upload: its receipt is not a text/],
  ['a receipt that is null', { receipt: null }, /WRONG +Line 1 of ailog-results\.jsonl is not a result of an upload: its receipt is not a text/],
  ['another order', { order: '7' }, /WRONG +mine\.json is not the body/],
  ['an order that is none', { order: 'seven' }, /WRONG/],
  ['a file that is a folder', { file: '.' }, /not proven +which body|WRONG/],
])('%s is noticed', async (_name, change, says) => {
  const { exitCode, stdout } = await verify([{ ...stored, ...change }]);
  expect([exitCode === 70, stdout]).toEqual([false, expect.stringMatching(says)]);
});

test('lines of others read no file elsewhere, and none that never ends', async () => {
  for (const file of ['../mine.json', '/etc/hostname', 'pipe']) {
    const parent = temporaryFolder();
    writeFileSync(join(parent, 'mine.json'), mine.body);
    const folder = join(parent, 'logs');
    mkdirSync(folder);
    await execute(['mkfifo', join(folder, 'pipe')]);
    writeFileSync(join(folder, 'tlog.policy'), files['tlog.policy']);
    writeFileSync(
      join(folder, 'results'),
      `${JSON.stringify({ ...stored, file: 'x' })}\n${JSON.stringify({ ...stored, file })}\n`,
    );
    const { exitCode, stdout } = await runCommand(['verify', 'results', '--verbose'], { cwd: folder });
    expect([exitCode, stdout]).toEqual([0, expect.not.stringMatching(/its body is|hostname is not/)]);
  }
});

test('a line that is no result is named, and the others are verified', async () => {
  for (const line of [null, [], 7, { ...stored, file: 7 }, { ...stored, file: null }]) {
    const { exitCode, stdout, stderr } = await verify([stored, line]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Checked: 2, failed: 1.')]);
    expect(stdout).toMatch(/WRONG +Line 2 of ailog-results\.jsonl is not a result of an upload: /);
  }
});

test('a whole last line counts without its line feed, and half of one is not proven', async () => {
  const other = { ...stored, file: 'other.json', state: 'unknown' };
  expect(await verify([stored], {}, '')).toMatchObject(notes(0, 'Checked: 1, failed: 0. '));
  expect(await verify([other, stored], {}, '')).toMatchObject(notes(5, 'Checked: 2, failed: 0, without proof: 1. '));
  const forged = { ...stored, entryId: '1763103201300-00' };
  expect(await verify([forged], {}, '')).toMatchObject(notes(1, 'Checked: 1, failed: 1. '));
  for (const half of [JSON.stringify(other).slice(0, -1), '{"file":"other', '\0\0']) {
    const { exitCode, stdout, stderr } = await verify([stored, half], {}, '');
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('Checked: 2, failed: 0, without proof: 1. ')]);
    expect(stdout).toMatch(/line +2\n +not proven +anything about the log of the last line: the line is cut off\n/);
  }
  expect(await verify([JSON.stringify(stored).slice(0, -1)], {}, '')).toMatchObject(
    notes(5, 'Checked: 1, failed: 0, without proof: 1. '),
  );
});

test('a line that is not JSON is named', async () => {
  expect(await verify([stored, 'half a li'])).toMatchObject(notes(2, /^Line 2 of \S+ is not JSON\./));
  expect(await verify([stored, 'half a li'], {}, '')).toMatchObject(notes(2, /^Line 2 of \S+ is not JSON\./));
});

const ID = 590480926522704171n;

// biome-ignore format: one case a line
const inserted: [name: string, log: string, result: string][] = [
  ['no order id', '{"stage":"决策 📉" }\n', `{"orderId":${ID},"stage":"决策 📉" }\n`],
  ['space before and after the bracket', ' \n{ "a":1}', ` \n{"orderId":${ID}, "a":1}`],
  ['null', '{"a":1, "orderId" : null , "b":2}', `{"a":1, "orderId" : ${ID} , "b":2}`],
  ['an empty string', '{"orderId":""}', `{"orderId":${ID}}`],
  ['zero', '{"orderId":0,"a":1}', `{"orderId":${ID},"a":1}`],
  ['zero as a string', '{"orderId":"0"}', `{"orderId":${ID}}`],
  ['the same order', `{"orderId":${ID}}`, `{"orderId":${ID}}`],
  ['the same order as a string', `{"orderId":"${ID}"}`, `{"orderId":${ID}}`],
  ['the key in escapes', '{"order\\u0049d":null}', `{"order\\u0049d":${ID}}`],
  ['an order id in a nested object, and one in a string', '{"input":{"orderId":5},"x":[{"orderId":6}],"y":"\\"orderId\\":7"}', `{"orderId":${ID},"input":{"orderId":5},"x":[{"orderId":6}],"y":"\\"orderId\\":7"}`],
  ['a repeated key: the last one counts', '{"orderId":5,"orderId":null}', `{"orderId":5,"orderId":${ID}}`],
];

test.each(inserted)('an order id is inserted where there is %s', (_name, log, result) => {
  expect(setOrderId(Buffer.from(log), ID).toString()).toBe(result);
});

test('where an order id is inserted, bytes that are not valid UTF-8 stay as they are', () => {
  const log = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}')]);
  expect(setOrderId(log, 7n)).toEqual(Buffer.concat([Buffer.from('{"orderId":7,'), log.subarray(1)]));
});

test('no order id is inserted into what is not JSON, however long it is', async () => {
  const log = `{"${'\\"'.repeat(400_000)}`;
  expect(setOrderId(Buffer.from(log), ID).toString()).toBe(log);
  expect(await verify([{ ...stored, order: '7' }], { 'mine.json': log })).toMatchObject(
    shows(1, /WRONG +mine\.json is not the body of the entry/),
  );
});

test('the id of another order is not overwritten', () => {
  expect(() => setOrderId(Buffer.from('{"orderId":5}'), ID)).toThrow('The log names another order, 5.');
});

/** Makes a folder with many receipts in one file. */
function folderOfMany(): string {
  const folder = temporaryFolder();
  const lines = Array.from({ length: 5000 }, (_, n) => JSON.stringify({ ...stored, file: `${n}.json` }));
  writeFileSync(join(folder, 'results'), `${lines.join('\n')}\n`);
  writeFileSync(join(folder, 'tlog.policy'), files['tlog.policy']);
  return folder;
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the verification of receipts', async (signal) => {
  const folder = folderOfMany();
  const running = start([process.execPath, MAIN, 'verify', 'results', '--verbose'], { cwd: folder });
  await expect.poll(running.output).toContain('0.json');
  running.kill(signal);
  const { exitCode, stdout, stderr } = await running.ended;
  expect([exitCode, stderr]).toEqual([130, 'Interrupted.\n']);
  expect(stdout).not.toContain('4999.json');
});

test('a line of a result file that is too long to be parsed at once is refused', async () => {
  const long = JSON.stringify({ ...stored, says: 'x'.repeat(1024 * 1024) });
  expect(await verify([stored, long])).toMatchObject(notes(2, /^Line 2 of \S+ is not JSON\./));
});
