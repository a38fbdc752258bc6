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
import { formatSignature, type Signer, signNote } from '../../../functions/c2sp/note.ts';
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
import { noDeadline } from '../../setup/time.ts';

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

const sign = (text: string, ...signers: Signer[]) => signNote(text, signers, noDeadline());
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
await putLog('log-until-0932', 3);
for (const folder of ['log', 'log-with-another-tile', 'log-with-other-commits', 'log-that-began-later'])
  await putLog(folder, decisions.length);
for (const commit of commits) {
  const entries = commit.entries.map((entry) => Buffer.alloc(entry.length, 7));
  put(`log-with-other-commits/${commitPath(commit.n)}`, formatCommit({ ...commit, entries }));
}
for (const commit of commits.slice(0, 3)) {
  const time = START + (140 + commit.n) * SECOND;
  put(`log-that-began-later/${commitPath(commit.n)}`, formatCommit({ ...commit, time }));
}
put(`log-with-another-tile/${tilePath({ level: 0, index: 0, width: last.size })}`, leaves(hashes().toReversed()));

// The policies.
const vkeys = (...signers: readonly { readonly key: Signer['key'] }[]) =>
  signers.map(({ key }) => formatVerifierKey(key));
const [w1, w2] = vkeys(witness, otherWitness);
const trusted = { logs: vkeys(log), receipts: vkeys(receipts) };
const bothIn = (group: string) =>
  formatPolicy({ ...trusted, witnesses: `witness W1 ${w1}\nwitness W2 ${w2}\ngroup G ${group} W1 W2\nquorum G\n` });
put('tlog.policy', formatPolicy(trusted));
put('witness.policy', formatPolicy({ ...trusted, witnesses: `witness W1 ${w1}\nquorum W1\n` }));
put('two-witnesses.policy', bothIn('all'));
put('one-of-two-witnesses.policy', bothIn('any'));
put('both-witnesses.policy', bothIn('2'));
put('spelt-otherwise.policy', `# A comment\n\n${bothIn('1').replaceAll(' ', ' \t')}`);
put('stranger.policy', formatPolicy({ logs: vkeys(stranger), receipts: vkeys(nextReceipts) }));

const OTHER = 'other.example.com/ailog';
const ofOther = newSigner(`${OTHER}/receipts`, fixedKey(2));
const otherLog = newSigner(OTHER, fixedKey(7));
put('two-logs.policy', formatPolicy({ ...trusted, receipts: vkeys(receipts, ofOther) }));
put('two-log-keys.policy', formatPolicy({ ...trusted, logs: vkeys(log, otherLog) }));

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
const below = (...all: Members[]) => lines({ checkpoint: newest }, ...all);
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
  const exitCode = [1, 6, 5].find((code) => codes.includes(code)) ?? (codes.length > 0 ? 0 : 5);
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

// What their lines are made of.
const cosignedLater = newest + witness.cosign(checkpointText(last), START / SECOND + 30 * 86_400);
const escapeUnits = (text: string, units: RegExp) =>
  text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const respelt = (line: Members) =>
  escapeUnits(
    JSON.stringify(Object.fromEntries(Object.entries(line).reverse()), null, 1).replaceAll('\n', ' '),
    /[^ -~]/g,
  );
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
const ofClient = async (one: Upload) => {
  const { timestamp, signature: sign, entryId: id } = one.entry;
  const answered = { status: 200, answer: '{"code":"00000"}', id, warning: null };
  return { timestamp, sign, body: one.body, ...answered, ...(await receiptLine(one)), state: 'stored' };
};
const before = ({ entry, body }: Upload) => ({ ...sending, timestamp: entry.timestamp, sign: entry.signature, body });
const escapedAsGo = (line: Members) =>
  escapeUnits(JSON.stringify(Object.fromEntries(Object.entries(line).sort())), /[<>&\u2028]/g);
