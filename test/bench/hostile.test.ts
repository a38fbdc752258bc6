import { expect, test } from 'vitest';
import { bodyWith, entryOf, steps } from './hostile.ts';

test.each(Object.entries(steps))(
  'the benchmark of hostile text measures %s, which takes a plain log',
  (_name, step) => {
    const body = bodyWith('{"side":"buy"}');
    expect(() => step(body, entryOf(body))).not.toThrow();
  },
);
