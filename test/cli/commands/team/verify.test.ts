import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatProofFile } from '../../../../cli/proof/evidence/proofFile.ts';
import { policyText } from '../../../../cli/proof/inclusion/trustedKeys.ts';
import { formatCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { type Signer, signNote } from '../../../../functions/c2sp/note.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { formatReceipt, receiptOf } from '../../../../functions/receipts/receiptFormat.ts';
import { entryHashOf, entryPreimage, keyPreimage } from '../../../../functions/tlog/entryHash.ts';
import { newSigner } from '../../../c2sp/keys.ts';
import { plainRoot } from '../../../c2sp/trees.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { notes, shows } from '../../../setup/outcome.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { type Files, makeEvidence, ORIGIN, RECEIVED_AT, verifyIn } from '../tlog/evidenceFixture.ts';

const evidence = await makeEvidence();
const { files, mine, unwitnessed, log, receipts } = evidence;
const verify = (args: readonly string[], change: Files = {}) => verifyIn({ ...files, ...change }, args);
const never = new AbortController().signal;
const receipt = files['mine.receipt'];
const header = Buffer.from(receipt).toString('base64');
const vkey = ({ key }: Signer) => formatVerifierKey(key);

/** The proof of the only entry of a log that this signer signs. */
const proofOfOne = async (signer: Signer, preimage: string, origin = signer.key.name) => {
  const text = formatCheckpoint({ origin, size: 1, root: plainRoot([entryHashOf(preimage)]) });
  return formatProofFile({ index: 0, proof: [], checkpoint: await signNote(text, [signer], never) });
};

/** Verifies the proof of the only entry of a log, with its preimage and without witnesses. */
const verifyOne = async (preimage: string, change: Files = {}, args: string[] = [], signer = log, origin?: string) => {
  const proof = { 'f.tlog-proof': await proofOfOne(signer, preimage, origin), 'f.preimage': preimage, p: unwitnessed };
  return verify(['f.tlog-proof', '--policy', 'p', ...args], { ...proof, ...change });
};

describe('a receipt', () => {
  test('is proven to be signed for its entry; that the entry is in the log, and which body it has, is not', async () => {
    const { exitCode, stdout, stderr } = await verify(['mine.receipt']);
    expect(stdout.split('\n')).toEqual([
      'ok      mine.receipt',
      `  entryId     ${mine.entry.entryId}`,
      '  uid         1001',
      '  receivedAt  2025-11-14T06:53:21.345Z',
      `  proven      the service of ${ORIGIN} accepted the entry at 2025-11-14T06:53:21.345Z`,
      expect.stringMatching(
        /^ {2}proven {6}it promised to put the entry into its transparency log by 2025-11-14T07:03:21Z, with the entry hash [0-9a-f]{64}$/,
      ),
      `  not proven  which body it has: give the file that was sent too (--body). Its SHA-256 must be ${mine.entry.bodySha256}`,
      expect.stringMatching(/^ {2}not proven {2}that the entry is in the transparency log: /),
      '',
    ]);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Checked: 1, failed: 0\. Trusted: the keys in \/.*log\.policy\.\nMake sure that this policy/,
      ),
    ]);
  });

  // biome-ignore format: one case a line
  test.each<[string, string]>([
    ['the value of the header', header],
    ['the value of the header with a line end', `${header}\n`],
    ['the value of the header with a Windows line end', `${header}\r\n`],
  ])('as %s is the same', async (_name, content) => {
    const { stdout, exitCode } = await verify(['kept.txt', '--body', 'mine.json'], { 'kept.txt': content });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('proven      its body is mine.json, byte for byte')]);
  });

  test('of many is shown only if it is wrong: the others are counted, with what they do not prove', async () => {
    const forged = receipt.replace('\n1001\n', '\n1003\n');
    const args = ['mine.receipt', 'other.receipt', 'mine.tlog-proof', 'forged.receipt'];
    const { exitCode, stdout, stderr } = await verify(args, { 'forged.receipt': forged });
    expect(stdout.split('\n')).toEqual([
      'FAILED  forged.receipt',
      expect.stringMatching(/^ {2}WRONG {7}The signature of /),
      'ok      3 entries; --verbose shows each',
      '  not proven  3 of 3: which body it has',
      expect.stringMatching(
        /^ {2}not proven {2}2 of 3: that the entry is in the transparency log: the receipt promises/,
      ),
      '  not proven  1 of 3: the extra data of mine.tlog-proof: nobody signs it',
      '  not proven  1 of 3: who signed the upload: the organisers know the secret too',
      '',
    ]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^Checked: 4, failed: 1\./)]);
    const all = await verify([...args, '--verbose'], { 'forged.receipt': forged });
    expect(all.stdout.match(/^(ok|FAILED) .*$/gm)).toEqual([
      'ok      mine.receipt',
      'ok      other.receipt',
      'ok      mine.tlog-proof',
      'FAILED  forged.receipt',
    ]);
    expect(all.exitCode).toBe(exitCode);
  });

  test('is shown with --json', async () => {
    const { stdout } = await verify(['mine.receipt', 'other.receipt', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { file: 'mine.receipt', format: 'receipt', ok: true, uid: '1001', entryId: mine.entry.entryId, wrong: [] },
      { file: 'other.receipt', format: 'receipt', ok: true, uid: '1002' },
    ]);
  });

  test('is not about another body', async () => {
    expect(await verify(['mine.receipt', '--body', 'other.json'])).toMatchObject(
      shows(1, /WRONG {7}other\.json is not the body of the entry: its SHA-256 is [0-9a-f]{64}, not /),
    );
  });

  test('of a log that ailog upload --order changed is about the log with this order', async () => {
    const sent = mine.body.replace('{', '{"orderId":7,');
    const entry = { ...mine.entry, bodySha256: createHash('sha256').update(sent).digest('hex') };
    const change = { 'mine.receipt': await evidence.receiptNote(entry) };
    expect(await verify(['mine.receipt', '--body', 'mine.json'], change)).toMatchObject(
      shows(1, 'needs the same --order'),
    );
    expect(await verify(['mine.receipt', '--body', 'mine.json', '--order', '7'], change)).toMatchObject({
      exitCode: 0,
    });
  });

  test.each(['', 'hello', '{', '{"orderId":', '[[[['])('is not about %j, whatever the order', async (body) => {
    const args = ['mine.receipt', '--body', 'f', '--order', '7'];
    expect(await verify(args, { f: body })).toMatchObject(shows(1, 'f is not the body'));
  });

  test('that is backdated does not fit to the time that was signed', async () => {
    const change = { r: await evidence.receiptNote({ ...mine.entry, receivedAt: RECEIVED_AT - 86_400_000 }) };
    expect(await verify(['r'], change)).toMatchObject(
      shows(
        1,
        'WRONG       The entry says that it was received at 2025-11-13T06:53:21.345Z, but it was signed at 2025-11-14T06:53:21.300Z',
      ),
    );
  });

  // biome-ignore format: one case a line
  test.each<[string, () => Promise<string>, string]>([
    ['a key that the policy does not name', () => evidence.receiptNote(mine.entry, newSigner(`${ORIGIN}/receipts`)), 'No key logs.example.com/ailog/receipts of the policy signed the receipt'],
    ['the key of checkpoints', () => evidence.receiptNote(mine.entry, log), 'No key logs.example.com/ailog/receipts of the policy signed the receipt'],
    ['the key of this log, for another log', () => evidence.receiptNote(mine.entry, receipts, 'other.example.com'), 'The policy has no key other.example.com/receipts'],
    ['nobody known, for another log', () => evidence.receiptNote(mine.entry, newSigner('x/receipts'), 'x'), 'The policy has no key x/receipts, so it does not trust receipts of this log'],
  ])('signed by %s is worth nothing', async (_name, make, says) => {
    const { exitCode, stdout } = await verify(['r'], { r: await make() });
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`FAILED  r\n  WRONG       ${says}`)]);
    expect(stdout).not.toMatch(/^ {2}(uid|proven)/m);
  });

  test('that is not UTF-8 is not a note, even if the replaced characters were signed', async () => {
    const note = await signNote(formatReceipt({ ...receiptOf(ORIGIN, mine.entry), uid: '\ufffd' }), [receipts], never);
    const bytes = Buffer.from(Buffer.from(note).toString('latin1').replace('\u00ef\u00bf\u00bd', '\u00ff'), 'latin1');
    expect(await verify(['r'], { r: note })).toMatchObject({ exitCode: 0 });
    for (const content of [bytes, bytes.toString('base64')]) {
      expect(await verify(['r'], { r: content })).toMatchObject(shows(1, 'is not UTF-8'));
    }
  });

  test('as a header with 2 MB of blanks is too large', async () => {
    expect(await verify(['r'], { r: header + ' '.repeat(2_000_000) })).toMatchObject(
      shows(1, 'r is larger than 1 MiB'),
    );
  });

  test('with a hostile UID is shown without effect on the terminal', async () => {
    const note = await signNote(
      formatReceipt({ ...receiptOf(ORIGIN, mine.entry), uid: '1\u202e\u200b\u009b31m' }),
      [receipts],
      never,
    );
    const { stdout } = await verify(['r'], { r: note });
    expect(stdout).toContain('uid         1\\u202e\\u200b\\u009b31m\n');
    const { stdout: json } = await verify(['r', '--json'], { r: note });
    expect(json).toContain('"uid": "1\\u202e\\u200b\\u009b31m"');
  });
});

