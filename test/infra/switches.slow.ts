import { test } from 'vitest';
import { expectHeld, SWITCHES, withSwitches } from './switches.ts';

/**
 * Positions in which each two switches are in all four: by each bit of their index, the other way around, none, all.
 */
const bits = Array.from({ length: Math.ceil(Math.log2(SWITCHES.length)) }, (_, bit) => bit);
const ofBits = bits.map((bit) => (index: number) => ((index >> bit) & 1) === 1);
const positions = [...ofBits, () => false].flatMap((isOn) => [isOn, (index: number) => !isOn(index)]);

test.each(['prod', 'dev'])('%s: no switch replaces or removes what holds data, keys or an address', (stage) => {
  expectHeld(positions.map((isOn) => withSwitches(stage, isOn)));
});
