import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCsvLines } from '../../../../cli/shell/files/csv.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const path = join(temporaryFolder(), 'teams.csv');
const names = { uid: ['uid'], team: ['team', 'name'], keyName: ['keyname'], other: ['other'] };
const columns = { names, columns: ['uid', 'team', 'keyName'], required: ['uid'] } as const;
const notes: string[] = [];
const read = (text: string | Buffer) => {
  writeFileSync(path, text);
  const { lines, problems } = readCsvLines({ note: (text) => notes.push(text) }, path, columns);
  return [...lines.map(({ line, cells }) => ({ line, ...cells })), ...problems];
};
const one = { line: 2, uid: '1', team: 'A' };

// biome-ignore format: one case a line
test.each<[string, string | Buffer, unknown[]]>([
  ['commas', 'uid,team\n1,A\n', [one]],
  ['semicolons', 'uid;team\r\n1;"A;B, Ltd"\r\n', [{ ...one, team: 'A;B, Ltd' }]],
  ['tabs', 'uid\tteam\n1\tA\n', [one]],
  ['no separator: a single column', 'uid\n1\n', [{ line: 2, uid: '1' }]],
  ['the most frequent separator, outside of quotes', '"UID";team;"keyName"\n1;A;",,,"\n', [{ ...one, keyName: ',,,' }]],
  ['separators in quotes do not count', '" uid ","team"\n1,A\n', [one]],
  ['a first line that names the separator', 'sep=;\nuid;team\n1;A\n', [{ ...one, line: 3 }]],
  ['a first line that names the separator, from Windows', 'SEP=,\r\nuid,team\r\n1,A\r\n', [{ ...one, line: 3 }]],
  ['a byte-order mark', '\ufeffuid,team\n1,A\n', [one]],
  ['the best of several names', 'Name,uid,Team\nB,1,A\n', [one]],
  ['a name with a remark, and another list', 'uid,Name (EN),other\n1,A,x\n', [one]],
  ['blank lines with any number of cells', 'uid,team\n1,A\n,\n \n " ","",,\n2,\n', [one, { line: 6, uid: '2', team: '' }]],
  ['empty lines', '\n\nuid,team\n\n1,A\n\n', [{ ...one, line: 5 }]],
  ['column names in any case and order, with spaces', ' KEYNAME , Team,UID\nk,A, 1 \n', [{ ...one, keyName: 'k' }]],
  ['cells of several lines', 'uid,team\n1,"A\nB"\n2,C\n', [{ line: 3, uid: '1', team: 'A\nB' }, { line: 4, uid: '2', team: 'C' }]],
  ['lines with too few and too many cells', 'uid,team\n5\n1,A\n1,2,3\n', [{ ...one, line: 3 }, [2, 'cells: 1, but columns in the first line: 2'], [4, 'cells: 3, but columns in the first line: 2']]],
  ['only malformed lines', 'sep=,\nuid,team\n5\n', [[3, 'cells: 1, but columns in the first line: 2']]],
])('%s', (_name, text, lines) => {
  expect(read(text)).toEqual(lines);
});

const HEADS = '\nIts first line must name its columns: uid,team,keyName (required: uid).';
const UTF_8 = '\nSave it again as UTF-8. Excel calls it "CSV UTF-8"; in PowerShell, it is -Encoding utf8.';

