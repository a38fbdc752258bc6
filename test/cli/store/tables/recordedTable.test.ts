import { expect, test } from 'vitest';
import { openFixture } from '../../../setup/fixture.ts';

test('an item that is put at the same time from several places keeps the changes of all', async () => {
  const { allowlist } = await openFixture();
  const teams = ['Alpha', 'Beta', 'Gamma', 'Delta'];
  await Promise.all(teams.map((team) => allowlist.put({ uid: '1001', status: 'approved', team })));
  const entry = await allowlist.get('1001', AbortSignal.timeout(5000));
  expect(entry?.history?.map(({ team }) => team).sort()).toEqual(teams.sort());
});