describe('a proof', () => {
  test('shows the entry of its preimage in the log, with its witnesses and its receipt', async () => {
    const { exitCode, stdout } = await verify(['mine.tlog-proof', '--body', 'mine.json']);
    expect(stdout.split('\n')).toEqual([
      'ok      mine.tlog-proof',
      `  entryId     ${mine.entry.entryId}`,
      '  uid         1001',
      '  receivedAt  2025-11-14T06:53:21.345Z',
      '  accessKey   ailog_1001',
      '  inLogBy     2025-11-14T06:54:21.000Z',
      `  proven      the entry is in the transparency log of ${ORIGIN}, at index 150 of 300`,
      '  proven      2 of 2 witnesses cosigned this state of the log: W1 at 2025-11-14T06:54:21.000Z, W2 at 2025-11-14T06:54:22.000Z. The quorum both of the policy is reached',
      `  proven      the service of ${ORIGIN} accepted the entry at 2025-11-14T06:53:21.345Z`,
      expect.stringMatching(/^ {2}proven {6}it promised to put the entry into its transparency log/),
      '  proven      its body is mine.json, byte for byte',
      '  proven      received 2025-11-14T06:53:21Z, says the service; in the log by 2025-11-14T06:54:21Z, say 2 witnesses',
      '  not proven  the extra data of mine.tlog-proof: nobody signs it',
      '  not proven  who signed the upload: the organisers know the secret too',
      '',
    ]);
    expect(exitCode).toBe(0);
  });

  // biome-ignore format: one case a line
  test.each<[string, Parameters<typeof evidence.proofWith>[0], number, string]>([
    ['a checkpoint without the entry', { before: 150, at: 30 }, 0, 'proven      received 2025-11-14T06:53:21Z, says the service; in the log between 2025-11-14T06:53:51Z and 2025-11-14T06:54:21Z, say 2 witnesses'],
    ['one of a size with the entry', { before: 151, at: 30 }, 0, 'in the log by 2025-11-14T06:54:21Z, say 2 witnesses'],
    ['one that a witness misses', { before: 150, at: 30, missing: 1 }, 0, 'not proven  the extra data of mine.tlog-proof: nobody signs it'],
    ['one of another log', { before: 150, at: 30, origin: 'other.example' }, 0, 'not proven  the extra data of mine.tlog-proof: nobody signs it'],
    ['one after the deadline', { before: 150, at: 660 }, 6, 'WRONG       The promise was kept LATE by 59 s: in the log between 2025-11-14T07:04:21Z and 2025-11-14T07:05:21Z, say 2 witnesses; the service promised it by 2025-11-14T07:03:21Z'],
    ['none, cosigned after the deadline', { at: 660 }, 0, 'not proven  when the entry came into the log: by 2025-11-14T07:05:21Z, say 2 witnesses, and the service promised it by 2025-11-14T07:03:21Z'],
  ])('whose extra data have %s bounds the time', async (_name, bounds, exitCode, says) => {
    const change = { 'mine.tlog-proof': await evidence.proofWith(bounds) };
    expect(await verify(['mine.tlog-proof'], change)).toMatchObject(shows(exitCode, says));
  });

  test('whose extra data have one of another log of the policy, cosigned after the deadline, is not late', async () => {
    const other = newSigner('other.example');
    const [line = ''] = policyText({ keys: [formatVerifierKey(other.key)] }).split('\n');
    const bounds = { before: 150, at: 660, origin: 'other.example', signer: other };
    const change = { p: `${line}\n${files['tlog.policy']}`, 'mine.tlog-proof': await evidence.proofWith(bounds) };
    expect(await verify(['mine.tlog-proof', '--policy', 'p'], change)).toMatchObject(
      shows(0, 'not proven  the extra data of mine.tlog-proof: nobody signs it'),
    );
  });

  test('without a receipt or without witnesses says so', async () => {
    const { exitCode, stdout } = await verify(['mine.tlog-proof', '--policy', 'p'], {
      p: unwitnessed,
      'mine.receipt': undefined,
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('not proven  that everyone sees the same log: the policy requires no witness\n');
    expect(stdout).toContain('not proven  that the service gave a receipt for it');
  });

  test('names the witnesses that cosigned, even if the policy requires none', async () => {
    const policy = String(files['tlog.policy']).replace(/^quorum .*$/m, 'quorum none');
    const { exitCode, stdout } = await verify(['mine.tlog-proof'], { 'tlog.policy': policy });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'proven      2 of 2 witnesses cosigned this state of the log: W1 at 2025-11-14T06:54:21.000Z, W2 at 2025-11-14T06:54:22.000Z\n',
    );
    expect(stdout).toContain('not proven  that everyone sees the same log: the policy requires no witness\n');
  });

  test('without a preimage shows the entry of its receipt', async () => {
    const { exitCode, stdout } = await verify(['mine.tlog-proof', '--body', 'mine.json'], {
      'mine.preimage': undefined,
    });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('at index 150 of 300')]);
    expect(stdout).toContain('proven      its body is mine.json');
    expect(await verify(['mine.tlog-proof'], { 'mine.preimage': undefined, 'mine.receipt': undefined })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'mine.tlog-proof does not say which entry it proves: mine.preimage is missing.\nAsk for it where you got the proof, and put it beside it, or give --preimage FILE.\n',
    });
  });

  test('under another name takes --preimage', async () => {
    const change = { p: files['mine.tlog-proof'] };
    expect(await verify(['p', '--preimage', 'mine.preimage'], change)).toMatchObject({ exitCode: 0 });
    expect(await verify(['p', '--preimage', 'other.preimage'], change)).toMatchObject(
      shows(1, 'The proof does not show that the entry is number 150 of the 300 in the log'),
    );
  });

  test('that misses the quorum fails, and says who cosigned', async () => {
    const [text = '', ...lines] = files['mine.tlog-proof'].split(/^(?=— (?:one|two))/m);
    const change = { 'mine.tlog-proof': text + lines[0] };
    expect(await verify(['mine.tlog-proof'], change)).toMatchObject(
      shows(
        1,
        'WRONG       The quorum both of the policy is missed: 1 of 2 witnesses cosigned this state of the log (W1 at 2025-11-14T06:54:21.000Z)',
      ),
    );
  });

  const late = { ...mine.entry, receivedAt: RECEIVED_AT + 60_000 };
  const preimageOf = (change: Partial<typeof mine.entry>) => entryPreimage({ ...mine.entry, ...change });

  // biome-ignore format: one case a line
  test.each<[string, () => Promise<Parameters<typeof verifyOne>>, number, string]>([
    ['of a public key of the service shows the key', async () => [keyPreimage(vkey(receipts))], 0, `  key         ${vkey(receipts)}\n`],
    ['of a key whose preimage is written differently fails', async () => [keyPreimage(vkey(receipts)).replace('["', '[ "')], 1, 'The preimage of a key is not written as the service writes it'],
    ['without a preimage, with a receipt whose time does not fit, fails', async () => [entryPreimage(late), { 'f.preimage': undefined, 'f.receipt': await evidence.receiptNote(late) }], 1, 'the service accepts a request only within 30 s'],
    ['of an entry that counts its body wrong is not about the body', async () => [preimageOf({ bodyBytes: 1 }), {}, ['--body', 'mine.json']], 1, `WRONG       mine.json has ${mine.body.length} bytes, the entry 1\n`],
    ['in a checkpoint of the receipt key is worth nothing', async () => [preimageOf({}), {}, [], receipts, `${ORIGIN}/receipts`], 1, `No trusted key of the log ${ORIGIN}/receipts signed the checkpoint`],
    ['in a checkpoint that the receipt key signed is worth nothing', async () => [preimageOf({}), {}, [], receipts, ORIGIN], 1, `No trusted key of the log ${ORIGIN} signed the checkpoint`],
    ['of an entry with another signature fails', async () => [preimageOf({ signature: 'Zm9yZ2Vk' })], 1, 'The entry id does not follow from access key, timestamp and signature'],
    ['of an entry that was received later than any request is accepted fails', async () => [entryPreimage(late)], 1, 'the service accepts a request only within 30 s'],
  ])('%s', async (_name, make, exitCode, says) => {
    expect(await verifyOne(...(await make()))).toMatchObject(shows(exitCode, says));
  });

  test('of another log of the policy does not fit to the receipt', async () => {
    const second = newSigner('second.example.com');
    const preimage = entryPreimage(mine.entry);
    const change = {
      'mine.tlog-proof': await proofOfOne(second, preimage),
      p: policyText({ keys: [vkey(log), vkey(receipts), vkey(second)] }),
    };
    expect(await verify(['mine.tlog-proof', '--policy', 'p'], change)).toMatchObject(
      shows(1, `WRONG       The receipt is of the log ${ORIGIN}, the proof of second.example.com`),
    );
  });

  // biome-ignore format: one case a line
  test.each<[string, (preimage: string) => string, string]>([
    ['spaces', (preimage) => preimage.replace('","', '", "'), 'The preimage is not written as the service writes it'],
    ['a value more', (preimage) => preimage.replace(']', ',1]'), 'A preimage has 11 values'],
    ['a number as text', (preimage) => preimage.replace(String(RECEIVED_AT), `"${RECEIVED_AT}"`), 'The receivedAt of the preimage is not a number'],
    ['text as a number', (preimage) => preimage.replace('"1001"', '1001'), 'The uid of the preimage is not a text'],
    ['no JSON', (preimage) => preimage.replace('[', ''), 'The second line of a preimage is a JSON array'],
    ['another version', (preimage) => preimage.replace('v1', 'v2'), 'The first line of a preimage of an entry is ai-log-entry/v1'],
  ])('of a leaf whose preimage has %s fails: the service writes no such entry', async (_name, edit, says) => {
    expect(await verifyOne(edit(entryPreimage(mine.entry)))).toMatchObject(shows(1, says));
  });
});

