import { expect, test, vi } from 'vitest';
import { openFixture } from '../setup/fixture.ts';
import { loaded } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';
import { FAULTS, type Fault, openFaultProxy } from './faultProxy.ts';

const fixture = await openFixture();

/** All faults but `rejected`, which ends the engine for every call. */
const faults: readonly Fault[] = process.env.THOROUGH
  ? (Object.keys(FAULTS) as Fault[]).filter((fault) => fault !== 'rejected')
  : ['throttled', 'no response', 'a slow response'];

test.each(faults)('the table of the receipt key fails with "%s": uploads are accepted', async (fault) => {
  const proxy = await openFaultProxy(fixture.environment.AWS_ENDPOINT_URL_DYNAMODB);
  proxy.fail('get receipt key', 'receipt-keys', () => fault);
  const environment = { ...fixture.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
  const transport = loaded({ environment })('192.0.2.1');
  const team = await fixture.team();
  const { status, json } = await transport.send(signedUpload(team));
  expect([status, json.code]).toEqual([200, '00000']);

  proxy.heal('get receipt key', 'receipt-keys');
  // The key is read again after five seconds.
  if (process.env.THOROUGH) {
    const receipt = async () => (await transport.send(signedUpload(team))).headers['ai-log-receipt'];
    await vi.waitFor(async () => expect(await receipt()).toBeDefined(), { timeout: 20_000, interval: 500 });
  }
  proxy.close();
});
