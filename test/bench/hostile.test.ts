import { expect, test } from 'vitest';
import { logText } from '../setup/upload.ts';
import { entryOf, steps } from './hostile.ts';

test.each(Object.entries(steps))(
  'the benchmark of hostile text measures %s, which takes a plain log',
  (_name, step) => {
    const body = logText({
      stage: 'Decision',
      model: 'GPT-5',
      input: { n: 1 },
      output: { side: 'buy' },
      explanation: '',
    });
    expect(() => step(body, entryOf(body))).not.toThrow();
  },
);