const note = await receiptNote(decision);
const [start = '', rest = ''] = statement.split('–');
const elsewhere = await receiptLine(decision, ofOther, { origin: OTHER });
const twoLogs = { policy: 'two-logs.policy' };
const longer = upload(31, '{"a":1}', { bodyBytes: 8 });
const values: unknown[] = JSON.parse(valuesOf(decision));
const withValues = (changes: Readonly<Record<number, unknown>>) =>
  lines({ entry: JSON.stringify(Object.assign([...values], changes)) });
const checkpointLine = (signed: string) => lines({ checkpoint: signed });
const strangers = (count: number) => `— stranger.example.com AAAAAAA=\n`.repeat(count);
const signatureOf = (signed: string) => Buffer.from(signed.trimEnd().split(' ').at(-1) as string, 'base64');
const withSignature = (signed: string, change: (bytes: Buffer) => void) => {
  const bytes = signatureOf(signed);
  change(bytes);
  return changed(signed, base64(signatureOf(signed)), base64(bytes));
};
const readNumber = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const writeNumber = (number: bigint) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse();
const GROUP_ORDER = 2n ** 252n + 0x14def9dea2f79cd65812631a5cf5d3edn;
/**
 * A signature of the log on its empty tree, to which a point of order eight was added: it holds only if both sides of
 * the equation are multiplied by eight.
 */
const WITH_TORSION = '6bL+mBWH765kePSLofpgzsYSbQ4m3ecqCiT2QNzXg+WN4HUKCndseHiq00xA9X+/xCBBXUwzA6uykv5TnTZpCA==';
const tabbed = `${checkpointText(last)}a\tb\n`;
const signature = await log.sign(Buffer.from(tabbed), noDeadline());
const signedReceipt = async (change: (text: string) => string, signer = receipts) =>
  lines({ receipt: await sign(change(formatReceipt(receiptOf(ORIGIN, decision.entry))), signer) });
const keyText = (await keyNote(2, nextReceipts)).split('\n\n', 1).join().concat('\n');
const keyLine = async (text: string) => lines({ 'receipt-keys': await sign(text, log) });
const [receiptsOfWitness = ''] = vkeys(newWitness(`${ORIGIN}/receipts`, fixedKey(3)));
const { proof } = proofOf(decision) as { proof: string[] };
const proven = await receiptLine(decision);
const spelt = (text: string) => changed(lines(proven), '{', `{${text},`);
const unknown = await receiptLine(decision, nextReceipts);
const cameAt = (commits[1] as Commit).time;
const { cursor: until } = commits[2] as Commit;
const until0932 = { log: 'log-until-0932' };
const began = { log: 'log-that-began-later' };
const promised = async (one: Upload, deadline: number) => lines(await receiptLine(one, receipts, { deadline }));

/** Returns the vector of a log into which an order was inserted before it was sent. */
async function inserted(
  name: string,
  seconds: number,
  sent: string,
  held: string,
  file = `order-${name}.json`,
): Promise<Parameters<typeof vector>> {
  put(file, held);
  const one = upload(seconds, sent);
  const line = step(one, file, { state: 'stored', order: '7', ...(await receiptLine(one)) });
  return [`order-inserted-into-${name}.jsonl`, lines(line), 'ok'];
}

