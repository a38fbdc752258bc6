import config from '../vitest.config.ts';

const base = config({ mode: 'test', command: 'serve' });

/** The tests of the rules, and of the contract, in one process: a mutant in a process of the test's own is never switched on. */
export default {
  ...base,
  test: {
    ...base.test,
    isolate: true,
    include: [
      'test/{ailog,auth,weights}/*.test.ts',
      'test/upload/{contract,calls}.test.ts',
      'test/abuse/rules.test.ts',
    ],
    // Compiles the source of a rule into code: a mutated one is another.
    exclude: ['test/ailog/validator.test.ts'],
  },
};
