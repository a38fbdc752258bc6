import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { overHttp, signedUpload, world } from '../setup/world.ts';

/** Longer than the read of the receipt key may take. */
const FROZEN_MS = 3000;

test('a function that is frozen after its start signs the receipt of its first upload', async () => {
  const fixture = await world();
  const team = await fixture.team();
  const proxy = await fixture.faulty();
  // The reads at the start get no answer before the process is frozen: one for each thread.
  proxy.plan(...Array<'hang'>(16).fill('hang'));
  const service = await overHttp(proxy);
  try {
    process.kill(service.pid, 'SIGSTOP');
    await sleep(FROZEN_MS);
    proxy.plan();
    const answer = service.send(signedUpload(team));
    await sleep(100);
    process.kill(service.pid, 'SIGCONT');
    expect(await answer).toMatchObject({
      status: 200,
      headers: { 'ai-log-receipt': expect.stringMatching(/\S{500}/) },
    });
  } finally {
    await service.close();
  }
});
