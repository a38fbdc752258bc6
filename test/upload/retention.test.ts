import { expect, test } from 'vitest';
import { openWorld } from '../setup/fixture.ts';
import { inProcess } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';

const world = await openWorld();

test.each([
  ['forever: no attribute that could expire it', undefined],
  ['for 30 days', 30],
])('an entry is kept %s', async (_, entryRetentionDays) => {
  const dependencies = world.dependencies();
  const door = inProcess({ ...dependencies, config: { ...dependencies.config, entryRetentionDays } });
  const team = await world.team();

  const { json } = await door.send(signedUpload(team));

  expect(json.code).toBe('00000');
  const [entry] = await world.entriesOf(team.uid);
  const kept = (entry?.expiresAt ?? Number.NaN) - (entry?.receivedAt ?? Number.NaN) / 1000;
  if (entryRetentionDays === undefined) expect(entry).not.toHaveProperty('expiresAt');
  else expect(Math.floor(kept)).toBe(entryRetentionDays * 86_400);
});
