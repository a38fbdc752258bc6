import type { Fixture, Team } from '../../setup/fixture.ts';
import { inProcess } from '../../setup/transports.ts';
import { aiLog, jsonOf, signedUpload } from '../../setup/upload.ts';

/**
 * Uploads a log at a given time.
 * @param log its text, or changes to the sample log
 * @returns the entry id
 */
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
