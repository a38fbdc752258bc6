import { describe } from 'vitest';
import { overHttp } from '../setup/transports.ts';
import { cases } from './contract.cases.ts';
import { testContract } from './testContract.ts';

/** The first and the last case of each code. The others differ in what happens behind the transport. */
const ends = [...Map.groupBy(cases, ({ code }) => code).values()].flatMap((same) =>
  same.filter((_, index) => index === 0 || index === same.length - 1),
);

describe('the contract, over HTTP', () => testContract(overHttp, ends));
