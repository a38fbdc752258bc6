import type { Context } from 'aws-lambda';
import { createHandler } from '../../functions/upload/handler.ts';
import { openFixture } from '../setup/fixture.ts';
import { eventOf } from '../setup/transports.ts';
import { signedUpload, withHeader } from '../setup/upload.ts';
import { median, quantile, sideBySide } from './measure.ts';

const ROUNDS = 2000;
const WARM_UP = 300;

/**
 * Measures whether response times reveal more than error codes do. Compares the median times of several errors, and
 * shows the difference between two measurements of the same error.
 */
export async function measureTiming(): Promise<string[]> {
  const fixture = await openFixture();
  const [team, other] = [await fixture.team(), await fixture.team()];
  const handle = createHandler(fixture.dependencies());
  const rejected = (upload: () => ReturnType<typeof signedUpload>, code: string) => async () => {
    const event = eventOf(upload());
    const start = performance.now();
    const { body } = await handle(event, {} as Context);
    const time = performance.now() - start;
    if (JSON.parse(body).code !== code) throw new Error(body);
    return time;
  };
  const wrong = (secret: string) => () => signedUpload({ ...team, secret });
  const passphrase = (text: string) => () => withHeader(signedUpload(team), 'ACCESS-PASSPHRASE', text);
  // Load both keys into the memory of the function before measuring.
  for (const who of [team, other]) await handle(eventOf(signedUpload(who)), {} as Context);
  const times = await sideBySide(WARM_UP + ROUNDS, {
    signature: rejected(wrong('guessed'), '40009'),
    signatureAgain: rejected(wrong('guessed again'), '40009'),
    passphrase: rejected(passphrase('guessed'), '40012'),
    nearPassphrase: rejected(passphrase(`${team.passphrase.slice(0, -1)}x`), '40012'),
    unknown: rejected(() => signedUpload({ ...team, accessKey: `${team.accessKey}x` }), '40006'),
  });
  const names = {
    signature: 'wrong signature',
    signatureAgain: 'wrong signature, measured a second time',
    passphrase: 'wrong passphrase',
    nearPassphrase: 'passphrase with only the last character wrong',
    unknown: 'unknown key',
  };
  const base = median(times.signature.slice(WARM_UP));
  return [
    `### Timing of error responses, ${ROUNDS} each`,
    '',
    '| error | median | p25–p75 | difference of medians |',
    '|---|---|---|---|',
    ...(Object.keys(names) as (keyof typeof names)[]).map((name) => {
      const all = times[name].slice(WARM_UP);
      const [low, high] = [quantile(all, 0.25), quantile(all, 0.75)];
      const difference = median(all) - base;
      return `| ${names[name]} | ${median(all).toFixed(3)} ms | ${low.toFixed(3)}–${high.toFixed(3)} ms | ${difference.toFixed(3)} ms |`;
    }),
  ];
}
