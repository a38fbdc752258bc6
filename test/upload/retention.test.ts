import { expect, test } from 'vitest';
import { inProcess, signedUpload, world } from '../setup/world.ts';

const fixture = await world();

test.each([
  ['forever, without an expiry attribute', undefined],
  ['for 30 days', 30],
])('keeps an entry %s', async (_, entryRetentionDays) => {
  const dependencies = fixture.dependencies();
  const transport = inProcess({ ...dependencies, config: { ...dependencies.config, entryRetentionDays } });
  const team = await fixture.team();

  const { json } = await transport.send(signedUpload(team));

  expect(json.code).toBe('00000');
  const [entry] = await fixture.entriesOf(team.uid);
  const kept = (entry?.expiresAt ?? Number.NaN) - (entry?.receivedAt ?? Number.NaN) / 1000;
  if (entryRetentionDays === undefined) expect(entry).not.toHaveProperty('expiresAt');
  else expect(Math.floor(kept)).toBe(entryRetentionDays * 86_400);
});
