import { rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { listen } from '../../cli/local/serve.ts';
import { parseNote } from '../../functions/c2sp/note.ts';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { newWitness } from '../c2sp/keys.ts';
import { openFixture } from '../setup/fixture.ts';
import { MINUTE_MS } from '../setup/time.ts';
import { openLogFixture } from './logFixture.ts';
import { startWitness } from './witnessServer.ts';

/** One of three witnesses misbehaves, and two are enough. Nothing that it does stops the log or damages its files. */

const TIMEOUT_MS = 400;
const TIME = 1_763_112_660;

const log = await openLogFixture(await openFixture());
const [signer] = await log.options.signers(AbortSignal.timeout(1000));
if (!signer) throw new Error('no signer');
const one = await startWitness('one.example', signer.key);
const two = await startWitness('two.example', signer.key);
const liar = newWitness('liar.example');

interface Asked {
  readonly response: ServerResponse;
  /** The text of the checkpoint that the liar is asked to cosign. */
  readonly text: string;
  /** The size that the log takes for the last one, and that of the checkpoint. */
  readonly old: number;
  readonly size: number;
}
let behave: (asked: Asked) => unknown = ({ response }) => response.destroy();
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString();
  const { text } = parseNote(body.slice(body.indexOf('\n\n') + 2));
  if (request.url === '/signed') return response.end(liar.cosign(text, TIME));
  behave({ response, text, old: Number(/^old (\d+)/.exec(body)?.[1]), size: Number(text.split('\n')[1]) });
});
const url = await listen(server, 0);
afterAll(() => {
  one.close();
  two.close();
  server.close().closeAllConnections();
});

const policyText = (quorum: string) =>
  [
    `log ${formatVerifierKey(signer.key)}`,
    `witness one ${formatVerifierKey(one.key)} ${one.url}`,
    `witness two ${formatVerifierKey(two.key)} ${two.url}`,
    `witness liar ${formatVerifierKey(liar.key)} ${url}`,
    'group most 2 one two liar',
    `quorum ${quorum}`,
  ].join('\n');
const witnesses = parsePolicy(policyText('most'));

const checkpoint = () => String(log.files().get('checkpoint'));
const published = () => openCheckpoint(checkpoint(), witnesses);
const run = () => log.run({ witnesses, witnessTimeoutMs: TIMEOUT_MS });
const grow = async () => {
  await log.grow(3);
};

const send =
  (status: number, body: string | Buffer, headers = {}) =>
  ({ response }: Asked) =>
    response.writeHead(status, headers).end(body);
const sign =
  (answer: (line: string, asked: Asked) => string | Buffer, headers = {}) =>
  (asked: Asked) =>
    asked.response.writeHead(200, headers).end(answer(liar.cosign(asked.text, TIME), asked));
const strangers = Array.from({ length: 97 }, (_, index) => newWitness(`stranger${index}.example`));
/** Signed once: 700 signatures take so long that the honest witnesses, in this process, would miss their time. */
const CROWD = Array.from({ length: 700 }, (_, at) => strangers[at % 97]?.cosign('another text\n', at)).join('');
/** Returns a line with the time of another, which its signature does not cover. */
const withTime = (line: string, time: bigint): string => {
  const [dash, name, encoded = ''] = line.trimEnd().split(' ');
  const bytes = Buffer.from(encoded, 'base64');
  bytes.writeBigUInt64BE(time, 4);
  return `${dash} ${name} ${bytes.toString('base64')}\n`;
};

