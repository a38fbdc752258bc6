import { describe, expect, test } from 'vitest';
import { checkLog } from '../../cli/upload/readLog.ts';
import { expectDescribed } from '../infra/openapi/description.ts';
import { inProcess, signedUpload } from '../setup/world.ts';
import { cases } from './contract.cases.ts';
import { testContract } from './testContract.ts';

describe('the contract, in process, as docs/openapi.json describes it', () =>
  testContract((fixture) => inProcess(fixture.dependencies()), cases, expectDescribed));

/** The codes that depend only on the body. */
const BODY_CODES = ['00000', '40017', '40019', '40020', '413'];

describe('the local check of a log agrees with the service', () => {
  const bodyCases = cases.filter(({ code, sent, team }) => BODY_CODES.includes(code) && !sent && !team);

  test.each(bodyCases)('$name → $status $code', async ({ signed, code, msg }) => {
    const { body } = signedUpload({ uid: '1', accessKey: 'a', secret: 's', passphrase: 'p' }, signed);
    const { objection } = checkLog(body);
    expect(objection?.code ?? '00000').toBe(code);
    if (objection && msg !== undefined) expect(objection.message).toMatch(msg);
  });

  test('the cases cover every code that a body can cause', () => {
    expect(new Set(bodyCases.map(({ code }) => code))).toEqual(new Set(BODY_CODES));
  });
});