// biome-ignore format: one case a line
const all: readonly Parameters<typeof vector>[] = [
  // What holds.
  ['receipt.header', base64(await receiptNote(decision)), 'ok'],
  ['receipt-as-note-with-body.jsonl', lines({ receipt: await receiptNote(decision), body: decision.body }), 'ok'],
  ['statement.jsonl', statement, '5 ok'],
  ['statement-cosigned.jsonl', statement, '5 ok', { policy: 'witness.policy' }],
  ['statement-cosigned-by-one-of-two.jsonl', statement, '5 ok', { policy: 'one-of-two-witnesses.policy' }],
  ['statement-cosigned-again-a-month-later.jsonl', changed(statement, JSON.stringify(cosigned), JSON.stringify(cosignedLater)), '5 ok', { policy: 'witness.policy', log: 'log' }],
  ['two-statements.jsonl', statement + statement, '10 ok'],
  ['statement-in-another-spelling.jsonl', `\ufeff${[{ checkpoint: cosigned }, ...team, { end: 3 }].map(respelt).join('\r\n\r\n')}`, '5 ok'],
  ['unusual-characters.jsonl', below({ ...entryLine(unusual), ...(await receiptLine(unusual)) }), '2 ok'],
  ['receipt-of-the-next-key.jsonl', lines({ 'receipt-keys': await keyNote(2, nextReceipts) }, await receiptLine(decision, nextReceipts)), '2 ok'],
  ['export-looked-up.jsonl', lines(...team.map(({ entry, body }) => ({ entry, body }))), '3 ok', { log: 'log' }],
  ['receipt-looked-up.jsonl', lines(await receiptLine(decision)), 'ok', { policy: 'witness.policy', log: 'log' }],
  // Journals.
  ['journal-of-upload.jsonl', lines(step(decision, 'decision.json', sending), step(order, 'order.json', sending), step(decision, 'decision.json', stored), step(order, 'order.json', { ...storedOrder, says: 'ok' })), '2 ok'],
  ['journal-of-the-python-client.jsonl', [before(risk), await ofClient(risk)].map((line) => `${respelt(line)}\n`).join(''), 'ok'],
  ['journal-of-the-go-client.jsonl', [before(risk), { ...(await ofClient(risk)), warning: '' }].map((line) => `${escapedAsGo(line)}\n`).join(''), 'ok'],
  // What shows nothing.
  ['export.jsonl', lines(...team.map(({ entry, body }) => ({ entry, body }))), '3 NO PROOF'],
  ['receipt-of-an-unknown-key.jsonl', lines(await receiptLine(decision, nextReceipts)), 'NO PROOF'],
  ['key-after-its-receipt.jsonl', lines(await receiptLine(decision, nextReceipts), { 'receipt-keys': await keyNote(2, nextReceipts) }), 'NO PROOF, ok'],
  ['key-of-a-stranger.jsonl', lines({ 'receipt-keys': await keyNote(2, nextReceipts, stranger) }, await receiptLine(decision, nextReceipts)), '2 NO PROOF'],
  ['statement-of-an-unknown-log.jsonl', statement, '4 NO PROOF, ok', { policy: 'stranger.policy' }],
  ['statement-without-the-quorum.jsonl', statement, '4 NO PROOF, ok', { policy: 'two-witnesses.policy' }],
  ['proof-without-a-checkpoint.jsonl', lines(entryLine(decision)), 'NO PROOF'],
  ['journal-not-stored.jsonl', lines(step(decision, 'decision.json', { state: 'not stored' }), step(risk, 'no-such.json', sending), step(order, 'order.json', storedOrder), { ...(await ofClient(decision)), receipt: null }), 'ok, 3 NO PROOF'],
  ['last-line-cut-off.jsonl', statement + lines(step(decision, 'decision.json', stored)).slice(0, 90), '5 ok, NO PROOF'],
  ['nothing.jsonl', '\n \n', '0 ok'],
  // What does not hold.
  ['receipt-time-changed.jsonl', lines({ receipt: changed(note, '610040', '610041') }), 'WRONG'],
  ['receipt-with-another-line-end.jsonl', lines({ receipt: note.replaceAll('\n', '\r\n') }), 'WRONG'],
  ['receipt-of-another-entry.jsonl', below({ ...team[0], ...(await receiptLine(risk)) }), 'ok, WRONG'],
  ['receipt-of-another-upload.jsonl', lines(step(order, 'order.json', stored)), 'WRONG'],
  ['receipt-signed-for-another-origin.jsonl', below({ ...team[0], ...(await receiptLine(decision, receipts, { origin: 'other.example.com/ailog' })) }), 'ok, NO PROOF'],
  ['receipt-31-seconds-after-its-timestamp.jsonl', lines(await receiptLine(slow)), 'WRONG'],
  ['body-changed.jsonl', changed(statement, '71.250', '71.25'), 'ok, WRONG, 3 ok'],
  ['file-changed.jsonl', lines(step(risk, 'risk.json', { state: 'stored', ...(await receiptLine(risk)) })), 'WRONG'],
  ['locale-changed.jsonl', changed(statement, 'en-US', 'de-DE'), 'ok, WRONG, 3 ok'],
  ['entry-id-of-another-request.jsonl', below(entryLine(impostor)), 'ok, WRONG'],
  ['received-31-seconds-after-its-timestamp.jsonl', below(entryLine(slow)), 'ok, WRONG'],
  ['entry-with-spaces.jsonl', lines({ ...team[0], entry: changed(valuesOf(decision), ',', ', ') }), 'WRONG'],
  ['index-changed.jsonl', below({ ...team[0], index: 1 }), 'ok, WRONG'],
  ['hash-of-the-proof-changed.jsonl', changed(statement, /"proof":\["./, '"proof":["/'), 'ok, WRONG, 3 ok'],
  ['proof-without-index.jsonl', below({ ...team[0], index: null }), 'ok, WRONG'],
  ['proof-to-an-older-checkpoint.jsonl', lines({ checkpoint: await checkpointOf(commits[2]?.to as Tree) }, team[0] as Members, entryLine(risk, commits[2]?.to)), 'ok, WRONG, ok'],
  ['checkpoint-changed.jsonl', changed(statement, `\\n${last.size}\\n`, `\\n${last.size + 1}\\n`), 'WRONG, 3 NO PROOF, ok'],
  ['cosignature-changed.jsonl', changed(statement, cosigned.slice(-20, -6), cosigned.slice(-20, -6).replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))), 'WRONG, 3 NO PROOF, ok', { policy: 'witness.policy' }],
  ['checkpoint-as-key.jsonl', lines({ 'receipt-keys': newest }), 'WRONG'],
  ['entry-removed.jsonl', changed(statement, /\n[^\n]*Risk Check[^\n]*/, ''), '3 ok, WRONG'],
  ['entry-twice.jsonl', below(team[0] as Members, team[0] as Members, team[2] as Members, { end: 3 }), '4 ok, WRONG'],
  ['member-twice.jsonl', changed(statement, '{"entry":', '{"\\u0065ntry":"[]","entry":'), 'ok, WRONG, 3 ok'],
  ['checkpoint-and-entry.jsonl', lines({ checkpoint: newest, ...team[0] }), 'WRONG'],
  ['half-of-a-pair.jsonl', changed(below(...team), 'Within the', 'Within \\ud83d the'), '2 ok, WRONG, ok'],
  ['no-utf-8.jsonl', Buffer.concat([Buffer.from(start), Buffer.of(0xff), Buffer.from(rest)]), 'ok, WRONG, 3 ok'],
  ['no-evidence.jsonl', '{"file":"decision.json"}\nhello\n[]\n', '3 WRONG'],
  // With the log.
  ['in-the-log-after-the-deadline.jsonl', lines(await receiptLine(late)), 'LATE', { log: 'log' }],
  ['in-the-log-two-days-later.jsonl', lines(await receiptLine(found)), 'LATE', { log: 'log' }],
  ['not-in-the-log.jsonl', lines(await receiptLine(dropped)), 'MISSING', { log: 'log' }],
  ['not-in-the-log-yet.jsonl', lines(await receiptLine(early)), 'NO PROOF', { log: 'log-until-0932' }],
  ['log-with-another-tile.jsonl', lines(await receiptLine(decision)), 'WRONG', { log: 'log-with-another-tile' }],
  ['never-promised.jsonl', lines({ entry: valuesOf(dropped) }), 'NO PROOF', { log: 'log' }],
  ['late-without-a-receipt.jsonl', lines({ entry: valuesOf(late) }), 'LATE', { log: 'log' }],
  ['receipt-and-proof-of-two-logs.jsonl', below({ ...team[0], ...elsewhere }), 'ok, WRONG', twoLogs],
  ['receipt-of-another-log-looked-up.jsonl', lines(elsewhere), 'NO PROOF', { ...twoLogs, log: 'log' }],
  ['in-the-tree-and-in-no-commit.jsonl', lines(await receiptLine(decision)), 'NO PROOF', { log: 'log-with-other-commits' }],
  ['not-in-the-log-and-the-tree-differs.jsonl', lines(await receiptLine(dropped)), 'NO PROOF', { log: 'log-with-another-tile' }],
  ['log-without-the-quorum.jsonl', lines(await receiptLine(decision)), 'NO PROOF', { policy: 'two-witnesses.policy', log: 'log' }],
  // Rules that are easy to leave out.
  ['empty-body.jsonl', below({ ...team[0], body: '' }), 'ok, WRONG'],
  ['length-of-the-body-changed.jsonl', lines({ entry: valuesOf(longer), body: longer.body }), 'WRONG'],
  ['base64-without-padding.header', base64(`${note}`).replace(/=*$/, ''), /=$/.test(base64(note)) ? 'WRONG' : 'ok'],
  ['last-line-of-zeros.jsonl', `${statement}\0\0\0`, '5 ok, NO PROOF'],
  ['key-note-within-a-statement.jsonl', below({ 'receipt-keys': await keyNote(2, nextReceipts) }, ...team, { end: 3 }), '6 ok'],
  ['changed-checkpoint-after-a-good-one.jsonl', below({ checkpoint: changed(newest, `\n${last.size}\n`, '\n9\n') }, team[0] as Members), 'ok, WRONG, NO PROOF'],
  ['checkpoint-of-another-origin.jsonl', lines({ checkpoint: await sign(`${OTHER}\n0\n${base64(EMPTY_ROOT)}\n`, log) }), 'NO PROOF'],
  ['file-in-another-folder.jsonl', lines({ file: './risk.json', state: 'stored', ...(await receiptLine(risk)) }), 'ok'],
  ['receipt-key-note-of-another-name.jsonl', lines({ 'receipt-keys': await sign((await keyNote(2, nextReceipts)).split('\n\n', 1).join().replace('/receipts+', '/receipt+').concat('\n'), log) }), 'WRONG'],
  await inserted('stage', 30, '{"orderId":7,"stage":"a"}', '{"stage":"a"}', 'stage.json'),
  await inserted('order-empty', 30, '{"orderId":7,"stage":"b"}', '{"orderId":"","stage":"b"}', 'order-empty.json'),
  ['journal-of-two-services.jsonl', lines({ ...step(decision, 'decision.json', sending), url: 'http://127.0.0.1:8080' }, step(decision, 'decision.json', stored)), 'ok, NO PROOF'],
  // A vector for each further rule of docs/formats.md, in its order.
  ['entry-of-ten-values.jsonl', lines({ entry: JSON.stringify(values.slice(0, 10)) }), 'WRONG'],
  ['entry-with-its-time-as-text.jsonl', withValues({ 2: String(values[2]) }), 'WRONG'],
  ['entry-with-a-fraction-of-a-byte.jsonl', withValues({ 10: 1.5 }), 'WRONG'],
  ['entry-with-an-escape-too-many.jsonl', lines({ entry: changed(valuesOf(decision), 'en-US', 'en\\u002dUS') }), 'WRONG'],
  ['note-with-100-signatures.jsonl', checkpointLine(newest + strangers(99)), 'ok'],
  ['note-with-101-signatures.jsonl', checkpointLine(newest + strangers(100)), 'WRONG'],
  ['note-without-signatures.jsonl', checkpointLine(`${checkpointText(last)}\n`), 'WRONG'],
  ['note-with-a-tab.jsonl', checkpointLine(`${tabbed}\n${formatSignature({ ...log.key, signature })}`), 'WRONG'],
  ['note-with-a-signature-of-four-bytes.jsonl', checkpointLine(changed(newest + strangers(1), 'AAAAAAA=', 'AAAAAA==')), 'WRONG'],
  ['note-with-a-plus-in-a-name.jsonl', checkpointLine(changed(newest + strangers(1), 'stranger.', 'a+b.')), 'WRONG'],
  ['note-with-a-hyphen-for-a-dash.jsonl', checkpointLine(changed(newest + strangers(1), '— stranger', '- stranger')), 'WRONG'],
  ['note-signed-twice-and-once-wrong.jsonl', checkpointLine(newest + withSignature(newest, (bytes) => bytes.fill(7, 10)).split('\n\n')[1]), 'WRONG'],
  ['signature-above-the-order-of-the-group.jsonl', checkpointLine(withSignature(newest, (bytes) => bytes.set(writeNumber(readNumber(bytes.subarray(36)) + GROUP_ORDER), 36))), 'WRONG'],
  ['signature-that-needs-the-cofactor.jsonl', checkpointLine(withSignature(await checkpointOf(treeOf([])), (bytes) => bytes.set(Buffer.from(WITH_TORSION, 'base64'), 4))), 'WRONG'],
  ['cosigned-at-second-zero.jsonl', checkpointLine(newest + witness.cosign(checkpointText(last), 0)), 'WRONG', { policy: 'witness.policy' }],
  ['receipt-time-with-a-leading-zero.jsonl', await signedReceipt((text) => changed(text, '\n1763112610040', '\n01763112610040')), 'WRONG'],
  ['receipt-with-a-ninth-line.jsonl', await signedReceipt((text) => `${text}more\n`), 'WRONG'],
  ['receipt-of-another-version.jsonl', await signedReceipt((text) => changed(text, '/v1', '/v2')), 'WRONG'],
  ['receipt-of-a-uid-with-a-space.jsonl', await signedReceipt((text) => changed(text, '\n1001\n', '\n10 1\n')), 'WRONG'],
  ['receipt-signed-by-the-log-key.jsonl', await signedReceipt((text) => text, log), 'NO PROOF'],
  ['no-receipt-of-an-unknown-key.jsonl', await signedReceipt((text) => `${text}more\n`, nextReceipts), 'WRONG'],
  ['receipt-of-an-unknown-key-of-another-time.jsonl', lines(await receiptLine(slow, nextReceipts)), 'NO PROOF'],
  ['checkpoint-with-another-line.jsonl', lines({ checkpoint: await sign(`${checkpointText(last)}another line\n`, log) }, team[0] as Members), '2 ok'],
  ['checkpoint-size-with-a-leading-zero.jsonl', checkpointLine(await sign(changed(checkpointText(last), '\n', '\n0'), log)), 'WRONG'],
  ['checkpoint-with-half-a-root.jsonl', checkpointLine(await sign(`${ORIGIN}\n7\n${base64(Buffer.alloc(16))}\n`, log)), 'WRONG'],
  ['checkpoint-signed-by-the-receipt-key.jsonl', checkpointLine(await checkpointOf(last, receipts)), 'NO PROOF'],
  ['key-note-zero.jsonl', await keyLine(changed(keyText, '\n2\n', '\n0\n')), 'WRONG'],
  ['key-note-of-six-lines.jsonl', await keyLine(`${keyText}more\n`), 'WRONG'],
  ['key-note-with-another-id.jsonl', await keyLine(changed(keyText, /\+[0-9a-f]{8}\+/, '+00000000+')), 'WRONG'],
  ['key-note-of-a-witness.jsonl', await keyLine(changed(keyText, /\n\S+\/receipts\S+/, `\n${receiptsOfWitness}`)), 'WRONG'],
  ['key-note-changed.jsonl', changed(await keyLine(keyText), '\\n2\\n', '\\n3\\n'), 'WRONG'],
  ['statement-by-a-policy-in-another-spelling.jsonl', statement, '5 ok', { policy: 'spelt-otherwise.policy' }],
  ['statement-cosigned-by-one-where-two-must.jsonl', statement, '4 NO PROOF, ok', { policy: 'both-witnesses.policy' }],
  ['proof-with-a-hash-more.jsonl', below({ ...team[0], proof: [...proof, proof[0]] }), 'ok, WRONG'],
  ['proof-with-a-hash-less.jsonl', below({ ...team[0], proof: proof.slice(1) }), 'ok, WRONG'],
  ['proof-of-half-a-hash.jsonl', below({ ...team[0], proof: [base64(Buffer.alloc(16)), ...proof.slice(1)] }), 'ok, WRONG'],
  ['proof-that-is-a-text.jsonl', below({ ...team[0], proof: 'text' }), 'ok, WRONG'],
  ['index-beyond-the-tree.jsonl', below({ ...team[0], index: last.size }), 'ok, WRONG'],
  ['index-as-text.jsonl', below({ ...team[0], index: '0' }), 'ok, WRONG'],
  ['index-in-another-spelling.jsonl', changed(below(team[1] as Members), '"index":1', '"index":10e-1'), '2 ok'],
  ['member-twice-in-an-object-of-the-line.jsonl', spelt('"x":{"a":1,"a":2}'), 'ok'],
  ['half-of-a-pair-in-a-list-of-the-line.jsonl', spelt('"x":["\\ud83d"]'), 'ok'],
  ['members-that-are-absent.jsonl', spelt('"checkpoint":null,"receipt-keys":"","end":null,"entry":"","proof":null'), 'ok'],
  ['end-and-receipt.jsonl', spelt('"end":0'), 'WRONG'],
  ['checkpoint-and-key-note.jsonl', lines({ checkpoint: newest, 'receipt-keys': await keyNote(2, nextReceipts) }), 'WRONG'],
  ['end-with-a-state.jsonl', lines({ end: 0, state: 'stored' }), 'ok'],
  ['last-line-that-is-no-utf-8.jsonl', Buffer.concat([Buffer.from(`${lines(proven)}{"a":"`), Buffer.of(0xc3)]), 'ok, NO PROOF'],
  ['last-line-of-half-a-header.jsonl', lines(proven) + base64(note).slice(0, 97), 'ok, WRONG'],
  ['header-with-spaces-around-it.header', `\ufeff \t${base64(note)}\r\n`, 'ok'],
  ['byte-order-mark-on-another-line.jsonl', `${lines(proven)}\ufeff${lines(proven)}`, 'ok, WRONG'],
  ['end-after-a-line-that-cannot-be-read.jsonl', `{x}\n${lines({ end: 1 })}`, 'WRONG, ok'],
  ['end-after-a-wrong-end.jsonl', lines({ end: 5 }, proven, { end: 1 }), 'WRONG, 2 ok'],
  ['end-after-an-open-line.jsonl', lines(step(risk, 'risk.json', sending), { end: 1 }), 'ok, NO PROOF'],
  ['end-in-another-spelling.jsonl', changed(lines(proven, { end: 1 }), '"end":1', '"end":1.0'), '2 ok'],
  ['end-as-text.jsonl', lines(proven, { end: '1' }), 'ok, WRONG'],
  ['entries-in-another-order.jsonl', below(team[1] as Members, team[0] as Members, { end: 2 }), '3 ok, WRONG'],
  ['order-that-is-no-number.jsonl', lines({ ...proven, order: '7a' }), 'WRONG'],
  ['body-that-is-no-text.jsonl', lines({ ...proven, body: 7 }), 'WRONG'],
  ['entry-id-of-another-entry.jsonl', lines({ ...proven, entryId: risk.entry.entryId }), 'WRONG'],
  ['id-of-another-entry.jsonl', lines({ ...proven, id: risk.entry.entryId }), 'WRONG'],
  ['unknown-key-and-a-proof-of-another-entry.jsonl', below({ ...unknown, ...proofOf(risk) }), 'ok, NO PROOF'],
  ['unknown-key-and-a-proof-without-index.jsonl', below({ ...unknown, proof }), 'ok, WRONG'],
  ['unknown-key-beside-a-proven-entry.jsonl', below({ ...team[0], ...unknown }), 'ok, NO PROOF'],
  ['unknown-key-and-another-body.jsonl', lines({ ...unknown, entry: valuesOf(decision), body: risk.body }), 'WRONG'],
  // With the log, as far as it goes.
  ['unknown-key-looked-up.jsonl', lines({ ...unknown, entry: valuesOf(decision) }), 'NO PROOF', { log: 'log' }],
  ['in-the-log-at-the-deadline.jsonl', await promised(decision, cameAt), 'ok', until0932],
  ['in-the-log-a-millisecond-late.jsonl', await promised(decision, cameAt - 1), 'LATE', until0932],
  ['not-in-the-log-at-the-deadline.jsonl', await promised(early, until), 'MISSING', until0932],
  ['not-in-the-log-a-millisecond-before.jsonl', await promised(early, until + 1), 'NO PROOF', until0932],
  // The look-up ends at the second commit, and the tree has it.
  ['in-the-log-and-not-looked-for-there.jsonl', await promised(order, (commits[1] as Commit).cursor - 600_000), 'NO PROOF', until0932],
  ['in-the-log-and-looked-for-just-there.jsonl', await promised(order, (commits[1] as Commit).cursor - 599_999), 'LATE', until0932],
  ['older-than-the-log-without-a-receipt.jsonl', lines({ entry: valuesOf(late) }), 'ok', began],
  ['older-than-the-log-with-a-receipt.jsonl', lines(await receiptLine(late)), 'LATE', began],
  ['proof-of-another-log-looked-up.jsonl', lines({ checkpoint: await sign(formatCheckpoint({ origin: OTHER, ...last }), otherLog) }, team[0] as Members), 'ok, NO PROOF', { policy: 'two-log-keys.policy', log: 'log' }],
  // Journals, and orders that were inserted.
  ['journal-with-a-wrong-receipt.jsonl', lines(step(decision, 'decision.json', sending), { ...step(decision, 'decision.json', stored), receipt: 'no' }), 'WRONG'],
  ['journal-of-an-upload-tried-twice.jsonl', lines(step(risk, 'a.json', sending), step(risk, 'a.json', sending)), 'NO PROOF'],
  ['journal-with-a-file-that-is-no-text.jsonl', lines({ ...before(risk), file: 7 }, await ofClient(risk)), 'ok'],
  await inserted('null', 31, '{"orderId":7}', '{"orderId":null}'),
  await inserted('zero', 32, '{"orderId":7,"a":1}', '{"orderId":0,"a":1}'),
  await inserted('zero-as-text', 33, '{"a":2,"orderId":7}', '{"a":2,"orderId":"0"}'),
  await inserted('itself', 34, '{"a":3,"orderId" : 7}', '{"a":3,"orderId" : 7}'),
  await inserted('itself-as-text', 35, '{"a":4,"orderId":7}', '{"a":4,"orderId":"7"}'),
  await inserted('the-last-of-two', 36, '{"orderId":5,"orderId":7}', '{"orderId":5,"orderId":"7"}'),
  await inserted('a-log-with-another', 37, '{"orderId":5}', '{"orderId":5}'),
  await inserted('a-log-with-another-spelling', 38, '{"orderId":0.0}', '{"orderId":0.0}'),
  await inserted('a-log-with-a-list', 39, '{"orderId":[]}', '{"orderId":[]}'),
  await inserted('an-escaped-name', 40, '{"\\u006frderId":7}', '{"\\u006frderId":null}'),
  await inserted('an-inner-object', 41, ' {"orderId":7,"a":{"orderId":null}}', ' {"a":{"orderId":null}}'),
  await inserted('no-json', 42, '{"orderId":null', '{"orderId":null'),
];
for (const one of all) vector(...one);
writeFileSync(join(target, '../words.json'), `${JSON.stringify(words, null, 1)}\n`);