/** What the liar does, and whether its cosignature counts all the same. */
const misbehaviours: Readonly<Record<string, readonly [act: (asked: Asked) => unknown, counts?: 'counts']>> = {
  'does not answer': [() => undefined],
  'closes the connection': [({ response }) => response.destroy()],
  'closes the connection in the middle of its answer': [
    ({ response }) => response.writeHead(200, { 'content-length': 1000 }).write('— liar', () => response.destroy()),
  ],
  'sends a byte at a time': [
    ({ response }) => {
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    },
  ],
  'answers without end': [
    ({ response }) => {
      const write = (): unknown => !response.destroyed && response.write('x'.repeat(65_536), write);
      write();
    },
  ],
  'answers HTTP 500': [send(500, 'oops')],
  'answers HTTP 404': [send(404, 'unknown log')],
  'answers HTTP 403': [send(403, 'no key')],
  'answers HTTP 204': [send(204, '')],
  'answers HTTP 201 with a right line': [({ response, text }) => response.writeHead(201).end(liar.cosign(text, TIME))],
  'redirects to itself without end': [({ response }) => response.writeHead(307, { location: url }).end()],
  'redirects to where it would sign': [({ response }) => response.writeHead(308, { location: `${url}/signed` }).end()],
  'answers nothing': [send(200, '')],
  'answers with what is no line': [send(200, 'thanks\n')],
  'answers with invalid UTF-8': [send(200, Buffer.from([0xff, 0xfe, 0x0a]))],
  'answers with the line of another key': [sign((_line, { text }) => newWitness('liar.example').cosign(text, TIME))],
  'signs another text': [send(200, liar.cosign('text\n', TIME))],
  'signs no time': [sign((_line, { text }) => liar.cosign(text, 0))],
  'changes its time after it signed': [sign((line) => withTime(line, 1n))],
  'has a time beyond every calendar': [sign((line) => withTime(line, 2n ** 60n))],
  'ends its lines with CRLF': [sign((line) => line.replace('\n', '\r\n'))],
  'does not end its line': [sign((line) => line.trimEnd())],
  'starts with an empty line': [sign((line) => `\n${line}`)],
  'writes a hyphen instead of a dash': [sign((line) => line.replace('—', '-'))],
  'answers with a whole note': [sign((line, { text }) => `${text}\n${line}`)],
  'adds a wrong line of its key': [sign((line, { text }) => line + liar.cosign(`${text}more\n`, TIME))],
  'compresses its answer, which fetch decodes': [
    sign((line) => gzipSync(line), { 'content-encoding': 'gzip' }),
    'counts',
  ],
  'says that its answer is compressed': [sign((line) => line, { 'content-encoding': 'gzip' })],
  'adds lines of 700 strangers, more than are read': [sign((line) => CROWD + line)],
  'compresses them': [sign((line) => gzipSync(CROWD + line), { 'content-encoding': 'gzip' })],
  'repeats its line 98 times': [sign((line) => line.repeat(98)), 'counts'],
  'signs twice, at two times': [sign((line, { text }) => line + liar.cosign(text, TIME + 9)), 'counts'],
  'adds lines of 97 strangers': [
    sign((line, { text }) => strangers.map(({ cosign }) => cosign(text, TIME)).join('') + line),
    'counts',
  ],
  'has seen what is no size': [send(409, 'many\n')],
  'has seen a negative size': [send(409, '-1\n')],
  'has seen more leaves than a number can count': [send(409, `${2n ** 64n}\n`)],
  'has seen another smaller size each time': [({ response, size }) => response.writeHead(409).end(`${size - 1}\n`)],
};

/** What only a witness of another log of this name would say. It is one party's word, and nothing signs it. */
const contradictions: Readonly<Record<string, (asked: Asked) => unknown>> = {
  'has seen a larger log': ({ response, size }) => response.writeHead(409).end(`${size + 1}\n`),
  'has seen a log that this one does not continue': send(422, 'proof'),
  'has seen another root at this size': ({ response, old, size }) =>
    response.writeHead(409).end(old === size ? 'another root\n' : `${size}\n`),
};

test.each(Object.entries(misbehaviours))('a witness that %s does not stop the log', async (_what, [act, counts]) => {
  behave = act;
  await grow();
  const { size, quorumMissed, witnessFailures, witnessContradictions } = await run();
  expect({ size, quorumMissed, witnessContradictions }).toEqual({
    size: (await log.head()).size,
    quorumMissed: false,
    witnessContradictions: {},
  });
  expect(Object.keys(witnessFailures)).toEqual(counts ? [] : ['liar']);
  expect([...published().cosigned.keys()]).toEqual(['one', 'two', ...(counts ? ['liar'] : [])]);
  // One line of each key: that of the log, and those of the witnesses.
  expect(parseNote(checkpoint()).signatures).toHaveLength(published().cosigned.size + 1);
  expect(await run()).toMatchObject({ quorumMissed: false, size });
});

