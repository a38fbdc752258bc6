import { expect, test, vi } from 'vitest';
import { type CallFault, LASTING, loaded, signedUpload, world } from '../setup/world.ts';

const fixture = await world();

/** All faults but `rejected`, which ends the engine for every call. */
const faults: readonly CallFault[] = process.env.THOROUGH ? LASTING : ['throttled', 'no response', 'a slow response'];

test.each(faults)('the table of the receipt key fails with "%s": uploads are accepted', async (fault) => {
  const proxy = await fixture.faulty();
  proxy.fail('get receipt key', 'receipt-keys', () => fault);
  const transport = loaded(proxy)('192.0.2.1');
  const team = await fixture.team();
  const { status, json } = await transport.send(signedUpload(team));
  expect([status, json.code]).toEqual([200, '00000']);

  proxy.heal('get receipt key', 'receipt-keys');
  // The key is read again after five seconds.
  if (process.env.THOROUGH) {
    const receipt = async () => (await transport.send(signedUpload(team))).headers['ai-log-receipt'];
    await vi.waitFor(async () => expect(await receipt()).toBeDefined(), { timeout: 20_000, interval: 500 });
  }
});
