import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { ApiKey } from '../../../../functions/auth/apiKeys.ts';
import type { Fixture, Team } from '../../../setup/fixture.ts';
import { inProcess } from '../../../setup/transports.ts';
import { aiLog, jsonOf, signedUpload } from '../../../setup/upload.ts';

/** Uploads a log at a given time. @param log its text, or changes to the sample log @returns the entry id */
export async function uploadAt(
  fixture: Fixture,
  team: Team,
  at: number,
  log: string | Record<string, unknown> = {},
): Promise<string> {
  const body = typeof log === 'string' ? log : jsonOf({ ...aiLog, ...log });
  const transport = inProcess(fixture.dependencies({ now: () => at }));
  const { headers, text } = await transport.send(signedUpload(team, { timestamp: () => at, body }));
  const id = headers['ai-log-id'];
  if (id === undefined) throw new Error(text);
  return id;
}

/** Creates a team whose key is older than every entry of the tests. @param key changes to its key */
export const oldTeam = (fixture: Fixture, key: Partial<ApiKey> = {}): Promise<Team> =>
  fixture.team({ key: { createdAt: '2025-01-01T00:00:00.000Z', ...key } });

/** Writes attributes of an entry past the service. A value of undefined removes the attribute. */
export async function tamper(
  { db, names }: Fixture,
  { uid, entryId }: { uid: string; entryId: string },
  change: Record<string, unknown>,
): Promise<void> {
  const { Item } = await db.send(
    new GetCommand({ TableName: names.aiLogs, Key: { uid, entryId }, ConsistentRead: true }),
  );
  const item = Object.entries({ ...Item, uid, entryId, ...change }).filter(([, value]) => value !== undefined);
  await db.send(new PutCommand({ TableName: names.aiLogs, Item: Object.fromEntries(item) }));
}
