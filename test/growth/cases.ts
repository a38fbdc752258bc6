import { closeSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { sectionsOf } from '../../cli/console/server/copies.ts';
import { listen } from '../../cli/local/serve.ts';
import { openEngine } from '../../cli/store/duckdb/duckdb.ts';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { verifierKey } from '../../functions/c2sp/verifierKey.ts';
import { received } from '../ailog/received.ts';
import { newWitness } from '../c2sp/keys.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';

/** A function of this project, whatever it takes. */
// biome-ignore lint/suspicious/noExplicitAny: each of them has a type of its own.
type Tested = (...given: any[]) => any;

/** Gives a text to a function. */
type Give = (tested: Tested, text: string) => unknown;

const bytes = (text: string) => Buffer.from(text);
const hash = Buffer.alloc(32, 7);

/** The functions that take a text, and nothing else. */
const OF_TEXT = {
  'functions/ailog/blank.ts': 'isBlank',
  'functions/ailog/entry.ts': 'copyOf',
  'functions/ailog/findSyntaxError.ts': 'findSyntaxError',
  'functions/ailog/jsonText.ts': 'requireJsonObject jsonType',
  'functions/ailog/locale.ts': 'isLocale',
  'functions/ailog/orderId.ts': 'isOrderId',
  'functions/ailog/plainNames.ts': 'withPlainNames originalName parseJson parseExactly parseWithNames',
  'functions/auth/apiKeys.ts': 'isPossibleKey',
  'functions/auth/explainRejection.ts': 'keyRejection',
  'functions/c2sp/checkpoint.ts': 'parseCheckpoint',
  'functions/c2sp/note.ts': 'parseSignatures parseNote',
  'functions/c2sp/policy.ts': 'parsePolicy',
  'functions/c2sp/treeSize.ts': 'parseSize',
  'functions/c2sp/verifierKey.ts': 'requireKeyName parseVerifierKey',
  'functions/features/foldText.ts': 'foldText',
  'functions/features/lookAlikes.ts': 'foldLookAlikes',
  'functions/features/searchText.ts': 'unescapeStrings',
  'functions/features/decision.ts': 'decisionOf',
  'functions/features/words.ts': 'comparablePieces',
  'functions/quote.ts': 'shorten quote',
  'functions/receipts/receiptFormat.ts': 'parseReceipt',
  'functions/tlog/entryHash.ts': 'keyPreimage entryHashOf',
  'functions/tlog/hints.ts': 'parseHints',
  'functions/upload/middleware/parseJson.ts': 'parseJsonText',
  'functions/weights/ipSubject.ts': 'ipSubject',
  'cli/proof/audit/listFiles.ts': 'parsePath',
  'cli/proof/evidence/proofFile.ts': 'parseProofFile parsePreimage parseKeyPreimage',
  'cli/proof/evidence/receiptEvidence.ts': 'decodeReceiptHeader',
  'cli/proof/evidence/statement.ts': 'otherFormatOf isEnd parseHeader parseEntry parseEnd',
  'cli/review/verdicts/record.ts': 'isVerdict',
  'cli/shell/files/csv.ts': 'findSeparator',
  'cli/shell/terminal/arguments.ts': 'uid uids orderId entryId count texts date span offset',
  'cli/shell/text/json.ts': 'formatJson isJson',
  'cli/shell/text/spreadsheet.ts': 'keepDigits toSpreadsheet fromSpreadsheet',
  'cli/shell/text/uid.ts': 'isUid',
  'cli/shell/text/visible.ts': 'escapeHidden visible',
  'cli/store/duckdb/duckdb.ts': 'quoted',
  'cli/store/tables/statusLetter.ts': 'digestsIn',
} as const;

const row = (text: string) => ({ uid: text, entryId: text, timestamp: text, signature: text, accessKey: text });
const stored = (text: string): Entry =>
  ({ ...composeEntry({ stage: text, model: text }, { ...received, rawBody: bytes(text) }), ...row(text) }) as Entry;
const headers = (text: string) =>
  Object.fromEntries(
    ['access-key', 'access-sign', 'access-timestamp', 'access-passphrase', 'content-type'].map((name) => [name, text]),
  );
const before = (tested: Tested, options: unknown, event: object) => tested(options).before({ event });
const findings = { facts: {}, proven: [], notProven: [], wrong: [], attempt: (check: () => unknown) => check() };
const trusted = { logs: [], receipts: [], witnesses: new Map(), groups: new Map(), quorum: 'none' };
const note = (text: string) => ({ text, signatures: [{ name: text, id: 1, signature: hash }] });

/** The others, with what else they take. */
const OF_MORE: Readonly<Record<string, Give>> = {
  'functions/ailog/bodyOf.ts bodyOf': (tested, text) => tested({ body: zstdCompressSync(bytes(text)) }),
  'functions/ailog/entry.ts entryIdOf': (tested, text) => tested(row(text)),
  'functions/ailog/entry.ts attributesOf': (tested, text) =>
    tested({ stage: text, model: text, orderId: text }, { ...received, ...row(text), rawBody: bytes(text) }),
  'functions/ailog/entry.ts composeEntry': (tested, text) =>
    tested({ stage: text, model: text }, { ...received, rawBody: bytes(text) }),
  'functions/ailog/entry.ts itemBytes': (tested, text) => tested(stored(text)),
  'functions/ailog/entry.ts requireItemSize': (tested, text) => tested(stored(text)),
  'functions/ailog/jsonScanner.ts findTopLevelValue': (tested, text) => tested(text, 'orderId'),
  'functions/ailog/jsonText.ts decodeJsonText': (tested, text) => tested(bytes(text)),
  'functions/ailog/limits.ts requireBodySize': (tested, text) => tested(bytes(text)),
  'functions/ailog/orderWarning.ts orderWarning': (tested, text) => tested({ [text]: 7, order: text }),
  'functions/ailog/violation.ts describeViolation': (tested, text) =>
    tested({ keyword: 'maxLength', params: { limit: 1 } }, text),
  'functions/auth/explainRejection.ts findDecodedSecret': (tested, text) =>
    tested(['ab'], { timestamp: text, query: text, body: bytes(text) }, text),
  'functions/auth/explainRejection.ts signatureRejection': (tested, text) => tested(text, { hasQuery: false }),
  'functions/auth/signature.ts sign': (tested, text) =>
    tested('secret', { timestamp: text, query: text, body: bytes(text) }),
  'functions/auth/signature.ts sameText': (tested, text) => tested(text, `${text}.`),
  'functions/auth/signature.ts querySpellings': (tested, text) => tested({ [text]: [text] }),
  'functions/auth/timestamp.ts requireRecent': (tested, text) => tested(text, 0),
  'functions/auth/verifyCaller.ts verifyCaller': (tested, text) =>
    tested({
      access: { accessKey: text, signature: text, timestamp: text, passphrase: text },
      apiKey: { uid: '1', accessKey: text },
      credentials: [{ secret: 'ab', passphrase: 'c' }],
      queries: [text],
      rawBody: bytes(text),
    }),
  'functions/c2sp/base64.ts decodeBase64': (tested, text) => tested(text, 'It'),
  'functions/c2sp/base64.ts decodeHash': (tested, text) => tested(text, 'It'),
  'functions/c2sp/checkpoint.ts formatCheckpoint': (tested, text) => tested({ origin: text, size: 1, root: hash }),
  'functions/c2sp/cosignature.ts readCosignature': (tested, text) => tested(bytes(text)),
  'functions/c2sp/cosignature.ts cosignedMessage': (tested, text) => tested(text, 1),
  'functions/c2sp/cosignature.ts cosignedSubtree': (tested, text) => tested('name', `${text}\n`, 1),
  'functions/c2sp/cosignature.ts verifyCosignature': (tested, text) =>
    tested(newWitness('a').key, text, Buffer.alloc(72, 1)),
  'functions/c2sp/note.ts formatSignature': (tested, text) => tested({ name: text, id: 1, signature: bytes(text) }),
  'functions/c2sp/note.ts formatNote': (tested, text) => tested(note(`${text}\n`)),
  'functions/c2sp/note.ts verifyNote': (tested, text) => tested(note(text), [verifierKey('a', hash)]),
  'functions/c2sp/tiles.ts readBundle': (tested, text) => tested(bytes(text), 256),
  'functions/c2sp/verifierKey.ts verifierKey': (tested, text) => tested(text, hash),
  'functions/c2sp/verifierKey.ts formatVerifierKey': (tested, text) =>
    tested({ name: text, id: 1, type: 'note', publicKey: hash }),
  'functions/features/minHash.ts shingleHashes': (tested, text) => tested(text.split(' ')),
  'functions/features/minHash.ts signPieces': (tested, text) => tested(text.slice(0, 10_000).split('')),
  'functions/features/searchText.ts searchText': (tested, text) =>
    tested({ stage: text, model: text, explanation: text, body: text }),
  'functions/features/words.ts countHiddenInWords': (tested, text) => tested(text, 1e9),
  'functions/quote.ts firstCodePoints': (tested, text) => tested(text, text.length),
  'functions/errors.ts apiError': (tested, text) => tested('jsonInvalid', { reason: text }),
  'functions/upload/response.ts failureResponse': (tested, text) =>
    tested({ status: 400, code: '1', message: text }, 0, {}),
  'functions/logLine.ts describeError': (tested, text) => tested(new Error(text)),
  'functions/receipts/receiptFormat.ts formatReceipt': (tested, text) => tested({ ...row(text), origin: text }),
  'functions/receipts/receiptFormat.ts receiptOf': (tested, text) => tested(text, stored(text)),
  'functions/receipts/acceptedEntry.ts acceptedEntry': (tested, text) => tested(stored(text), stored(text)),
  'functions/sequencer/witnesses.ts requestCosignatures': async (tested, text) => {
    const server = createServer((_request, response) => response.writeHead(text.length % 2 ? 409 : 200).end(text));
    const url = await listen(server, 0);
    const signed = `${formatCheckpoint({ origin: 'a', size: 1, root: hash })}\n— a AAAAAQE=\n`;
    const witnesses = new Map([['a', { key: newWitness('a').key, url }]]);
    const submission = { checkpoint: { size: 1 }, signed, kept: [], fromSize: 0, witnessTimeoutMs: 60_000 };
    try {
      await tested(
        { ...trusted, witnesses },
        { ...submission, consistencyProof: async () => [] },
        new AbortController().signal,
      );
    } finally {
      server.close().closeAllConnections();
    }
  },
  'functions/tlog/entryHash.ts entryPreimage': (tested, text) => tested(stored(text)),
  'functions/tlog/entryHash.ts pickHashedAttributes': (tested, text) => tested(stored(text)),
  'functions/tlog/arrival.ts arrivalKeys': (tested, text) => tested(stored(text)),
  'functions/tlog/arrival.ts parseArrival': (tested, text) => tested(bytes(text)),
  'functions/tlog/openCheckpoint.ts openCheckpoint': (tested, text) => tested(text, trusted),
  'functions/upload/middleware/requireHeaders.ts requireHeaders': (tested, text) => {
    before(tested, { requireLocale: true }, { headers: headers(text) });
  },
  'functions/upload/middleware/readBody.ts readBody': (tested, text) => before(tested, undefined, { body: text }),
  'functions/upload/middleware/checkTimestamp.ts checkTimestamp': (tested, text) =>
    before(tested, undefined, { access: { timestamp: text }, receivedAt: 0 }),
  'cli/proof/audit/checkRow.ts checkRow': (tested, text) => tested(stored(text), true, () => {}),
  'cli/proof/evidence/countEntries.ts entryCounter': (tested, text) => {
    const counter = tested();
    counter.add({ timestamp: text, orderId: text, model: text });
    counter.counted();
  },
  'cli/proof/evidence/countEntries.ts rowsOfCount': (tested, text) =>
    tested({ models: [{ model: text, entries: 1 }], first: text, last: text }),
  'cli/proof/evidence/evidence.ts checkTime': (tested, text) => tested(findings, text, 0),
  'cli/proof/evidence/evidence.ts checkBody': (tested, text) =>
    tested({ ...findings, wrong: [] }, { name: text, bytes: bytes(text) }, { bodySha256: text }),
  'cli/proof/evidence/formatOf.ts formatOf': (tested, text) => tested({ path: 'a', bytes: bytes(text) }),
  'cli/proof/evidence/proofFile.ts formatProofFile': (tested, text) =>
    tested({ index: 0, proof: [], checkpoint: text, extra: bytes(text) }),
  'cli/proof/evidence/proofFile.ts verifyProofFile': (tested, text) =>
    tested({ index: 0, proof: [], checkpoint: text }, hash, trusted),
  'cli/proof/evidence/readPolicy.ts policyOf': (tested, text) =>
    tested({ name: 'a', bytes: bytes(text), isWhole: true }),
  'cli/proof/evidence/receiptEvidence.ts receiptNoteOf': (tested, text) =>
    tested({ name: 'a', bytes: bytes(text), isWhole: true }),
  'cli/proof/evidence/receiptEvidence.ts verifyReceipt': (tested, text) => tested(text, trusted),
  'cli/proof/evidence/resultFile.ts requireLine': (tested, text) => tested({ file: text, state: text }, 1, 'a'),
  'cli/proof/evidence/resultFile.ts setOrderId': (tested, text) => tested(bytes(text), 7n),
  'cli/proof/evidence/smallFile.ts textOf': (tested, text) => tested({ name: 'a', bytes: bytes(text), isWhole: true }),
  'cli/proof/evidence/statement.ts canBeStated': (tested, text) =>
    tested({ ...row(text), receivedAt: text, body: text }),
  'cli/proof/inclusion/place.ts entryHashOfRow': (tested, text) => tested(stored(text)),
  'cli/proof/inclusion/place.ts rowKeysOf': (tested, text) => tested(stored(text)),
  'cli/review/orders/orderColumns.ts missingColumns': (tested, text) => tested([text, ...text.split(',')], false),
  'cli/review/orders/orderColumns.ts findOrderColumns': (tested, text) =>
    tested('a', ['uid', 'id', 'time', text, ...text.split(',')], false),
  'cli/review/rows/collectRows.ts rowOrProblem': (tested, text) => tested(stored(text)),
  'cli/review/verdicts/record.ts withId': (tested, text) => tested({ author: text, text }, 0),
  'cli/review/verdicts/record.ts isIntact': (tested, text) => tested({ id: text, author: text, text }),
  'cli/review/verdicts/record.ts timeOf': (tested, text) => tested({ id: text }),
  'cli/review/verdicts/standing.ts personOf': (tested, text) => tested({ id: text, arn: text }),
  'cli/review/figures/reasons.ts parseReasons': (tested, text) => tested(text),
  'cli/shell/files/csv.ts csvLine': (tested, text) => tested([{ freeText: text }, text]),
  'cli/shell/files/openRegularFile.ts linesIn': (tested, text) => Array.fromAsync(tested('a', [bytes(text)])),
  'cli/shell/terminal/failure.ts Failure': (tested, text) =>
    Reflect.construct(tested, ['usage', text, { advice: text }]),
  'cli/shell/terminal/failure.ts failureOf': (tested, text) => tested(new Error(text)),
  'cli/shell/terminal/failure.ts outputFailure': (tested, text) => tested(new Error(text)),
  'cli/shell/terminal/format.ts cutText': (tested, text) => tested(text, 80),
  'cli/shell/terminal/format.ts formatTable': (tested, text) => {
    tested([{ a: text, b: text }], { width: 80 });
    tested([{ a: text, b: text }], { width: 80, wraps: true });
  },
  'cli/shell/terminal/format.ts formatFacts': (tested, text) => tested({ a: text }, { full: true }),
  'cli/shell/terminal/format.ts factColumn': (tested, text) => tested({ [text]: text }),
  'cli/shell/terminal/terminal.ts createTerminal': (tested, text) => {
    const stream = { isTTY: true, columns: 80, write: () => true };
    tested({ stdin: {}, stdout: stream, stderr: stream, env: {} }).note(text);
  },
  'cli/shell/terminal/wrapLine.ts wrapLine': (tested, text) => tested(text, 80),
  'cli/shell/text/find.ts findFolded': (tested, text) => tested('a', text, 1),
  'cli/shell/text/find.ts contains': (tested, text) => tested(text, 'never'),
  'cli/shell/text/find.ts findTerms': (tested, text) => tested(['a', 'never', text.slice(0, 100)], text),
  'cli/shell/text/json.ts sortMembers': (tested, text) => tested('', { [text]: text }),
  'cli/shell/text/prettyJson.ts prettyJson': (tested, text) => [...tested(text)],
  'cli/shell/text/time.ts parseOrderTime': (tested, text) => tested(text, 'Z'),
  'cli/store/entries/describeEntry.ts readBody': (tested, text) => tested({ body: zstdCompressSync(bytes(text)) }),
  'cli/store/entries/describeEntry.ts readBodyText': (tested, text) => tested({ body: zstdCompressSync(bytes(text)) }),
  'cli/store/entries/describeEntry.ts explanationOf': (tested, text) => tested(stored(text)),
  'cli/store/entries/describeEntry.ts describeEntry': (tested, text) => tested(stored(text)),
  'cli/store/entries/entryFilter.ts keyText': (tested, text) => tested(row(text)),
  'cli/store/entries/entryFilter.ts keyMatches': (tested, text) => tested(row(text), { uids: [text], since: 0 }),
  'cli/store/entries/entryFilter.ts fieldsMatch': (tested, text) => tested(stored(text), { stage: text, model: text }),
  'cli/store/entries/findText.ts findText': (tested, text) => tested('never', stored(text), text),
  'cli/store/entries/verifyContent.ts verifyContent': (tested, text) => tested(stored(text), bytes(text)),
  'cli/store/entries/verifyContent.ts entryOf': (tested, text) =>
    tested({ ...row(text), orderId: text, receivedAt: text }),
  'cli/store/exports/exportPage.ts exportPage': (tested, text) => {
    for (const format of ['jsonl', 'csv']) [...tested([stored(text)], format, 1e15, {})];
  },
  'cli/proof/page/plainWords.ts plainLogs': (tested, text) =>
    tested('statement', bytes(`{}\n{"receivedAt":"2025-11-14T06:53:21.403Z","body":${JSON.stringify(text)}}\n`)),
  'cli/store/tables/statusLetter.ts formatStatusLetter': (tested, text) => {
    const history = [{ to: 'disqualified', why: text }];
    tested({ uid: '1', status: 'disqualified', team: text, history }, { evidence: [{ name: text }], contact: text });
  },
  'cli/store/tables/teamLetter.ts formatTeamLetter': (tested, text) =>
    tested({ uid: '1', accessKey: 'a' }, { team: text, contact: text, file: text }),
  'cli/store/tables/textLimits.ts findTextProblem': (tested, text) => tested('team', text),
};

/** Functions that take the JSON of a body that the service has accepted. */
const OF_BODY: Readonly<Record<string, Give>> = {
  'functions/ailog/jsonScanner.ts spellingOfNumber': (tested, body) => tested(body, 'orderId'),
  'functions/ailog/validateAiLog.ts validateAiLog': (tested, body) => tested(JSON.parse(body), body),
  'functions/features/canonicalJson.ts canonicalJson': (tested, body) => tested(body),
  'functions/features/logContent.ts readContent': (tested, body) => tested(body),
  'functions/features/featureRow.ts featureRow': (tested, body) => {
    const { stage, model, explanation } = JSON.parse(body);
    tested(composeEntry({ stage, model, explanation } as never, { ...received, rawBody: bytes(body) }));
  },
  'functions/upload/middleware/parseJson.ts parseJson': (tested, body) => before(tested, {}, { rawBody: bytes(body) }),
  'functions/upload/middleware/validateBody.ts validateBody': (tested, body) =>
    before(tested, {}, { parsedBody: JSON.parse(body), bodyText: body }),
  'functions/upload/middleware/prepareEntry.ts prepareEntry': (tested, body) =>
    before(
      tested,
      {},
      {
        ...{
          caller: received,
          access: received,
          receivedAt: 1,
          locale: 'en',
          log: JSON.parse(body),
          rawBody: bytes(body),
        },
        requestContext: { identity: { sourceIp: '1.1.1.1' } },
      },
    ),
  'cli/console/server/copies.ts sectionsOf': (_tested, body) => sectionsOf(body),
  'cli/shell/text/prettyJson.ts prettyJson': (tested, body) => [...tested(body)],
  'cli/store/entries/verifyContent.ts verifyContent': (tested, body) => tested(stored(body), bytes(body)),
};

/** The characters of the shorter text, of functions that cut what is longer, so that the longer one is cut. */
const LENGTHS: Readonly<Record<string, number>> = {
  'functions/features/searchText.ts searchText': 20_000,
  'functions/features/words.ts comparablePieces': 80_000,
  'functions/features/logContent.ts readContent': 80_000,
  'cli/review/orders/orderLines.ts openOrderLines': 20_000,
};
const LENGTH = 5000;

const path = join(temporaryFolder(), 'file.csv');
const fileOf = (text: string): string => {
  writeFileSync(path, text);
  return path;
};
const terminal = { note() {}, cwd: () => '/' };
const orders = (text: string) => `uid,id,time,note\n1,5,1794875400000,${text}\n`;
const engine = await openEngine({ threads: 1 });
const all = (rows: AsyncIterable<unknown>) => Array.fromAsync(rows);

/** Functions that take the path of a file. */
const OF_FILE: Readonly<Record<string, Give>> = {
  'cli/proof/audit/known.ts readKnown': async (tested, text) => {
    for (const start of ['', '{"file":"', 'uid,entryId\n1,']) {
      await all(tested(fileOf(start + text), 'a', trusted)).catch(() => {});
    }
  },
  'cli/proof/evidence/resultFile.ts parseResults': async (tested, text) => {
    const file = openSync(fileOf(text), 'r');
    try {
      await tested(file, 'a');
    } finally {
      closeSync(file);
    }
  },
  'cli/proof/evidence/resultFile.ts readResults': (tested, text) => tested(fileOf(`{"file":"${text}`)),
  'cli/proof/evidence/smallFile.ts readSmallFile': (tested, text) => tested(fileOf(text)),
  'cli/proof/evidence/smallFile.ts readBeside': (tested, text) => tested(fileOf(text)),
  'cli/proof/evidence/readPolicy.ts readPolicy': (tested, text) => tested(terminal, fileOf(text)),
  'cli/proof/evidence/verifyStatement.ts verifyStatement': (tested, text) => all(tested(fileOf(text), trusted)),
  'cli/proof/inclusion/followLog.ts openKept': (tested, text) => tested(fileOf(text), trusted, 'a'),
  'cli/review/orders/orderLines.ts openOrderLines': async (tested, text) => {
    for (const one of [text, orders(text), `[{"id":"${text}"}]`]) {
      await tested(fileOf(one), false).then(
        ({ parts }: { parts: AsyncIterable<unknown> }) => all(parts),
        () => {},
      );
    }
  },
  'cli/review/orders/readOrders.ts readOrders': async (tested, text) => {
    for (const table of ['listed', 'doubles', 'orders']) await engine.drop(table);
    await tested(engine, fileOf(orders(text)), {});
  },
  'cli/review/verdicts/readEvidence.ts readEvidence': (tested, text) => tested(fileOf(text), '1'),
  'cli/shell/files/credentialsFile.ts readCredentials': (tested, text) => tested(fileOf(`AILOG_SECRET=${text}`)),
  'cli/shell/files/credentialsFile.ts readOwnVariables': (tested, text) => tested(fileOf(text)),
  'cli/shell/files/csv.ts readUtf8': (tested, text) => tested(fileOf(text)),
  'cli/shell/files/csv.ts readCsvLines': (tested, text) => {
    tested(terminal, fileOf(`uid,team\n1,${text}\n`), { columns: ['uid'], required: ['uid'] });
  },
  'cli/shell/files/openRegularFile.ts linesOf': (tested, text) => all(tested(fileOf(text))),
  'cli/store/exports/readExport.ts readExport': async (tested, text) => {
    for (const start of ['', '{"uid":"', 'uid,entryId\n1,']) await all(tested(fileOf(start + text))).catch(() => {});
  },
  'cli/store/tables/selectKeys.ts readOwners': (tested, text) => tested(terminal, [], fileOf(`uid,label\n1,${text}\n`)),
};

export interface Case {
  /** The path and the name of the function. */
  readonly name: string;
  readonly give: Give;
  readonly length: number;
}

const casesOf = (gives: Readonly<Record<string, Give>>): Case[] =>
  Object.entries(gives).map(([name, give]) => ({ name, give, length: LENGTHS[name] ?? LENGTH }));

const ofText = Object.entries(OF_TEXT).flatMap(([file, names]) => names.split(' ').map((name) => `${file} ${name}`));

export const textCases: readonly Case[] = casesOf({
  ...Object.fromEntries(ofText.map((name) => [name, (tested: Tested, text: string) => tested(text)])),
  ...OF_MORE,
});
export const bodyCases: readonly Case[] = casesOf(OF_BODY);
export const fileCases: readonly Case[] = casesOf(OF_FILE);

export const allCases: readonly Case[] = [...textCases, ...bodyCases, ...fileCases];

/** Loads the function of a case. */
export async function load({ name }: Case): Promise<Tested> {
  const [file, exported] = name.split(' ') as [string, string];
  return (await import(/* @vite-ignore */ `../../${file}`))[exported];
}
