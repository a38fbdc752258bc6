import { expect, test } from 'vitest';
import { expectHeld, SWITCHES, withSwitches } from './switches.ts';

test('no switch replaces or removes what holds data, keys or an address: all off, all on, and every other one', () => {
  const positions = [() => false, () => true, (index: number) => index % 2 === 0, (index: number) => index % 2 === 1];
  expectHeld(positions.map((isOn) => withSwitches('prod', isOn)));
});

test('every setting is a switch, or names a resource itself', async () => {
  const { settings } = await import('../../infra/settings.ts');
  const switched = new Set(SWITCHES.flatMap((positions) => positions.flatMap(Object.keys)));
  expect(Object.keys(settings).filter((name) => !switched.has(name))).toEqual([
    'stage',
    // It says whether the rest is kept.
    'disposable',
    // Numbers, which change no id.
    ...['uidQuota', 'ipQuota', 'windowSeconds', 'apiRateLimit', 'accountConcurrency'],
    ...['adoptTables', 'credentialsKeyArn'],
    // Another name is another log.
    'tlogOrigin',
    // A deployment with another number makes another key, in a table.
    'receiptKey',
    // Only the command line reads it.
    'reviewerRoles',
  ]);
});
