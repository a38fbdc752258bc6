/**
 * Makes the files of evidence anew, with the real function, sequencer and commands, fixed keys and fixed times: every run
 * writes the same bytes. test/vectors/README.md says when it may be used.
 */

import { createPublicKey, hash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localRunOptions } from '../../../cli/local/sequence.ts';
import { openJournal } from '../../../cli/proof/evidence/journal.ts';
import { RESULTS_FILE } from '../../../cli/proof/evidence/resultFile.ts';
import { LOCAL_FOLDER, LOCAL_ORIGIN, localPaths, localTables } from '../../../cli/store/targets/data.ts';
import { startEngine } from '../../../cli/store/targets/embeddedEngine.ts';
import { keyFileSeal } from '../../../cli/store/targets/seal.ts';
import { signNote } from '../../../functions/c2sp/note.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { receiptKeyTable } from '../../../functions/sequencer/receiptKeyTable.ts';
import { runSequencer } from '../../../functions/sequencer/run.ts';
import { receiptKeyContext } from '../../../functions/tlog/tlogTable.ts';
import { fixedKey, newSigner, newWitness } from '../../c2sp/keys.ts';
import { runCommand } from '../../setup/commandLine.ts';
import { openFixture, type Team } from '../../setup/fixture.ts';
import openRunFolder from '../../setup/runFolder.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';
import { inProcess } from '../../setup/transports.ts';
import { signedUpload } from '../../setup/upload.ts';
import { addTeam, teamOf } from './team.ts';

const START = Date.parse('2025-11-14T09:30:00.000Z');
const MADE_AT = '2025-11-14T09:40:00.000Z';
const SECOND = 1000;

/** The logs of team 1001 as it sends them, and one of another team. A log may have members that the schema lacks. */
const LOGS = {
  'decision.json':
    '{"orderId":590480926522704171,"stage":"Decision Making","model":"GPT-5-mini","input":{"prompt":"BTC/ETH, 6 h?","rsi":71.250},"output":{"response":"Sell ETH 📉"},"explanation":"BTC is stronger – 看空 ETH.","confidence":"high"}',
  'risk.json':
    '{"stage":"Risk Check","model":"Ａ\\u202e\\" 9","input":{"position":-1.5},"output":{"allowed":true},"explanation":"Within the limit."}',
  'order.json':
    '{"orderId":"590480926522704172","stage":"Execution","model":"GPT-5-mini","input":{"side":"sell"},"output":{"filled":1},"explanation":"Filled at once."}',
} as const;
type LogName = keyof typeof LOGS;
/** A log of another team, with the character that programs put in the place of what is no text. */
const OF_OTHER = LOGS['risk.json'].replace('limit.', 'limit \ufffd.');
const NAMES = Object.keys(LOGS) as LogName[];

openRunFolder();
const folder = temporaryFolder();
const keyFile = join(folder, localPaths.key);
mkdirSync(join(folder, LOCAL_FOLDER));
writeFileSync(keyFile, '11'.repeat(32), { mode: 0o600 });
const engine = await startEngine(join(folder, LOCAL_FOLDER));
const fixture = await openFixture({
  receiptKey: false,
  target: { endpoint: engine.endpoint, names: localTables, keyFile },
});
const { db, names } = fixture;

async function storeReceiptKey(): Promise<void> {
  const privateKey = fixedKey(2);
  const keys = receiptKeyTable(db, names.tlog, async (origin) => ({
    publicKey: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }),
    sealedPrivateKey: keyFileSeal(keyFile)(
      privateKey.export({ format: 'der', type: 'pkcs8' }),
      Buffer.from(JSON.stringify(receiptKeyContext(origin))),
    ),
  }));
  await keys.ensure(LOCAL_ORIGIN, START, AbortSignal.timeout(10_000));
}

