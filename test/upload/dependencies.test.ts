import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, test } from 'vitest';

import { entriesTable } from '../../functions/ailog/entries.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { clientAt, inProcess, signedUpload, UNREACHABLE, world } from '../setup/world.ts';

const fixture = await world();

test.each([[undefined], [null], [{}], ['warm up'], [{ requestContext: {} }], [{ Records: [] }]])(
  'an event that is no request, as %j of a test button, gets an error that says so',
  async (event) => {
    const handle = createHandler(fixture.dependencies());
    const sent = handle(event as unknown as APIGatewayProxyEvent, {} as Context);
    await expect(sent).rejects.toThrow(/^The event is no request of API Gateway\. Nothing else may call this function/);
  },
);

test('responds with a 503 and the remaining weight if the entry cannot be written', async () => {
  const team = await fixture.team();
  const entries = entriesTable(clientAt(UNREACHABLE, { maxAttempts: 1 }), fixture.names.aiLogs);
  const { status, headers } = await inProcess(fixture.dependencies({ entries })).send(signedUpload(team));
  expect(status).toBe(503);
  expect(headers['retry-after']).toBe('1');
  expect(headers.ratelimit).toContain('"uid";r=99999');
  expect(headers['ai-log-id']).toBeUndefined();
  expect(await fixture.entriesOf(team.uid)).toEqual([]);
});

test('responds with a 500 without details if a table does not exist', async () => {
  const entries = entriesTable(fixture.db, 'NoSuchTable');
  const { status, headers, json, text } = await inProcess(fixture.dependencies({ entries })).send(
    signedUpload(await fixture.team()),
  );
  expect(status).toBe(500);
  expect(json).toMatchObject({ code: '40015', msg: 'System error', data: null });
  expect(headers).not.toHaveProperty('retry-after');
  expect(text).not.toMatch(/table|resource/i);
});
