import { expect, test } from 'vitest';
import { attempt, type Reply, signRequest } from '../../../cli/upload/attempt.ts';
import { type Fault, startFaultProxy, UNREACHABLE } from '../../setup/world.ts';

const way = await startFaultProxy(UNREACHABLE);

const access = { accessKey: 'k', secret: 's', passphrase: 'p' };
const send = (...faults: readonly Fault[]) => {
  way.plan(...faults);
  const request = signRequest({ ...access, url: way.url }, Buffer.from('{}'), 1_763_103_201_300);
  return attempt(request, { timeout: 5000, stop: new AbortController().signal });
};
const envelope = (code: string, more: object = {}) => JSON.stringify({ code, msg: 'so', ...more });

// biome-ignore format: one case a line
const cases: [name: string, status: number, body: string, headers: Record<string, string>, reply: Partial<Reply>][] = [
  ['a success', 200, envelope('00000', { requestTime: 5 }), { 'AI-LOG-RECEIPT': 'r', RateLimit: 'q' }, { verdict: 'stored', mayBeStored: false, status: 200, code: '00000', requestTime: 5, receipt: 'r', rateLimit: 'q', says: 'HTTP 200, 00000: so' }],
  ['a success without headers', 200, envelope('00000'), {}, { verdict: 'stored', mayBeStored: false, status: 200, code: '00000', says: 'HTTP 200, 00000: so' }],
  ['a page of a proxy', 200, '<html>', { 'Content-Type': 'text/html' }, { verdict: 'later', mayBeStored: true, status: 200, says: 'HTTP 200, which is not an answer of the upload service (text/html)' }],
  ['another code with 200', 200, envelope('40019'), {}, { verdict: 'later', mayBeStored: true, status: 200, code: '40019', says: 'HTTP 200, 40019: so' }],
  ['a success with another status', 202, envelope('00000'), {}, { verdict: 'later', mayBeStored: true, status: 202, code: '00000', says: 'HTTP 202, 00000: so' }],
  ['a redirect, which is not followed', 307, '', { Location: 'http://127.0.0.1:9/' }, { verdict: 'rejected', mayBeStored: false, status: 307, says: 'HTTP 307, which is not an answer of the upload service (no content type)' }],
  ['an answer that only looks like an envelope', 300, '{"code":1,"msg":"so"}', {}, { verdict: 'rejected', mayBeStored: false, status: 300, says: 'HTTP 300, which is not an answer of the upload service (no content type)' }],
  ['a time-out of a proxy', 408, '', {}, { verdict: 'later', mayBeStored: true, status: 408, says: 'HTTP 408, which is not an answer of the upload service (no content type)' }],
  ['a limit of a proxy', 429, '', {}, { verdict: 'later', mayBeStored: true, status: 429, says: 'HTTP 429, which is not an answer of the upload service (no content type)' }],
  ['an envelope without a message', 400, '{"code":"40017"}', {}, { verdict: 'later', mayBeStored: true, status: 400, says: 'HTTP 400, which is not an answer of the upload service (no content type)' }],
  ['null', 400, 'null', {}, { verdict: 'later', mayBeStored: true, status: 400, says: 'HTTP 400, which is not an answer of the upload service (no content type)' }],
  ['a rejection', 499, envelope('40017'), {}, { verdict: 'rejected', mayBeStored: false, status: 499, code: '40017', says: 'HTTP 499, 40017: so' }],
  ['a limit', 429, envelope('429'), { 'Retry-After': '7' }, { verdict: 'later', mayBeStored: false, status: 429, code: '429', retryAfter: 7000, says: 'HTTP 429, 429: so' }],
  ['a failure', 500, envelope('40015'), { 'Retry-After': '1234567' }, { verdict: 'later', mayBeStored: true, status: 500, code: '40015', says: 'HTTP 500, 40015: so' }],
  ['a failure with a date', 503, envelope('40015'), { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' }, { verdict: 'later', mayBeStored: true, status: 503, code: '40015', says: 'HTTP 503, 40015: so' }],
];
test.each(cases)('%s', async (_name, status, body, headers, reply) => {
  expect(await send({ status, body, headers })).toEqual(reply);
});

test.each([401, 403, 404, 405, 413, 414, 421])('what any server answers with %i was not passed on', async (status) => {
  // After a 421, fetch itself sends the request once more.
  expect(await send({ status }, { status })).toMatchObject({ verdict: 'rejected', mayBeStored: false });
});

test('a broken connection may have stored the log', async () => {
  expect(await send('break before')).toEqual({
    verdict: 'later',
    mayBeStored: true,
    says: 'the connection broke (UND_ERR_SOCKET)',
  });
});

test('the request has its signature, its passphrase and its body', async () => {
  await send({ status: 200 });
  expect(way.seen()).toEqual([
    {
      url: '/capi/v2/order/uploadAiLog',
      body: Buffer.from('{}').toString('hex'),
      headers: expect.objectContaining({
        'access-key': 'k',
        'access-timestamp': '1763103201300',
        'access-passphrase': 'p',
        'access-sign': expect.stringMatching(/^[\w+/]{43}=$/),
        'content-type': 'application/json',
        locale: 'en-US',
      }),
    },
  ]);
});

test('an interruption ends the attempt with its reason', async () => {
  const stop = AbortSignal.abort(new Error('Ctrl-C'));
  const request = signRequest({ ...access, url: way.url }, Buffer.from('{}'), 1);
  await expect(attempt(request, { timeout: 5000, stop })).rejects.toThrow('Ctrl-C');
});
