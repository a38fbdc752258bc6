/**
 * Makes the files of evidence anew, with fixed keys and fixed times: every run writes the same bytes. The words beside
 * them are written here by hand, from docs/formats.md. test/vectors/README.md says when it may be used.
 */
import { hash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entryIdOf } from '../../../functions/ailog/entry.ts';
import { formatCheckpoint } from '../../../functions/c2sp/checkpoint.ts';
import { EMPTY_ROOT, leafHashOf, treeHash } from '../../../functions/c2sp/hashing.ts';
import { type Signer, signNote } from '../../../functions/c2sp/note.ts';
import { formatPolicy } from '../../../functions/c2sp/policy.ts';
import { inclusionRanges } from '../../../functions/c2sp/proofs.ts';
import { bundledEntry, tilePath } from '../../../functions/c2sp/tiles.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { formatReceipt, type Receipt, receiptOf } from '../../../functions/receipts/receiptFormat.ts';
import { type Commit, formatCommit, type Tree } from '../../../functions/tlog/commit.ts';
import { entryHashOf, entryPreimage, type HashedAttributes } from '../../../functions/tlog/entryHash.ts';
import { CHECKPOINT, checkpointPath, commitPath, receiptKeyPath } from '../../../functions/tlog/paths.ts';
import { formatReceiptKey } from '../../../functions/tlog/receiptKeyNote.ts';
import { fixedKey, newSigner, newWitness } from '../../c2sp/keys.ts';

const ORIGIN = 'logs.example.com/ailog';
const START = Date.parse('2025-11-14T09:30:00.000Z');
const SECOND = 1000;

const log = newSigner(ORIGIN, fixedKey(1));
const receipts = newSigner(`${ORIGIN}/receipts`, fixedKey(2));
const nextReceipts = newSigner(`${ORIGIN}/receipts`, fixedKey(3));
const stranger = newSigner(ORIGIN, fixedKey(4));
const [witness, otherWitness] = [
  newWitness('witness.example.net', fixedKey(5)),
  newWitness('w2.example.org', fixedKey(6)),
];

const sign = (text: string, ...signers: Signer[]) => signNote(text, signers, AbortSignal.timeout(10_000));
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');

/** A log that a team sent, and the entry that the service made of it. */
interface Upload {
  readonly body: string;
  readonly entry: HashedAttributes;
  readonly entryHash: Buffer;
}

/** Returns the upload of a body that was signed some seconds after the start, and arrived 40 ms later. */
function upload(seconds: number, body: string, changed: Partial<HashedAttributes> = {}): Upload {
  const [accessKey, timestamp] = [`ailog_${'1001'.repeat(8)}`, String(START + seconds * SECOND)];
  const request = { uid: '1001', accessKey, timestamp, signature: base64(hash('sha256', timestamp + body, 'buffer')) };
  const entry: HashedAttributes = {
    ...{
      ...request,
      entryId: '',
      receivedAt: Number(timestamp) + 40,
      query: '',
      locale: 'en-US',
      sourceIp: '192.0.2.1',
    },
    ...{ bodySha256: hash('sha256', body), bodyBytes: Buffer.byteLength(body), ...changed },
  };
  const named = { ...entry, entryId: changed.entryId ?? entryIdOf(entry) };
  return { body, entry: named, entryHash: entryHashOf(entryPreimage(named)) };
}

const decision = upload(
  10,
  '{"orderId":590480926522704171,"stage":"Decision Making","model":"GPT-5-mini","input":{"rsi":71.250},"output":{"response":"Sell ETH 📉"},"explanation":"BTC is stronger – 看空 ETH."}',
);
const risk = upload(
  11,
  '{"stage":"Risk Check","model":"<Ａ> & \\u202e\\" 9","input":{},"output":{"allowed":true},"explanation":"Within the limit."}',
);
const order = upload(
  12,
  '{"orderId":590480926522704172,"stage":"Execution","model":"GPT-5-mini","input":{"side":"sell"},"output":{},"explanation":"Filled."}',
);
const unusual = upload(20, '{}', { uid: '1002', locale: 'x\ud800\u0001é\u2028', query: 'q=<é>&"\\\b\u001f' });
const late = upload(130, '{"late":true}');
const found = upload(150, '{"found":"two days later"}');
const dropped = upload(140, '{"dropped":true}');
const early = upload(100, '{"early":true}');
const impostor = upload(14, '{"another":"id"}', { entryId: `${START + 14 * SECOND}-${'0'.repeat(32)}` });
const slow = upload(15, '{"slow":true}', { receivedAt: START + 46 * SECOND });

