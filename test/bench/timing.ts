import type { Context } from 'aws-lambda';
import { quantile } from '../../cli/shell/text/numbers.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { eventOf, headerOf, signedUpload, withHeader, world } from '../setup/world.ts';
import { headOf, median, sideBySide } from './measure.ts';

const ROUNDS = 2000;
const WARM_UP = 300;

/** Measures whether response times tell how near a guess is, beside the difference of two measurements of one error. */
export async function measureTiming(): Promise<string[]> {
  const fixture = await world();
  const team = await fixture.team();
  const handle = createHandler(fixture.dependencies());
  const rejected = (upload: () => ReturnType<typeof signedUpload>, code: string) => async () => {
    const event = eventOf(upload());
    const start = performance.now();
    const { body } = await handle(event, {} as Context);
    const time = performance.now() - start;
    if (JSON.parse(body).code !== code) throw new Error(body);
    return time;
  };
  const passphrase = (text: string) => () => withHeader(signedUpload(team), 'ACCESS-PASSPHRASE', text);
  // Load the key into the memory of the function before measuring.
  await handle(eventOf(signedUpload(team)), {} as Context);
  /** Changes one character of the signature, which stays the base64 of 32 bytes. */
  const nearly = (at: number) => () => {
    const upload = signedUpload(team);
    const right = headerOf(upload, 'ACCESS-SIGN') as string;
    return withHeader(
      upload,
      'ACCESS-SIGN',
      right.slice(0, at) + (right[at] === 'A' ? 'B' : 'A') + right.slice(at + 1),
    );
  };
  const candidates = {
    'signature with the first character wrong': rejected(nearly(0), '40009'),
    'the same, measured a second time': rejected(nearly(0), '40009'),
    'signature with only a late character wrong': rejected(nearly(41), '40009'),
    'passphrase with every character wrong': rejected(passphrase('x'.repeat(team.passphrase.length)), '40012'),
    'passphrase with only the last character wrong': rejected(passphrase(`${team.passphrase.slice(0, -1)}x`), '40012'),
  };
  const times = await sideBySide(WARM_UP + ROUNDS, candidates);
  const measured = Object.entries(times).map(([name, all]) => ({ name, times: all.slice(WARM_UP) }));
  return [
    `### Timing of error responses, ${ROUNDS} each`,
    '',
    ...headOf('| error | median | p25–p75 | difference of medians |'),
    ...measured.map(({ name, times }, place) => {
      const [low, high] = [quantile(times, 0.25), quantile(times, 0.75)];
      // The first of its kind is what the others are compared with.
      const base = measured[place < 3 ? 0 : 3]?.times ?? [];
      const difference = median(times) - median(base);
      return `| ${name} | ${median(times).toFixed(3)} ms | ${low.toFixed(3)}–${high.toFixed(3)} ms | ${difference.toFixed(3)} ms |`;
    }),
  ];
}
