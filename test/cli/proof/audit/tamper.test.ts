import { describe, expect, test } from 'vitest';
import { entryPreimage } from '../../../../functions/tlog/entryHash.ts';
import { type Files, makeEvidence, ORIGIN, RECEIVED_AT, verifyIn } from '../../commands/tlog/evidenceFixture.ts';

const evidence = await makeEvidence();
const { files, mine } = evidence;
const PROOF = files['mine.tlog-proof'];
const RECEIPT = files['mine.receipt'];

/** Expects that a change of the files is noticed, and named by what is wrong. */
async function expectNoticed(change: Files, args: readonly string[], says: RegExp): Promise<void> {
  const { exitCode, stdout, stderr } = await verifyIn({ ...files, ...change }, args);
  const seen = exitCode === 1 ? stdout : exitCode === 2 ? stderr : `exit code ${exitCode}\n${stdout}`;
  expect(seen).toMatch(says);
  if (exitCode === 1) expect(stdout).toMatch(/^FAILED {2}/);
}

/** Replaces a character by another of its kind, so that a line keeps its form. */
const otherCharacter = (character: string): string =>
  /\d/.test(character) ? String((Number(character) + 1) % 10) : character === 'a' ? 'b' : 'a';

/**
 * Changes of one line: its first, middle and last character, no line, two of it, one more space, one character less.
 */
function changesOf(text: string, index: number): (readonly [name: string, changed: string])[] {
  const lines = text.split('\n');
  const line = lines[index] as string;
  const withLine = (...changed: string[]) => lines.toSpliced(index, 1, ...changed).join('\n');
  const flip = (at: number) => withLine(line.slice(0, at) + otherCharacter(line[at] as string) + line.slice(at + 1));
  const ofText =
    line === ''
      ? []
      : ([
          ['its first character', flip(0)],
          ['its middle', flip(Math.floor(line.length / 2))],
          // The last character of base64 may be padding.
          ['its end', flip(line.replace(/=+$/, '').length - 1)],
          ['a space at its end', withLine(`${line} `)],
          ['a character less', withLine(line.slice(0, -1))],
        ] as const);
  return [...ofText, ['no such line', withLine()], ['the line twice', withLine(line, line)]];
}

describe('a receipt: each change of', () => {
  const lines = RECEIPT.split('\n').slice(0, -1);
  const names = ['format', 'log', 'UID', 'entry id', 'time', 'digest', 'leaf', 'deadline', 'empty line', 'signature'];
  /** The signature notices each change of the text, before the text is read. */
  const says: Readonly<Record<string, RegExp>> = {
    format: /signature of \S+ is wrong|neither a receipt, nor a proof/,
    'empty line': /WRONG .*(A note has an empty line|signature line|The signature of \S+ is wrong)/,
    signature: /WRONG .*(No key \S+ of the policy signed|[Ss]ignature|an empty line)/,
  };

  test.each(names.map((name, index) => [name, index] as const))(
    'the line of its %s is noticed',
    async (name, index) => {
      expect(lines).toHaveLength(names.length);
      for (const [how, changed] of changesOf(RECEIPT, index)) {
        // Two equal signatures of one key are one.
        if (name === 'signature' && how === 'the line twice') continue;
        const expected = says[name] ?? new RegExp(`WRONG +The signature of ${ORIGIN}/receipts is wrong`);
        await expectNoticed({ r: changed }, ['r'], expected);
        if (how === 'its middle') await expectNoticed({ 'mine.receipt': changed }, ['mine.tlog-proof'], /WRONG/);
      }
    },
  );

  test('two lines is noticed', async () => {
    for (const index of lines.keys()) {
      const swapped = lines.toSpliced(index, 2, lines[index + 1] ?? 'x', lines[index] as string);
      await expectNoticed({ r: `${swapped.join('\n')}\n` }, ['r'], /FAILED|neither a receipt/);
    }
  });

  test('a character of the header is noticed', async () => {
    const header = Buffer.from(RECEIPT).toString('base64');
    for (let at = 0; at < header.length - 2; at += 31) {
      const changed = header.slice(0, at) + otherCharacter(header[at] as string) + header.slice(at + 1);
      await expectNoticed({ r: changed }, ['r'], /FAILED|neither a receipt/);
    }
    await expectNoticed({ r: header.slice(0, 200) }, ['r'], /WRONG/);
    await expectNoticed({ r: header.replace(/=*$/, '') + ' ='.repeat(2) }, ['r'], /not standard base64/);
  });
});