describe('the policy', () => {
  test('is tlog.policy in the working directory, or else that of the local run', async () => {
    const { 'tlog.policy': policy, ...rest } = files;
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.local'));
    writeFileSync(join(folder, '.local/tlog.policy'), policy);
    writeFileSync(join(folder, 'r'), rest['mine.receipt']);
    expect(await runCommand(['verify', 'r'], { cwd: folder })).toMatchObject(
      notes(0, join(folder, '.local/tlog.policy')),
    );
  });

  test('that is given needs no warning', async () => {
    const { stderr } = await verify(['mine.receipt', '--policy', 'tlog.policy']);
    expect(stderr).toMatch(/^Checked: 1, failed: 0\. Trusted: the keys in .*\n$/);
  });

  // biome-ignore format: one case a line
  test.each<[string, string | Buffer | undefined, string]>([
    ['missing', undefined, 'There is no trust policy.\nGet the policy from the organisers (ailog tlog export-policy)'],
    ['without a log', 'quorum none\n', 'names no log, so it trusts nothing.'],
    ['without a quorum', unwitnessed.replace('quorum none', ''), 'is not a trust policy: The policy has no quorum line; "quorum none" requires no witness.'],
    ['with a changed key', unwitnessed.replace('ailog+', 'ailog2+'), 'is not a trust policy: Line 1 of the policy: The verifier key of logs.example.com/ailog2 has the id'],
    ['with Windows line ends', unwitnessed.replaceAll('\n', '\r\n'), 'tlog.policy has Windows line ends (CRLF): a program changed the file.'],
    ['with a byte-order mark', `\ufeff${unwitnessed}`, 'tlog.policy begins with a byte-order mark'],
    ['not UTF-8', Buffer.from([0x23, 0xff, 0x0a]), 'tlog.policy is not UTF-8.'],
    ['huge', '# \n'.repeat(400_000), 'tlog.policy is larger than 1 MiB.'],
    ['a receipt', receipt, 'is not a trust policy: Line 1 of the policy: expected log, witness, group or quorum, not ai-log-receipt/v1.'],
  ])('%s: exit code 2, and how to get one', async (_name, policy, says) => {
    const { exitCode, stdout, stderr } = await verify(['mine.receipt'], { 'tlog.policy': policy });
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)]);
    expect(stderr).toContain('--policy FILE');
  });
});