// The log.
const leaves = (entries: readonly Uint8Array[]) => Buffer.concat(entries.map(leafHashOf));
const treeOf = (entries: readonly Uint8Array[]): Tree => ({
  size: entries.length,
  root: entries.length === 0 ? EMPTY_ROOT : treeHash(leaves(entries)),
});
/** The uploads of each commit, its time, its cursor and its second look, in seconds after the start. */
const decisions: readonly (readonly [uploads: readonly Upload[], time: number, cursor: number, looked: number])[] = [
  [[], 30, 0, -2 * 86_400],
  [[decision, risk], 90, 60, -2 * 86_400],
  [[order, unusual, impostor], 150, 120, -2 * 86_400],
  [[slow], 600, 570, -2 * 86_400],
  [[late], 900, 870, -2 * 86_400],
  [[], 2 * 86_400 + 3630, 2 * 86_400 + 3600, -2 * 86_400],
  [[found], 2 * 86_400 + 3640, 2 * 86_400 + 3600, 1800],
];
const logged: Upload[] = [];
const hashes = () => logged.map(({ entryHash }) => entryHash);
const commits = decisions.map(([uploads, time, cursor, looked], at): Commit => {
  const from = treeOf(hashes());
  const entries = uploads.map(({ entryHash }) => entryHash);
  logged.push(...uploads);
  const times = { time: START + time * SECOND, cursor: START + cursor * SECOND, looked: START + looked * SECOND };
  return { origin: ORIGIN, n: at + 1, ...times, retentionDays: 0, from, to: treeOf(hashes()), entries };
});
const last = commits.at(-1)?.to as Tree;
const checkpointText = (tree: Tree) => formatCheckpoint({ origin: ORIGIN, ...tree });
const checkpointOf = (tree: Tree, ...signers: Signer[]) =>
  sign(checkpointText(tree), ...(signers.length ? signers : [log]));
const newest = await checkpointOf(last);
const cosigned = newest + witness.cosign(checkpointText(last), START / SECOND + 2 * 86_400 + 3645);

const target = resolve(process.argv[2] ?? fileURLToPath(new URL('files', import.meta.url)));
rmSync(target, { recursive: true, force: true });
function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), content);
}

/** Writes the files of the log with its first commits. */
async function putLog(folder: string, count: number): Promise<void> {
  const shown = commits.slice(0, count);
  for (const commit of shown) {
    const { size } = commit.to;
    put(`${folder}/${commitPath(commit.n)}`, formatCommit(commit));
    put(
      `${folder}/${checkpointPath(commit.n)}`,
      commit.n === decisions.length ? cosigned : await checkpointOf(commit.to),
    );
    if (size === 0) continue;
    const entries = hashes().slice(0, size);
    put(`${folder}/${tilePath({ level: 0, index: 0, width: size })}`, leaves(entries));
    const bundle = Buffer.concat(entries.map(bundledEntry));
    put(`${folder}/${tilePath({ level: 'entries', index: 0, width: size })}`, bundle);
  }
  put(`${folder}/${CHECKPOINT}`, count === decisions.length ? cosigned : await checkpointOf(shown.at(-1)?.to as Tree));
  put(`${folder}/${receiptKeyPath(1)}`, await keyNote(1, receipts));
}
const keyNote = (k: number, { key }: Signer, ...signers: Signer[]) =>
  sign(formatReceiptKey({ origin: ORIGIN, k, key, since: START }), ...(signers.length ? signers : [log]));
await putLog('log', decisions.length);
await putLog('log-until-0932', 3);
await putLog('log-with-another-tile', decisions.length);
await putLog('log-with-other-commits', decisions.length);
for (const commit of commits) {
  const entries = commit.entries.map((entry) => Buffer.alloc(entry.length, 7));
  put(`log-with-other-commits/${commitPath(commit.n)}`, formatCommit({ ...commit, entries }));
}
put(`log-with-another-tile/${tilePath({ level: 0, index: 0, width: last.size })}`, leaves(hashes().toReversed()));

// The policies.
const vkeys = (...signers: readonly { readonly key: Signer['key'] }[]) =>
  signers.map(({ key }) => formatVerifierKey(key));