describe('a proof file: each change of', () => {
  const lines = PROOF.split('\n').slice(0, -1);
  const empty = lines.indexOf('');
  const hashes = lines.slice(3, empty);
  const notShown = /WRONG +The proof does not show that the entry is number|WRONG .*(base64|bytes instead of 32)/;
  const wrongText = new RegExp(
    `WRONG +(The signature of ${ORIGIN} is wrong|.*A checkpoint is|.*tree size|.*root hash)`,
  );
  // biome-ignore format: one line of the file a line
  const expected: readonly (readonly [name: string, says: RegExp])[] = [
    ['format', /neither a receipt, nor a proof|WRONG +(The first line of a proof file|A proof file has a line "index")/],
    // Nothing signs the extra data: it is said, and nothing is concluded from it.
    ['extra data', /not proven +the extra data|WRONG .*(extra data is not standard base64|a line "index")|exit code 0\n(?!.*extra)/s],
    ['index', /WRONG +(The proof does not show that the entry is number|A proof file has a line "index"|The index of the entry|Hash 1)/],
    ...hashes.map((_, index) => [`hash ${index + 1}`, notShown] as const),
    ['empty line', /WRONG/],
    ['origin', /WRONG +(The signature of \S+ is wrong|No trusted key|A checkpoint is|.*tree size)/],
    ['size', wrongText],
    ['root', wrongText],
    ['extension', wrongText],
    ['empty line of the checkpoint', /WRONG/],
    ['signature of the log', /WRONG .*([Ss]ignature|No trusted key of the log|an empty line)/],
    ['signature of W1', /WRONG .*([Ss]ignature|quorum both of the policy is missed: 1 of 2)/],
    ['signature of W2', /WRONG .*([Ss]ignature|quorum both of the policy is missed: 1 of 2)/],
  ];

  test('the lines are these, and a line of somebody unknown', () => {
    expect(hashes.length).toBeGreaterThan(7);
    expect(lines).toHaveLength(expected.length + 1);
    expect(lines.at(-1)).toMatch(/^— stranger\.example /);
  });

  test.each(expected.map(([name, says], index) => [name, says, index] as const))(
    'its line %s is noticed',
    async (name, says, index) => {
      for (const [how, changed] of changesOf(PROOF, index)) {
        if (name.startsWith('signature') && how === 'the line twice') continue;
        await expectNoticed({ 'mine.tlog-proof': changed }, ['mine.tlog-proof'], says);
      }
    },
  );

  test('a signature of somebody unknown is ignored, as C2SP requires, unless it is none', async () => {
    const index = lines.length - 1;
    const changes = changesOf(PROOF, index).filter(([how]) => how !== 'its end');
    const outcomes = await Promise.all(
      changes.map(async ([how, changed]) => {
        const { exitCode } = await verifyIn({ ...files, 'mine.tlog-proof': changed }, ['mine.tlog-proof']);
        return [how, exitCode];
      }),
    );
    expect(Object.fromEntries(outcomes)).toEqual({
      'its first character': 1,
      'its middle': 0,
      'a space at its end': 1,
      'a character less': 1,
      'no such line': 0,
      'the line twice': 0,
    });
  });

  test('the order of its hashes is noticed', async () => {
    for (let index = 3; index < empty - 1; index += 1) {
      const swapped = lines.toSpliced(index, 2, lines[index + 1] as string, lines[index] as string);
      await expectNoticed({ 'mine.tlog-proof': `${swapped.join('\n')}\n` }, ['mine.tlog-proof'], notShown);
    }
  });

  test('its length is noticed, wherever it is cut', async () => {
    for (let length = 0; length < PROOF.indexOf('— stranger'); length += 97) {
      const cut = { 'mine.tlog-proof': PROOF.slice(0, length) };
      await expectNoticed(cut, ['mine.tlog-proof'], /FAILED|neither a receipt|is empty/);
    }
  });
});

