import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../cli/local/engine.ts';
import { entriesTable } from '../../functions/ailog/entries.ts';
import { openWorld, type World } from '../setup/fixture.ts';
import { type Door, inProcess, overHttp } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});

describe('a DynamoDB that cannot be reached', () => {
  let door: Door;
  beforeAll(async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    door = await overHttp({ ...world, environment: { ...world.environment, AWS_ENDPOINT_URL_DYNAMODB: nowhere } });
  });
  afterAll(() => door.close());

  test('is a 503 that asks to retry, and the same request is accepted once it is back', async () => {
    const team = await world.team();
    const upload = signedUpload(team);
    const rejected = await door.send(upload);
    expect(rejected.status).toBe(503);
    expect(rejected.json).toMatchObject({ code: '40015', msg: 'System busy, retry', data: null });
    expect(rejected.headers['retry-after']).toBe('1');
    expect(await world.entriesOf(team.uid)).toEqual([]);

    expect((await inProcess(world.dependencies()).send(upload)).json.code).toBe('00000');
    expect(await world.entriesOf(team.uid)).toHaveLength(1);
  });
});

test('an entry that cannot be written is no success: 503, and what was counted is said', async () => {
  const team = await world.team();
  const broken = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${await freePort()}`,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  const entries = entriesTable(DynamoDBDocumentClient.from(broken), world.names.aiLogs);
  const { status, headers } = await inProcess(world.dependencies({ entries })).send(signedUpload(team));
  expect(status).toBe(503);
  expect(headers.ratelimit).toContain('"uid";r=99999');
  expect(headers['ai-log-id']).toBeUndefined();
  expect(await world.entriesOf(team.uid)).toEqual([]);
});

test('a table that is not there is a 500 that tells nothing', async () => {
  const entries = entriesTable(world.db, 'NoSuchTable');
  const { status, json, text } = await inProcess(world.dependencies({ entries })).send(
    signedUpload(await world.team()),
  );
  expect(status).toBe(500);
  expect(json).toMatchObject({ code: '40015', msg: 'System error', data: null });
  expect(text).not.toMatch(/table|resource/i);
});
