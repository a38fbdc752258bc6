import { expect, test } from 'vitest';
import { BoundedMap } from '../../functions/boundedMap.ts';
import { startRequest } from '../../functions/upload/middleware/around.ts';
import { authenticate, checkAllowlist } from '../../functions/upload/middleware/checkCaller.ts';
import { checkTimestamp, readBody, requireHeaders } from '../../functions/upload/middleware/checkRequest.ts';
import type { Step } from '../../functions/upload/request.ts';
import { Steps } from '../../functions/upload/steps.ts';
import { storeEntry } from '../../functions/upload/storeEntry.ts';
import { world } from '../setup/world.ts';

test('a list in which a step lacks a field does not compile', async () => {
  const dependencies = { ...(await world()).dependencies(), storedEntries: new BoundedMap(1) };
  // The compiler checks the lines: one that compiles against its comment is an error.
  const started = new Steps().around('startRequest', startRequest(dependencies));
  const headers = requireHeaders({ requireLocale: true });
  started.check('requireHeaders', headers).check('checkTimestamp', checkTimestamp());
  // @ts-expect-error The timestamp is in the headers.
  started.check('checkTimestamp', checkTimestamp()).check('requireHeaders', headers);
  // @ts-expect-error The time of receipt is not known yet.
  new Steps().check('requireHeaders', headers).check('checkTimestamp', checkTimestamp());
  // @ts-expect-error Nobody knows the caller yet.
  started.check('requireHeaders', headers).check('checkAllowlist', checkAllowlist());
  // @ts-expect-error The signature is over the body, and the records of the key are missing.
  started.check('requireHeaders', headers).check('authenticate', authenticate());
  // @ts-expect-error There is no entry to store.
  started.check('requireHeaders', headers).last(storeEntry(dependencies));

  const readsCaller: Step<never, 'rawBody'> = {
    // @ts-expect-error A step reads only what it says that it needs.
    before: ({ event }) => event.caller,
  };
  const addsMore: Step<'rawBody', 'bodyText'> = {
    before: ({ event }) => {
      // @ts-expect-error A step adds only what it says.
      event.log = { text: event.rawBody };
    },
  };
  started.check('readsCaller', readsCaller).check('addsMore', addsMore);
  // @ts-expect-error What a step adds is not there before it has added it.
  const readsItself: Step<never, 'rawBody'> = { before: ({ event }) => event.rawBody.length };
  started.check('readsItself', readsItself);
});

test('the steps run in the order of the list, and a check records its milliseconds, also if it rejects', async () => {
  const rejects: Step = { before: () => Promise.reject(new Error('rejected')) };
  const { steps } = new Steps()
    .around('startRequest', startRequest({ now: () => 7 }))
    .check('readBody', readBody())
    .check('rejects', rejects)
    .last(async () => ({ statusCode: 200, body: '' }));
  expect(Object.keys(steps)).toEqual(['startRequest', 'readBody', 'rejects']);
  const event = { body: 'text' };
  const run = async () => {
    for (const { before } of Object.values(steps)) await before?.({ event } as never);
  };
  await expect(run()).rejects.toThrow('rejected');
  expect(event).toMatchObject({
    receivedAt: 7,
    rawBody: Buffer.from('text'),
    middlewareMs: { readBody: expect.any(Number), rejects: expect.any(Number) },
  });
});
