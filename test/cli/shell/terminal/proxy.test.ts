import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterEach, expect, test } from 'vitest';
import { publicFiles } from '../../../../cli/proof/log/publicFiles.ts';
import { failureOf } from '../../../../cli/shell/terminal/failure.ts';
import { useProxy } from '../../../../cli/shell/terminal/proxy.ts';
import { clientSettings } from '../../../../cli/store/targets/openedTarget.ts';
import { attempt, signRequest } from '../../../../cli/upload/attempt.ts';
import { runCommand, startRefusingProxy, UNREACHABLE } from '../../../setup/world.ts';

const { host, asked } = await startRefusingProxy();
afterEach(() => {
  useProxy({});
  asked();
});

const HOST = 'api.example.invalid';
const stop = new AbortController().signal;
const access = { accessKey: 'k', secret: 's', passphrase: 'p' };

const upload = (url: string) => attempt(signRequest({ ...access, url }, Buffer.from('{}'), 1), { timeout: 5000, stop });
const readLog = (base: string) => publicFiles(base, stop).read('checkpoint').catch(failureOf);
const callAws = (endpoint: string) =>
  new STSClient({
    ...clientSettings({ region: 'eu-west-1' }),
    ...{ endpoint, maxAttempts: 1, credentials: { accessKeyId: 'a', secretAccessKey: 's' } },
  })
    .send(new GetCallerIdentityCommand({}))
    .catch(failureOf);

test('uploads, public logs and AWS are reached through the proxy, and its refusal is no answer of theirs', async () => {
  expect(useProxy({ HTTPS_PROXY: `http://user:word@${host}` })).toBeUndefined();
  const because = 'HTTP 407 of the proxy; HTTPS_PROXY is set';
  expect(await upload(`https://${HOST}`)).toEqual({
    verdict: 'unreached',
    mayBeStored: false,
    says: `no connection to ${HOST} (${because})`,
  });
  expect(await readLog(`https://${HOST}`)).toMatchObject({
    outcome: 'unreachable',
    message: `https://${HOST}/ does not answer as a transparency log: checkpoint: ${because}.`,
  });
  expect(await callAws(`https://${HOST}`)).toMatchObject({
    outcome: 'unreachable',
    message: expect.stringMatching(/ via http:\/\/127[\d.]+:\d+\/: HTTP\/1\.1 407 /),
    advice: expect.stringContaining('HTTPS_PROXY'),
  });
  expect(asked()).toEqual(Array(3).fill(`Basic ${btoa('user:word')} ${HOST}:443`));
});

// biome-ignore format: one case a line
test.each<[name: string, env: (proxy: string) => NodeJS.ProcessEnv, through: boolean]>([
  ['a name in lower case comes first', (proxy) => ({ https_proxy: proxy, HTTPS_PROXY: 'http://127.0.0.1:1' }), true],
  ['an empty name does not count', (proxy) => ({ https_proxy: '', HTTPS_PROXY: proxy }), true],
  ['a URL may lack its scheme', () => ({ HTTPS_PROXY: host }), true],
  ['another host is left out', (HTTPS_PROXY) => ({ HTTPS_PROXY, NO_PROXY: 'ample.invalid, other.invalid' }), true],
  ['the host is left out', (HTTPS_PROXY) => ({ HTTPS_PROXY, NO_PROXY: `other.invalid ${HOST}` }), false],
  ['its domain is left out', (HTTPS_PROXY) => ({ HTTPS_PROXY, NO_PROXY: 'other.invalid,example.invalid' }), false],
  ['its domain with a dot is left out', (HTTPS_PROXY) => ({ HTTPS_PROXY, no_proxy: '.example.invalid', NO_PROXY: 'other.invalid' }), false],
  ['a dot before the host does not matter', (HTTPS_PROXY) => ({ HTTPS_PROXY, NO_PROXY: `.${HOST}` }), false],
  ['every host is left out', (HTTPS_PROXY) => ({ HTTPS_PROXY, NO_PROXY: 'other.invalid,*' }), false],
  ['no proxy', () => ({ HTTP_PROXY: `http://${host}` }), false],
])('%s', async (_name, env, through) => {
  expect(useProxy(env(`http://${host}`))).toBeUndefined();
  for (const send of [upload, callAws]) await send(`https://${HOST}`);
  expect(asked()).toEqual(through ? Array(2).fill(`${HOST}:443`) : []);
});

test('a service on this machine without TLS is reached directly', async () => {
  useProxy({ HTTPS_PROXY: `http://${host}` });
  expect((await upload(UNREACHABLE)).verdict).toBe('unreached');
  expect(asked()).toEqual([]);
});

test('every command uses it', async () => {
  const env = { HTTPS_PROXY: host, AILOG_URL: `https://${HOST}`, AILOG_ACCESS_KEY: 'k', AILOG_SECRET: 's' };
  const ran = await runCommand(['doctor'], { env: { ...env, AILOG_PASSPHRASE: 'p' } });
  expect(ran).toMatchObject({ exitCode: 4, stdout: expect.stringContaining('HTTP 407 of the proxy') });
  expect(asked()).toEqual([`${HOST}:443`]);
});

test.each(['socks5://127.0.0.1:1080', 'http://user:word@'])('%s is no HTTP proxy', async (HTTPS_PROXY) => {
  expect(await runCommand(['doctor'], { env: { HTTPS_PROXY } })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'HTTPS_PROXY is not the URL of an HTTP proxy.\nGive a URL such as http://proxy.example.com:3128, or unset it.\n',
  });
});