// biome-ignore format: one case a line
test.each<[string, string | Buffer, string]>([
  ['a missing column', 'team\nA\n', `has no column uid.${HEADS}`],
  ['a repeated column', 'uid,UID\n1,2\n', `has two columns for the uid: "uid" and "UID".${HEADS}`],
  ['several mistakes in the first line', 'team,team,"b\u001b"\n1,2,3\n', `has no column uid and has two columns for the team: "team" and "team".${HEADS}`],
  ['an empty file', ' \n', 'is empty.'],
  ['column names only', 'uid,team\n\n', 'has no lines below its column names.'],
  ['a quote that is not closed', 'uid\n"1\n', 'is not CSV, line 2: Quote Not Closed: the parsing is finished with an opening quote.'],
  ['text after a quote, and the first of two mistakes', 'sep=,\nuid,team\n1,"A"B\n1,"A"C\n', 'is not CSV, line 3: Invalid Closing Quote: got "B".'],
  ['Latin-1', Buffer.from('uid,team\n1,Ok\n2,Caf\xe9\n', 'latin1'), `is not UTF-8: line 3 looks like Latin-1 (Windows-1252).${UTF_8}`],
  ['UTF-16, little-endian', Buffer.from('\ufeffuid\n1\n', 'utf16le'), `is not UTF-8: line 1 looks like UTF-16.${UTF_8}`],
  ['UTF-16, big-endian', Buffer.from('\ufeffuid\n决\n', 'utf16le').swap16(), `is not UTF-8: line 1 looks like UTF-16.${UTF_8}`],
  ['UTF-16 without a mark', Buffer.from('uid\n1\n', 'utf16le'), `is not UTF-8: line 1 looks like UTF-16.${UTF_8}`],
])('%s is an error', (_name, text, says) => {
  const [sentence, advice] = `${path} ${says}`.split('\n');
  const thrown = (() => {
    try {
      return read(text);
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toMatchObject({ outcome: 'usage', message: sentence, advice });
});

test('a picture or an archive is not text', () => {
  writeFileSync(
    path,
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(99), Buffer.from('IHDR\xff', 'latin1')]),
  );
  expect(() => readCsvLines({ note() {} }, path, columns)).toThrow(
    expect.objectContaining({ outcome: 'usage', message: `${path} is not text.` }),
  );
});

test('columns that are not read are ignored, with a note', () => {
  notes.length = 0;
  expect(read('uid,Country,team,,e-mail,other\n1,SG,A,,x@y,o\n')).toMatchObject([one]);
  expect(notes).toEqual(['Ignored columns: Country, e-mail.']);
});

test('a file that is too large to be parsed at once is refused', () => {
  writeFileSync(path, 'uid\n');
  truncateSync(path, 2 * 1024 * 1024 + 1);
  expect(() => readCsvLines({ note() {} }, path, columns)).toThrow(
    expect.objectContaining({ outcome: 'usage', message: `${path} is larger than 2 MiB.` }),
  );
});

test('a file of malformed lines is refused before all of them are described', () => {
  writeFileSync(path, `uid,team\n${'1\n'.repeat(1000)}2,B\n`);
  expect(readCsvLines({ note() {} }, path, columns).problems.size).toBe(1000);
  writeFileSync(path, `uid,team\n${'1\n'.repeat(1001)}`);
  expect(() => readCsvLines({ note() {} }, path, columns)).toThrow(
    `${path} has more than 1000 lines with too few or too many cells.`,
  );
});

test('a directory is named', () => {
  expect(() => readCsvLines({ note() {} }, join(path, '..'), columns)).toThrow(
    expect.objectContaining({ outcome: 'usage', message: `${join(path, '..')} is a folder, not a file.` }),
  );
});

test('if all columns are required, the advice does not name them twice', () => {
  writeFileSync(path, 'team\nA\n');
  expect(() => readCsvLines({ note() {} }, path, { names, columns: ['uid'], required: ['uid'] })).toThrow(
    expect.objectContaining({ advice: 'Its first line must name its columns: uid.' }),
  );
});

test('an error of the reader is a failure with its cause', () => {
  writeFileSync(path, 'uid,Country\n1,A\n');
  const cause = new Error('no such name');
  const note = () => {
    throw cause;
  };
  expect(() => readCsvLines({ note }, path, { ...columns, columns: ['uid'] })).toThrow(
    expect.objectContaining({ outcome: 'usage', message: `${path} is not CSV: no such name.`, cause }),
  );
});
