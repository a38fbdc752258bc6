import { span } from '../terminal/arguments.ts';
import { command } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';

/** The time to wait for an HTTP answer unless `--timeout` is given, in milliseconds. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Creates a command of a team. It uses an API key, and no tables. */
export const accessCommand = (...about: Parameters<typeof command>) =>
  command(...about).option(
    '--credentials <file>',
    'a file with AILOG_ACCESS_KEY, AILOG_SECRET and AILOG_PASSPHRASE that only you can read (default: the environment)',
  );

/** Creates a command of a team that sends requests to the service. */
export const requestCommand = (...about: Parameters<typeof command>) =>
  accessCommand(...about)
    .option('--url <url>', 'the base URL (default: AILOG_URL)')
    .option('--timeout <span>', `time to wait for an answer (default: ${ANSWER_TIMEOUT_MS / 1000}s)`, span);

/** Returns the time to wait for an answer, in milliseconds. @throws Failure if `--timeout` is 0 */
export function answerTimeout(timeout: number | undefined): number {
  if (timeout === 0)
    throw new Failure('usage', '--timeout must be longer than 0.', { advice: 'Give a span such as 10s.' });
  return timeout ?? ANSWER_TIMEOUT_MS;
}
