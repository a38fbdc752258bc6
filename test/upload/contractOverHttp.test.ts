import { describe } from 'vitest';
import { overHttp } from '../setup/transports.ts';
import { testContract } from './testContract.ts';

describe('the contract, over HTTP', () => testContract(overHttp));