const [w1, w2] = vkeys(witness, otherWitness);
const trusted = { logs: vkeys(log), receipts: vkeys(receipts) };
put('tlog.policy', formatPolicy(trusted));
put('witness.policy', formatPolicy({ ...trusted, witnesses: `witness W1 ${w1}\nquorum W1\n` }));
put(
  'two-witnesses.policy',
  formatPolicy({ ...trusted, witnesses: `witness W1 ${w1}\nwitness W2 ${w2}\ngroup G all W1 W2\nquorum G\n` }),
);
put(
  'one-of-two-witnesses.policy',
  formatPolicy({ ...trusted, witnesses: `witness W1 ${w1}\nwitness W2 ${w2}\ngroup G any W1 W2\nquorum G\n` }),
);
put('stranger.policy', formatPolicy({ logs: vkeys(stranger), receipts: vkeys(nextReceipts) }));

const OTHER = 'other.example.com/ailog';
const ofOther = newSigner(`${OTHER}/receipts`, fixedKey(2));
put('two-logs.policy', formatPolicy({ ...trusted, receipts: vkeys(receipts, ofOther) }));

// Lines.
type Members = Record<string, unknown>;
const receiptNote = ({ entry }: Upload, signer = receipts, changed: Partial<Receipt> = {}) =>
  sign(formatReceipt({ ...receiptOf(ORIGIN, entry), ...changed }), signer);
const valuesOf = ({ entry }: Upload) => entryPreimage(entry).split('\n')[1] as string;
const proofOf = (one: Upload, { size }: Tree = last): Members => {
  const index = logged.indexOf(one);
  const shown = hashes().slice(0, size);
  return {
    index,
    proof: inclusionRanges(index, size).map(([from, until]) => base64(treeHash(leaves(shown.slice(from, until))))),
  };
};
const entryLine = (one: Upload, tree?: Tree): Members => ({
  entry: valuesOf(one),
  ...proofOf(one, tree),
  body: one.body,
});
const lines = (...all: Members[]) => all.map((line) => `${JSON.stringify(line)}\n`).join('');
const team = [entryLine(decision), entryLine(risk), entryLine(order)];
const statement = lines({ checkpoint: cosigned }, ...team, { end: 3 });
const receiptLine = async (one: Upload, ...more: [Signer?, Partial<Receipt>?]) => ({
  receipt: base64(await receiptNote(one, ...more)),
});

// The vectors: their words are those of docs/formats.md.
const words: Record<string, { words: string[]; exitCode: number; policy: string; log?: string }> = {};
const CODES: Readonly<Record<string, number>> = { ok: 0, WRONG: 1, LATE: 6, MISSING: 6, 'NO PROOF': 5 };
function vector(
  name: string,
  content: string | Uint8Array,
  expected: string,
  options: { policy?: string; log?: string } = {},
) {
  const list = expected.split(', ').flatMap((word) => {
    const [, count = '1', one = word] = /^(\d+) (.*)$/.exec(word) ?? [];
    return Array<string>(Number(count)).fill(one);
  });
  const codes = list.map((word) => CODES[word] as number);
  const exitCode = [1, 6, 5].find((code) => codes.includes(code)) ?? 0;
  words[name] = { words: list, exitCode, policy: 'tlog.policy', ...options };
  put(name, content);
}
/** Returns a text with one place of it changed. */
function changed(text: string, from: string | RegExp, to: string): string {
  const result = text.replace(from, to);
  if (result === text) throw new Error(`Nothing was changed: ${from}`);
  return result;
}

put('decision.json', decision.body);
put('order.json', changed(order.body, '590480926522704172', 'null'));
put('risk.json', changed(risk.body, 'limit', 'limits'));

// What holds.
vector('receipt.header', base64(await receiptNote(decision)), 'ok');
vector('receipt-as-note-with-body.jsonl', lines({ receipt: await receiptNote(decision), body: decision.body }), 'ok');
vector('statement.jsonl', statement, '5 ok');
vector('statement-cosigned.jsonl', statement, '5 ok', { policy: 'witness.policy' });
vector('statement-cosigned-by-one-of-two.jsonl', statement, '5 ok', { policy: 'one-of-two-witnesses.policy' });
const cosignedLater = newest + witness.cosign(checkpointText(last), START / SECOND + 30 * 86_400);
vector(
  'statement-cosigned-again-a-month-later.jsonl',
  changed(statement, JSON.stringify(cosigned), JSON.stringify(cosignedLater)),
  '5 ok',
  { policy: 'witness.policy', log: 'log' },
);
vector('two-statements.jsonl', statement + statement, '10 ok');
const respelt = (line: Members) =>
  JSON.stringify(Object.fromEntries(Object.entries(line).reverse()), null, 1)
    .replaceAll('\n', ' ')
    .replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
