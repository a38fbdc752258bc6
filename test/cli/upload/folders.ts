import { zstdDecompressSync } from 'node:zlib';
import { type Fault, LOG, type Tables, type Team } from '../../setup/world.ts';

export const log = (stage: string) => LOG.replace('决策', stage);

/** Returns the values of JSON lines. */
export const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Returns what became of each file, in a line. */
export const outcomesOf = (results: readonly { file: string; status: string }[]) =>
  results.map(({ file, status }) => `${file} ${status}`).join(', ');

/** Returns the answer of a service that is busy for some seconds. */
export const busy = (status: number, seconds: string): Fault => ({
  status,
  headers: { 'Retry-After': seconds },
  body: '{"code":"40015","msg":"System busy, retry"}',
});

/** Returns the stages of the logs of a team that are stored. */
export const stagesIn = async (fixture: Tables, { uid }: Team): Promise<string[]> =>
  (await fixture.entriesOf(uid)).map(({ body }) => JSON.parse(zstdDecompressSync(body).toString()).stage);
