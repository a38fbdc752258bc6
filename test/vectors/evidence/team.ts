import type { Fixture, Team } from '../../setup/fixture.ts';

/** Returns a team whose key follows from its UID. */
export const teamOf = (uid: string): Team => ({
  uid,
  accessKey: `ailog_${uid.repeat(8)}`,
  secret: uid.repeat(16),
  passphrase: uid.repeat(8),
});

/** Approves a team, and stores its key. */
export async function addTeam(fixture: Fixture, { uid, accessKey, ...credentials }: Team): Promise<void> {
  await fixture.allowlist.put({ uid, status: 'approved' });
  await fixture.apiKeys.put({
    accessKey,
    uid,
    status: 'active',
    credentials: await fixture.seal(credentials, { accessKey, uid }),
    createdAt: '2025-01-01T00:00:00.000Z',
  });
}