// biome-ignore format: one case a line
test.each<[string, string[], Files, RegExp]>([
  ['no file', [], {}, /^Missing required argument 'file'/],
  ['a file that is not there', ['nowhere'], {}, /^There is no file \/.*nowhere\.\n/],
  ['a directory', ['.'], {}, /ailog-\w+ is a folder, not a file\.\nGive the files in it\.\n/],
  ['an empty file', ['f'], { f: '' }, /f is empty\.\nGive a receipt \(the header AI-LOG-RECEIPT, or its note\), a \.tlog-proof file, ailog-results\.jsonl or a statement\.\n/],
  ['something else', ['f'], { f: 'hello' }, /f is neither a receipt, nor a proof, nor a result file, nor a statement\.\nGive a receipt/],
  ['binary data', ['f'], { f: Buffer.alloc(5000, 0xff) }, /f is neither a receipt, nor a proof, nor a result file, nor a statement\./],
  ['a preimage', ['mine.preimage'], {}, /This is a preimage\. Give the \.tlog-proof file that it belongs to\./],
  ['a policy', ['tlog.policy'], {}, /This is a trust policy\. Give it with --policy/],
  ['a checkpoint', ['f'], { f: evidence.checkpoint }, /This is a checkpoint\. It says nothing about an entry/],
  ['a log', ['mine.json'], {}, /This is JSON\. Give the log with --body/],
  ['a header with its name', ['f'], { f: `AI-LOG-RECEIPT: ${header}` }, /Keep only the value of the header/],
  ['a whole response', ['f'], { f: `HTTP/1.1 200 OK\r\nai-log-receipt: ${header}\r\n\r\n{}` }, /Keep only the value of the header/],
  ['a receipt in UTF-16', ['f'], { f: Buffer.from(`\ufeff${header}`, 'utf16le') }, /It is UTF-16: save it as UTF-8\./],
  ['a cut proof', ['f'], { f: 'c2sp.org/tlog-pro' }, /neither a receipt, nor a proof/],
  ['a body for two files', ['mine.receipt', 'other.receipt', '--body', 'mine.json'], {}, /^--body and --preimage need one file\./],
  ['a preimage for a receipt', ['mine.receipt', '--preimage', 'mine.preimage'], {}, /^--preimage does not apply to a receipt, such as mine\.receipt\.\n/],
  ['a log for a proof', ['mine.tlog-proof', '--log', 'https://x'], {}, /^--log does not apply to a proof, such as mine\.tlog-proof\.\n/],
  ['a body for a result file: it would accuse every other log', ['f', '--body', 'mine.json'], { f: '{"file":"mine.json","url":"https://x"}' }, /^--body does not apply to a result file, such as f\./],
  ['a body for a statement', ['f', '--body', 'mine.json'], { f: '{"format":"ai-log-statement/v1"' }, /^--body does not apply to a statement, such as f\./],
  ['an order without a body', ['mine.receipt', '--order', '7'], {}, /^--order needs --body\./],
  ['a body that is not there', ['mine.receipt', '--body', 'nowhere'], {}, /^There is no file \/.*nowhere/],
  ['a body larger than any', ['mine.receipt', '--body', 'f'], { f: Buffer.alloc(1024 * 1024 + 1) }, /larger than 1 MiB, so it is not a body/],
  ['another order in the body', ['mine.receipt', '--body', 'f', '--order', '7'], { f: '{"orderId":8}' }, /^The log names another order, 8\./],
])('a usage error: exit code 2, what is wrong and what would be right: %s', async (_name, args, change, says) => {
  const { exitCode, stdout, stderr } = await verify(args, change);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(says)]);
});