test.each(Object.entries(contradictions))(
  'a witness that %s is named, and two others are enough',
  async (_what, act) => {
    behave = act;
    await grow();
    const { witnessContradictions } = await run();
    expect(witnessContradictions).toEqual({ liar: expect.stringContaining('has seen') });
    expect(published()).toMatchObject({ size: (await log.head()).size, quorum: true });
    expect([...published().cosigned.keys()]).toEqual(['one', 'two']);
    expect((await log.head()).contradictions).toEqual(witnessContradictions);
    // A witness that fails has not taken back what it said.
    behave = send(503, '');
    await grow();
    expect(await run()).toMatchObject({ witnessContradictions });
    behave = sign((line) => line);
    await grow();
    expect(await run()).toMatchObject({ witnessContradictions: {} });
    expect((await log.head()).contradictions).toEqual({});
  },
);

test.each(Object.entries(contradictions))(
  'a witness that %s stops the log if the quorum cannot be reached without it',
  async (_what, act) => {
    behave = act;
    await grow();
    const published = () => [...log.files()].filter(([path]) => /^(checkpoint|cosigned)/.test(path));
    const before = published();
    const needed = parsePolicy(policyText('liar'));
    await expect(log.run({ witnesses: needed })).rejects.toMatchObject({ condition: 'witness-contradicts' });
    expect(published()).toEqual(before);
    await expect(log.run({ witnesses: needed })).rejects.toMatchObject({ condition: 'witness-contradicts' });
    // A witness that is only slow may still answer: it is no reason to stop.
    one.answer('no answer');
    expect(await run()).toMatchObject({ quorumMissed: true });
    one.answer(undefined);
    behave = sign((line) => line);
    expect(await run()).toMatchObject({ quorumMissed: false, witnessContradictions: {} });
  },
);

test('of two lines of a witness, the newer one is kept', async () => {
  behave = sign((line, { text }) => liar.cosign(text, TIME + 9) + line);
  await grow();
  await run();
  expect(published().cosigned.get('liar')).toBe(TIME + 9);
});

test('a message about a witness is short, whatever it answers', async () => {
  behave = send(409, '\u0001'.repeat(60_000));
  await grow();
  expect((await run()).witnessFailures.liar).toHaveLength(200);
});

test('a file of the log that is missing stops the log, whoever asks for it', async () => {
  const own = await openLogFixture(await openFixture());
  await own.run();
  for (const count of [300, 3]) {
    await own.grow(count);
    if (count === 300) await own.run();
  }
  rmSync(join(own.folder, 'tile/0/000'));
  behave = send(409, '100\n');
  const policy = parsePolicy(`witness liar ${formatVerifierKey(liar.key)} ${url}\nquorum none`);
  await expect(own.run({ witnesses: policy })).rejects.toMatchObject({ condition: 'file-missing' });
});

test('copies of a line in the published checkpoint are kept once', async () => {
  behave = sign((line) => line);
  await grow();
  await run();
  const [line = ''] = /— liar\.example .*\n/.exec(checkpoint()) ?? [];
  await log.options.storage.replace(
    'checkpoint',
    Buffer.from(checkpoint() + line.repeat(50)),
    (await log.options.storage.get('checkpoint', AbortSignal.timeout(1000)))?.etag,
    AbortSignal.timeout(1000),
  );
  behave = send(503, '');
  log.clock.advance(20 * MINUTE_MS);
  expect(await run()).toMatchObject({ quorumMissed: false });
  expect(parseNote(checkpoint()).signatures.filter(({ name }) => name === 'liar.example')).toHaveLength(1);
});

test('more witnesses than a note has room for are published as far as they fit', async () => {
  const many = Array.from({ length: 120 }, (_, index) => newWitness(`many${index}.example`));
  const crowd = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    const { text } = parseNote(body.slice(body.indexOf('\n\n') + 2));
    response.end(many[Number(request.url?.split('/')[1])]?.cosign(text, TIME));
  });
  const address = await listen(crowd, 0);
  const policy = parsePolicy(
    [
      ...many.map(({ key }, index) => `witness w${index} ${formatVerifierKey(key)} ${address}/${index}`),
      'quorum none',
    ].join('\n'),
  );
  await grow();
  const { witnessFailures, size } = await log.run({ witnesses: policy });
  expect(Object.keys(witnessFailures)).toHaveLength(21);
  expect(parseNote(checkpoint()).signatures).toHaveLength(100);
  expect(await log.run({ witnesses: policy })).toMatchObject({ size });
  crowd.close().closeAllConnections();
});