vector(
  'statement-in-another-spelling.jsonl',
  `\ufeff${[{ checkpoint: cosigned }, ...team, { end: 3 }].map(respelt).join('\r\n\r\n')}`,
  '5 ok',
);
vector(
  'unusual-characters.jsonl',
  lines({ checkpoint: newest }, { ...entryLine(unusual), ...(await receiptLine(unusual)) }),
  '2 ok',
);
vector(
  'receipt-of-the-next-key.jsonl',
  lines({ 'receipt-keys': await keyNote(2, nextReceipts) }, await receiptLine(decision, nextReceipts)),
  '2 ok',
);
vector('export-looked-up.jsonl', lines(...team.map(({ entry, body }) => ({ entry, body }))), '3 ok', { log: 'log' });
vector('receipt-looked-up.jsonl', lines(await receiptLine(decision)), 'ok', { policy: 'witness.policy', log: 'log' });
// Journals.
const step = (one: Upload, file: string, more: Members) => ({
  ...{ file, url: 'https://api.example.com', accessKey: one.entry.accessKey, uid: '1001' },
  ...more,
  digest: '00',
  entryId: one.entry.entryId,
  at: '2025-11-14T09:30:10.000Z',
});
const stored = { state: 'stored', ...(await receiptLine(decision)) };
const sending = { state: 'sending' };
const storedOrder = { state: 'stored', order: '590480926522704172', ...(await receiptLine(order)) };
vector(
  'journal-of-upload.jsonl',
  lines(
    step(decision, 'decision.json', sending),
    step(order, 'order.json', sending),
    step(decision, 'decision.json', stored),
    step(order, 'order.json', { ...storedOrder, says: 'ok' }),
  ),
  '2 ok',
);
const ofClient = async (one: Upload) => ({
  timestamp: one.entry.timestamp,
  sign: one.entry.signature,
  body: one.body,
  status: 200,
  answer: '{"code":"00000"}',
  id: one.entry.entryId,
  warning: null,
  ...(await receiptLine(one)),
  state: 'stored',
});
const before = ({ entry, body }: Upload) => ({
  state: 'sending',
  timestamp: entry.timestamp,
  sign: entry.signature,
  body,
});
vector(
  'journal-of-the-python-client.jsonl',
  [before(risk), await ofClient(risk)].map((line) => `${respelt(line)}\n`).join(''),
  'ok',
);
const escaped = (line: Members) =>
  JSON.stringify(Object.fromEntries(Object.entries(line).sort())).replace(
    /[<>&\u2028]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
vector(
  'journal-of-the-go-client.jsonl',
  [before(risk), { ...(await ofClient(risk)), warning: '' }].map((line) => `${escaped(line)}\n`).join(''),
  'ok',
);

// What shows nothing.
vector('export.jsonl', lines(...team.map(({ entry, body }) => ({ entry, body }))), '3 NO PROOF');
vector('receipt-of-an-unknown-key.jsonl', lines(await receiptLine(decision, nextReceipts)), 'NO PROOF');
vector(
  'key-after-its-receipt.jsonl',
  lines(await receiptLine(decision, nextReceipts), { 'receipt-keys': await keyNote(2, nextReceipts) }),
  'NO PROOF, ok',
);
vector(
  'key-of-a-stranger.jsonl',
  lines({ 'receipt-keys': await keyNote(2, nextReceipts, stranger) }, await receiptLine(decision, nextReceipts)),
  '2 NO PROOF',
);
vector('statement-of-an-unknown-log.jsonl', statement, '4 NO PROOF, ok', { policy: 'stranger.policy' });
vector('statement-without-the-quorum.jsonl', statement, '4 NO PROOF, ok', { policy: 'two-witnesses.policy' });
vector('proof-without-a-checkpoint.jsonl', lines(entryLine(decision)), 'NO PROOF');
vector(
  'journal-not-stored.jsonl',
  lines(
    step(decision, 'decision.json', { state: 'not stored' }),
    step(risk, 'no-such.json', sending),
    step(order, 'order.json', storedOrder),
    { ...(await ofClient(decision)), receipt: null },
  ),
  'ok, 3 NO PROOF',
);
vector(
  'last-line-cut-off.jsonl',
  statement + lines(step(decision, 'decision.json', stored)).slice(0, 90),
  '5 ok, NO PROOF',
);
vector('nothing.jsonl', '\n \n', '0 ok');
(words['nothing.jsonl'] as { exitCode: number }).exitCode = 5;

// What does not hold.
const note = await receiptNote(decision);
vector('receipt-time-changed.jsonl', lines({ receipt: changed(note, '610040', '610041') }), 'WRONG');
vector('receipt-with-another-line-end.jsonl', lines({ receipt: note.replaceAll('\n', '\r\n') }), 'WRONG');
vector(
  'receipt-of-another-entry.jsonl',
  lines({ checkpoint: newest }, { ...team[0], ...(await receiptLine(risk)) }),
  'ok, WRONG',
);
vector('receipt-of-another-upload.jsonl', lines(step(order, 'order.json', stored)), 'WRONG');
vector(
  'receipt-signed-for-another-origin.jsonl',
  lines(
    { checkpoint: newest },
    { ...team[0], ...(await receiptLine(decision, receipts, { origin: 'other.example.com/ailog' })) },
  ),
  'ok, NO PROOF',
);
vector('receipt-31-seconds-after-its-timestamp.jsonl', lines(await receiptLine(slow)), 'WRONG');
vector('body-changed.jsonl', changed(statement, '71.250', '71.25'), 'ok, WRONG, 3 ok');
vector(
  'file-changed.jsonl',
  lines(step(risk, 'risk.json', { state: 'stored', ...(await receiptLine(risk)) })),
  'WRONG',
);
vector('locale-changed.jsonl', changed(statement, 'en-US', 'de-DE'), 'ok, WRONG, 3 ok');
vector('entry-id-of-another-request.jsonl', lines({ checkpoint: newest }, entryLine(impostor)), 'ok, WRONG');
vector('received-31-seconds-after-its-timestamp.jsonl', lines({ checkpoint: newest }, entryLine(slow)), 'ok, WRONG');
vector('entry-with-spaces.jsonl', lines({ ...team[0], entry: changed(valuesOf(decision), ',', ', ') }), 'WRONG');
vector('index-changed.jsonl', lines({ checkpoint: newest }, { ...team[0], index: 1 }), 'ok, WRONG');
vector('hash-of-the-proof-changed.jsonl', changed(statement, /"proof":\["./, '"proof":["/'), 'ok, WRONG, 3 ok');
vector('proof-without-index.jsonl', lines({ checkpoint: newest }, { ...team[0], index: null }), 'ok, WRONG');
vector(
  'proof-to-an-older-checkpoint.jsonl',
  lines(
    { checkpoint: await checkpointOf(commits[2]?.to as Tree) },
    team[0] as Members,
    entryLine(risk, commits[2]?.to),
  ),
  'ok, WRONG, ok',
);
vector(
  'checkpoint-changed.jsonl',
  changed(statement, `\\n${last.size}\\n`, `\\n${last.size + 1}\\n`),
  'WRONG, 3 NO PROOF, ok',
);
vector(
  'cosignature-changed.jsonl',
  changed(
    statement,
    cosigned.slice(-20, -6),
    cosigned.slice(-20, -6).replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
  ),
  'WRONG, 3 NO PROOF, ok',
  { policy: 'witness.policy' },
);
vector('checkpoint-as-key.jsonl', lines({ 'receipt-keys': newest }), 'WRONG');
vector('entry-removed.jsonl', changed(statement, /\n[^\n]*Risk Check[^\n]*/, ''), '3 ok, WRONG');
vector(
  'entry-twice.jsonl',
  lines({ checkpoint: newest }, team[0] as Members, team[0] as Members, team[2] as Members, { end: 3 }),
  '4 ok, WRONG',
);
vector('member-twice.jsonl', changed(statement, '{"entry":', '{"\\u0065ntry":"[]","entry":'), 'ok, WRONG, 3 ok');
vector('checkpoint-and-entry.jsonl', lines({ checkpoint: newest, ...team[0] }), 'WRONG');
vector(
  'half-of-a-pair.jsonl',
  changed(lines({ checkpoint: newest }, ...team), 'Within the', 'Within \\ud83d the'),
  '2 ok, WRONG, ok',
);
const [start = '', rest = ''] = statement.split('–');
vector('no-utf-8.jsonl', Buffer.concat([Buffer.from(start), Buffer.of(0xff), Buffer.from(rest)]), 'ok, WRONG, 3 ok');
vector('no-evidence.jsonl', '{"file":"decision.json"}\nhello\n[]\n', '3 WRONG');

// With the log.
const lookUp = async (name: string, one: Upload, word: string, folder = 'log') =>
  vector(name, lines(await receiptLine(one)), word, { log: folder });
await lookUp('in-the-log-after-the-deadline.jsonl', late, 'LATE');
await lookUp('in-the-log-two-days-later.jsonl', found, 'LATE');
await lookUp('not-in-the-log.jsonl', dropped, 'MISSING');
await lookUp('not-in-the-log-yet.jsonl', early, 'NO PROOF', 'log-until-0932');
await lookUp('log-with-another-tile.jsonl', decision, 'WRONG', 'log-with-another-tile');
vector('never-promised.jsonl', lines({ entry: valuesOf(dropped) }), 'NO PROOF', { log: 'log' });
vector('late-without-a-receipt.jsonl', lines({ entry: valuesOf(late) }), 'LATE', { log: 'log' });

const elsewhere = await receiptLine(decision, ofOther, { origin: OTHER });
const twoLogs = { policy: 'two-logs.policy' };
vector(
  'receipt-and-proof-of-two-logs.jsonl',
  lines({ checkpoint: newest }, { ...team[0], ...elsewhere }),
  'ok, WRONG',
  twoLogs,
);
vector('receipt-of-another-log-looked-up.jsonl', lines(elsewhere), 'NO PROOF', { ...twoLogs, log: 'log' });
await lookUp('in-the-tree-and-in-no-commit.jsonl', decision, 'NO PROOF', 'log-with-other-commits');
await lookUp('not-in-the-log-and-the-tree-differs.jsonl', dropped, 'NO PROOF', 'log-with-another-tile');
vector('log-without-the-quorum.jsonl', lines(await receiptLine(decision)), 'NO PROOF', {
  policy: 'two-witnesses.policy',
  log: 'log',
});
// Rules that are easy to leave out.
vector('empty-body.jsonl', lines({ checkpoint: newest }, { ...team[0], body: '' }), 'ok, WRONG');
const longer = upload(31, '{"a":1}', { bodyBytes: 8 });
vector('length-of-the-body-changed.jsonl', lines({ entry: valuesOf(longer), body: longer.body }), 'WRONG');
vector('base64-without-padding.header', base64(`${note}`).replace(/=*$/, ''), /=$/.test(base64(note)) ? 'WRONG' : 'ok');
vector('last-line-of-zeros.jsonl', `${statement}\0\0\0`, '5 ok, NO PROOF');
vector(
  'key-note-within-a-statement.jsonl',
  lines({ checkpoint: newest }, { 'receipt-keys': await keyNote(2, nextReceipts) }, ...team, { end: 3 }),
  '6 ok',
);
vector(
  'changed-checkpoint-after-a-good-one.jsonl',
  lines({ checkpoint: newest }, { checkpoint: changed(newest, `\n${last.size}\n`, '\n9\n') }, team[0] as Members),
  'ok, WRONG, NO PROOF',
);
vector(
  'checkpoint-of-another-origin.jsonl',
  lines({ checkpoint: await sign(`${OTHER}\n0\n${base64(EMPTY_ROOT)}\n`, log) }),
  'NO PROOF',
);
vector(
  'file-in-another-folder.jsonl',
  lines({ file: './risk.json', state: 'stored', ...(await receiptLine(risk)) }),
  'ok',
);
vector(
  'receipt-key-note-of-another-name.jsonl',
  lines({
    'receipt-keys': await sign(
      (await keyNote(2, nextReceipts)).split('\n\n', 1).join().replace('/receipts+', '/receipt+').concat('\n'),
      log,
    ),
  }),
  'WRONG',
);
put('stage.json', '{"stage":"a"}');
put('order-empty.json', '{"orderId":"","stage":"b"}');
for (const [name, inserted] of [
  ['stage.json', '{"orderId":7,"stage":"a"}'],
  ['order-empty.json', '{"orderId":7,"stage":"b"}'],
] as const) {
  const one = upload(30, inserted);
  vector(
    `order-inserted-into-${name}l`,
    lines(step(one, name, { state: 'stored', order: '7', ...(await receiptLine(one)) })),
    'ok',
  );
}
vector(
  'journal-of-two-services.jsonl',
  lines(
    { ...step(decision, 'decision.json', sending), url: 'http://127.0.0.1:8080' },
    step(decision, 'decision.json', stored),
  ),
  'ok, NO PROOF',
);

writeFileSync(join(target, '../words.json'), `${JSON.stringify(words, null, 1)}\n`);
