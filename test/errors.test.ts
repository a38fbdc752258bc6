import { expect, test } from 'vitest';
import { apiError, apiErrors } from '../functions/errors.ts';

test('the values of a message are typed: a misspelt or missing one does not compile', () => {
  const limits = { limit: 1, received: 2 };
  expect(apiError('bodyTooLarge', limits).message).toBe('Body too large: limit 1 bytes, received 2 bytes');
  // @ts-expect-error `recieved` is no placeholder of the message.
  apiError('bodyTooLarge', { limit: 1, recieved: 2 });
  // @ts-expect-error The limit is missing.
  apiError('bodyTooLarge', { received: 2 });
  // @ts-expect-error All values are missing.
  apiError('bodyTooLarge');
  // @ts-expect-error The message has no placeholder.
  apiError('systemError', { limit: 1 });
  // @ts-expect-error The log line has the placeholders of the message.
  apiError('bodyTooLarge', limits, { logged: { size: 1 } });
  // @ts-expect-error One of two errors needs a value.
  apiError('systemError' as 'systemError' | 'requestMalformed');
});

test('the log line leaves out what a message quotes of the body', () => {
  const { message, logMessage } = apiError('jsonInvalid', { reason: 'quoted' }, { logged: { reason: 'left out' } });
  expect([message, logMessage]).toEqual(['Body is not valid JSON: quoted', 'Body is not valid JSON: left out']);
});

test('a placeholder of a message is a name in braces', () => {
  for (const { msg } of Object.values(apiErrors)) expect(msg.replace(/\{\w+\}/g, '')).not.toMatch(/[{}]/);
});