/** Uploads a body that was signed at a time, and arrives 40 ms later. */
async function upload(team: Team, at: number, body: string) {
  const transport = inProcess(fixture.dependencies({ now: () => at + 40 }));
  const { headers, text } = await transport.send(signedUpload(team, { timestamp: () => at, body }));
  const { 'ai-log-id': entryId, 'ai-log-receipt': receipt } = headers;
  if (entryId === undefined || receipt === undefined) throw new Error(text);
  return { entryId, receipt };
}

const sequence = (at: number) => {
  const options = localRunOptions({ db, tables: names, folder: join(folder, localPaths.tlog), keyFile });
  return runSequencer({ ...options, lagMs: 0, now: () => at }, AbortSignal.timeout(60_000));
};

async function ailog(...args: string[]): Promise<void> {
  const { exitCode, stderr } = await runCommand(args, { cwd: folder });
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
}

const files = new Map<string, string | Buffer>();
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const textOf = (name: string) => String(files.get(name));

/** Keeps a file with one place of it changed. */
function tampered(name: string, of: string, from: string | RegExp, to: string): void {
  const changed = textOf(of).replace(from, to);
  if (changed === textOf(of)) throw new Error(`${name}: nothing was changed`);
  files.set(name, changed);
}

/** Returns a statement with a last line that fits it, as somebody writes it who changes a statement with care. */
function sealed(statement: string): string {
  const lines = statement.split('\n').slice(0, -2);
  const text = lines.map((line) => `${line}\n`).join('');
  return `${text}${JSON.stringify({ end: true, entries: lines.length - 1, sha256: hash('sha256', text) })}\n`;
}

