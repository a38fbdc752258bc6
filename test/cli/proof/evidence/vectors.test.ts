import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { askLog } from '../../../../cli/proof/evidence/askLog.ts';
import { verify } from '../../../../cli/proof/evidence/verify.ts';
import { orUndefined } from '../../../../functions/orUndefined.ts';
import { openCopy, policyIn, VECTORS, vectors } from '../../../vectors/evidence/vectors.ts';

test.each(vectors)('$name: $words', async ({ name, words, policy: policyName, log }) => {
  const policy = policyIn(policyName);
  const bodyOf = (file: string | undefined) =>
    file === undefined ? undefined : orUndefined(() => readFileSync(`${VECTORS}${basename(file)}`));
  const asked = log === undefined ? undefined : await askLog(await openCopy(log, policy));
  const verdicts = await Array.fromAsync(verify([readFileSync(VECTORS + name)], { policy, bodyOf, log: asked }));
  expect(verdicts.map(({ word }) => word)).toEqual(words);
});

test('every file of evidence has its words', () => {
  const named = vectors.map(({ name }) => name);
  const rest = readdirSync(VECTORS).filter((name) => !named.includes(name));
  expect(rest.filter((name) => !/\.policy$|^log|^[a-z-]+\.json$/.test(name))).toEqual([]);
});
