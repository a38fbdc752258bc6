import { createHash } from 'node:crypto';

export type Random = ReturnType<typeof createRandom>;

/** Creates a source of random choices. It is for made-up data, not for secrets. */
export function createRandom(seed: string) {
  let block = Buffer.alloc(0);
  let offset = 0;
  let blocks = 0;
  const next = (): number => {
    if (offset === block.length) {
      block = createHash('sha512').update(`${seed} ${blocks}`).digest();
      blocks += 1;
      offset = 0;
    }
    offset += 4;
    return block.readUInt32BE(offset - 4) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    /** Returns an integer from low to high, both included. */
    between,
    chance: (probability: number): boolean => next() < probability,
    pick: <Option>(options: readonly Option[]): Option => options[between(0, options.length - 1)] as Option,
    shuffle<Option>(options: readonly Option[]): Option[] {
      return options
        .map((option) => ({ option, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ option }) => option);
    },
  };
}