async function makeFiles(): Promise<void> {
  await storeReceiptKey();
  const team = teamOf('1001');
  const other = teamOf('1002');
  for (const one of [team, other]) await addTeam(fixture, one);
  await sequence(START);
  const uploads: (Awaited<ReturnType<typeof upload>> & { readonly file: LogName })[] = [];
  for (const [index, file] of NAMES.entries()) {
    uploads.push({ file, ...(await upload(team, START + (10 + index) * SECOND, LOGS[file])) });
  }
  await sequence(START + 60 * SECOND);
  const ofOther = await upload(other, START + 70 * SECOND, OF_OTHER);
  await sequence(START + 120 * SECOND);
  // Ten minutes later, the log publishes its checkpoint again, and notes its size.
  await sequence(START + 720 * SECOND);

  const [decision] = uploads;
  if (!decision) throw new Error('There is no upload');
  await ailog('tlog', 'export-policy', '-o', 'tlog.policy');
  await ailog('prove', decision.entryId, '-o', 'decision');
  await ailog('statement', '--uid', team.uid, '-o', 'team.statement');
  await ailog('statement', '--uid', team.uid, '--until', '2025-11-14T09:30:12Z', '-o', 'period.statement');
  await ailog('statement', '--uid', other.uid, '-o', 'other.statement');
  await ailog('logs', 'export', '--uid', team.uid, '-o', 'team.jsonl');
  await ailog('logs', 'export', '--uid', team.uid, '--format', 'csv', '-o', 'team.csv');

  const journal = await openJournal(join(folder, RESULTS_FILE), {
    url: 'https://api.example.com',
    accessKey: team.accessKey,
    uid: team.uid,
  });
  for (const { file, ...stored } of uploads) {
    journal.add({ file, state: 'stored', digest: hash('sha256', LOGS[file]), ...stored });
  }
  journal.close();

  for (const [name, body] of Object.entries(LOGS)) files.set(name, body);
  for (const name of ['tlog.policy', 'decision.tlog-proof', 'decision.preimage', 'team.jsonl', 'team.csv']) {
    files.set(name, read(name));
  }
  files.set('decision.receipt', Buffer.from(decision.receipt, 'base64'));
  files.set('receipt.header', decision.receipt);
  // The times of the files are those of this run.
  files.set('results.jsonl', read(RESULTS_FILE).replace(/"at":"[^"]*"/g, `"at":"${MADE_AT}"`));
  for (const name of ['team.statement', 'period.statement', 'other.statement']) {
    files.set(name, sealed(read(name).replace(/"generatedAt":"[^"]*"/, `"generatedAt":"${MADE_AT}"`)));
  }
  await addSignedByOthers(decision, ofOther.receipt);
  tamper();
}

/** Adds what needs other keys: a cosigned proof, a forged receipt, and policies that trust others. */
async function addSignedByOthers({ receipt }: { readonly receipt: string }, receiptOfOther: string): Promise<void> {
  const witness = newWitness('witness.example.net', fixedKey(3));
  const stranger = newWitness('stranger.example.net', fixedKey(4));
  const proof = textOf('decision.tlog-proof');
  const [, checkpoint = ''] = /\n\n(.*?\n)\n— /s.exec(proof) ?? [];
  files.set('cosigned.tlog-proof', proof + witness.cosign(checkpoint, START / 1000 + 130));
  files.set('cosigned-by-a-stranger.tlog-proof', proof + stranger.cosign(checkpoint, START / 1000 + 130));
  // The log without the entry, cosigned before the deadline and after it.
  const earlier = readFileSync(join(folder, localPaths.tlog, 'checkpoints/3'), 'utf8');
  const [text3 = ''] = earlier.split('\n\n');
  for (const [name, seconds] of [
    ['between', 5],
    ['late', 660],
  ] as const) {
    const extra = Buffer.from(earlier + witness.cosign(`${text3}\n`, START / 1000 + seconds)).toString('base64');
    const cosigned = proof + witness.cosign(checkpoint, START / 1000 + seconds + 60);
    files.set(`${name}.tlog-proof`, cosigned.replace('\n', `\nextra ${extra}\n`));
  }
  const quorum = `witness W1 ${formatVerifierKey(witness.key)}\nquorum W1`;
  tampered('witnessed.policy', 'tlog.policy', 'quorum none', quorum);

  const forger = newSigner(`${LOCAL_ORIGIN}/receipts`, fixedKey(5));
  const [text = ''] = Buffer.from(receipt, 'base64').toString().split('\n\n');
  files.set('receipt-signed-by-another-key.note', await signNote(`${text}\n`, [forger], AbortSignal.timeout(1000)));
  const secondKey = `# receipts ${formatVerifierKey(forger.key)}\nquorum none`;
  tampered('two-receipt-keys.policy', 'tlog.policy', 'quorum none', secondKey);
  files.set('receipt-of-another-team.header', receiptOfOther);
  files.set('strange.policy', `log ${formatVerifierKey(newSigner(LOCAL_ORIGIN, fixedKey(6)).key)}\nquorum none\n`);
}

/** Adds a file for each way to change one. */
function tamper(): void {
  tampered('receipt-time-changed.note', 'decision.receipt', /^(1763112610)040$/m, '$1041');
  tampered('receipt-team-changed.note', 'decision.receipt', '\n1001\n', '\n1002\n');
  tampered('receipt-with-windows-line-ends.note', 'decision.receipt', /\n/g, '\r\n');
  tampered('body-changed.json', 'decision.json', '71.250', '71.25');

  const anotherHash = Buffer.alloc(32, 7).toString('base64');
  tampered('proof-hash-changed.tlog-proof', 'decision.tlog-proof', /^[\w+/]{43}=$/m, anotherHash);
  tampered('proof-index-changed.tlog-proof', 'decision.tlog-proof', /^index (\d)$/m, 'index 1$1');
  tampered('proof-checkpoint-changed.tlog-proof', 'decision.tlog-proof', /(\n\n.*\n)(\d)\n/, '$11$2\n');
  tampered('proof-cut-off.tlog-proof', 'decision.tlog-proof', /\n\n[\s\S]*$/, '\n');
  tampered('locale-changed.preimage', 'decision.preimage', 'en-US', 'de-DE');
  tampered('time-changed.preimage', 'decision.preimage', '1763112610040', '1763112610041');

  const lines = textOf('results.jsonl').split('\n');
  const receiptsSwapped = [
    lines[0]?.replace(/"receipt":"[^"]*"/, /"receipt":"[^"]*"/.exec(lines[1] ?? '')?.[0] ?? ''),
    '',
  ];
  files.set('results-receipt-of-another-log.jsonl', receiptsSwapped.join('\n'));
  tampered('results-log-never-stored.jsonl', 'results.jsonl', '"state":"stored"', '"state":"unknown"');
  tampered('results-cut-off.jsonl', 'results.jsonl', /,"digest"[\s\S]*$/, '\n');
  tampered('results-without-last-line-feed.jsonl', 'results.jsonl', /\n$/, '');
  tampered('results-without-last-half-line.jsonl', 'results.jsonl', /,"digest"[^\n]*\n$/, '');

  const statement = (reason: string, from: string | RegExp, to: string, of = 'team.statement') => {
    tampered(`statement-${reason}.statement`, of, from, to);
    files.set(`statement-${reason}.statement`, sealed(textOf(`statement-${reason}.statement`)));
  };
  statement('body-changed', '71.250', '71.251');
  statement('model-changed', '"model":"GPT-5-mini","expl', '"model":"GPT-6-mini","expl');
  statement('time-changed', '09:30:10.040Z', '09:30:10.041Z');
  statement('order-changed', '"orderId":"590480926522704171"', '"orderId":"590480926522704179"');
  statement('address-changed', '192.0.2.1', '192.0.2.2');
  statement('proof-changed', /"proof":\["[^"]*"/, `"proof":["${anotherHash}"`);
  statement('team-changed', '"uid":"1001","origin"', '"uid":"1002","origin"');
  statement('period-changed', '"since":null', '"since":"2025-11-14T09:30:11.000Z"');
  statement('checkpoint-changed', /("checkpoint":"[^"]*?\\n)(\d)\\n/, '$11$2\\n');
  statement(
    'made-pending',
    /"status":"logged","index":\d+,"proof":\[[^\]]*\]/,
    '"status":"pending","index":null,"proof":null',
  );
  statement('attribute-added', '"format":"ai-log-statement/v1",', '"format":"ai-log-statement/v1","guilty":true,');
  statement('of-a-later-format', 'ai-log-statement/v1', 'ai-log-statement/v99');
  tampered('statement-entry-removed.statement', 'team.statement', /\n[^\n]*Risk Check[^\n]*/, '');
  tampered('statement-cut-off.statement', 'team.statement', /\n\{"end"[\s\S]*$/, '\n');
  tampered('statement-without-last-line-feed.statement', 'team.statement', /\n$/, '');
  statement('until-changed', ':12.000Z"', ':11.000Z"', 'period.statement');
  statement('half-of-a-pair', /(.*)\ufffd/s, '$1\\ud800', 'other.statement');
  const [before = '', ...after] = textOf('other.statement').split('\ufffd');
  const noText = Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after.join('\ufffd'))]);
  files.set('statement-byte-that-is-no-text.statement', noText);
}

/** Adds the files of the log, and for some of them one in which a byte was changed. */
function addLog(target: string): void {
  const log = join(folder, localPaths.tlog);
  for (const name of ['checkpoint', 'checkpoints', 'hints', 'staging', 'tile']) {
    cpSync(join(log, name), join(target, 'tlog', name), { recursive: true });
  }
  const changed = {
    'bundle-changed': 'tile/entries/000.p/7',
    'tile-changed': 'tile/0/000.p/7',
    'checkpoint-changed': 'checkpoint',
  };
  for (const [name, path] of Object.entries(changed)) {
    const bytes = readFileSync(join(log, path));
    bytes.writeUInt8(bytes.readUInt8(50) ^ 1, 50);
    writeFileSync(join(target, name), bytes);
  }
}

try {
  await makeFiles();
  const target = resolve(process.argv[2] ?? fileURLToPath(new URL('files', import.meta.url)));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(target, name), content);
  addLog(target);
} finally {
  await engine.stop();
}