describe('a preimage: each change of an attribute is noticed', () => {
  const changes = {
    uid: '1002',
    entryId: `${RECEIVED_AT - 44}-${'0'.repeat(32)}`,
    receivedAt: RECEIVED_AT - 1,
    accessKey: 'ailog_1002',
    timestamp: String(RECEIVED_AT - 44),
    signature: 'b3RoZXI=',
    query: '',
    locale: 'zh-CN',
    sourceIp: '198.51.100.7',
    bodySha256: 'ab'.repeat(32),
    bodyBytes: 1,
  };
  const inReceipt = ['uid', 'entryId', 'receivedAt', 'bodySha256'];

  test.each(Object.entries(changes))('%s', async (name, value) => {
    expect(Object.keys(changes)).toEqual(Object.keys(mine.entry));
    const change = { 'mine.preimage': entryPreimage({ ...mine.entry, [name]: value }) };
    const differs = inReceipt.includes(name)
      ? `The receipt and the preimage differ in ${name}\n`
      : 'The preimage is not the entry of the receipt';
    const both = ['The proof shows the entry of the receipt, which is not that of the preimage', differs];
    const says = new RegExp(both.map((sentence) => `WRONG +${sentence}[^]*`).join(''));
    await expectNoticed(change, ['mine.tlog-proof'], says);
    const alone = { ...change, 'mine.receipt': undefined };
    await expectNoticed(alone, ['mine.tlog-proof'], /WRONG +The proof does not show/);
  });
});

// biome-ignore format: one case a line
test.each<[string, Files, RegExp]>([
  ['the receipt of another entry', { 'mine.receipt': files['other.receipt'] }, /WRONG +The receipt and the preimage differ in uid, entryId, bodySha256\n/],
  ['the preimage of another entry', { 'mine.preimage': files['other.preimage'] }, /WRONG +The proof shows the entry of the receipt, which is not that of the preimage\n.*differ in uid, entryId/s],
  ['the proof of another entry', { 'mine.tlog-proof': files['other.tlog-proof'] }, /WRONG +The proof does not show that the entry is number 299 of the 300/],
  ['receipt and preimage of another entry', { 'mine.receipt': files['other.receipt'], 'mine.preimage': files['other.preimage'] }, /WRONG +The proof does not show/],
  ['the proof of another entry under the index of this one', { 'mine.tlog-proof': files['other.tlog-proof'].replace('index 299', 'index 150') }, /WRONG +The proof does not show/],
])('%s is noticed', async (_name, change, says) => {
  await expectNoticed(change, ['mine.tlog-proof'], says);
});

describe('a program that saved a file in another form is named as the cause', () => {
  // biome-ignore format: one case a line
  const forms: readonly (readonly [string, (text: string) => string | Buffer, RegExp])[] = [
    ['Windows line ends', (text) => text.replaceAll('\n', '\r\n'), /mine\.\S+ has Windows line ends \(CRLF\): a program changed the file/],
    ['a byte-order mark', (text) => `\ufeff${text}`, /mine\.\S+ begins with a byte-order mark: a program changed the file/],
    ['Latin-1', (text) => Buffer.from(`${text}\u00e9`, 'latin1'), /mine\.\S+ is not UTF-8/],
    ['2 MB', (text) => text + '\n'.repeat(2_000_000), /mine\.\S+ is larger than 1 MiB/],
  ];
  test.each(forms)('%s', async (_name, change, says) => {
    for (const name of ['mine.tlog-proof', 'mine.preimage', 'mine.receipt'] as const) {
      await expectNoticed({ [name]: change(files[name]) }, ['mine.tlog-proof'], says);
    }
    await expectNoticed({ 'mine.receipt': change(RECEIPT) }, ['mine.receipt'], says);
  });
});
