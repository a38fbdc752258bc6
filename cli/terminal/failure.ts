/** The exit codes of every command. docs/cli.md explains them to whoever scripts with them. */
export const exitCodes = {
  ok: 0,
  /** The command did its work, and the answer is no: an entry fails its check, a log would be rejected. */
  negative: 1,
  usage: 2,
  /** A service was reached and rejected. */
  rejected: 3,
  unreachable: 4,
  /** A fault of this program, as sysexits.h has it. */
  internal: 70,
  /** Ended by Ctrl-C, as shells have it. */
  interrupted: 130,
} as const;

/** The name of an exit code. */
export type Outcome = keyof typeof exitCodes;

/** Why a command cannot go on: one sentence, and what to do about it. Ends the command with its exit code. */
export class Failure extends Error {
  readonly outcome: Outcome;
  readonly advice: string | undefined;

  constructor(outcome: Outcome, message: string, { advice, cause }: { advice?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'Failure';
    this.outcome = outcome;
    this.advice = advice;
  }
}

/** What the SDK and the sockets below it call an endpoint that does not answer. */
const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|TimeoutError)$/;

/** Any error as a failure: what AWS and the network say, in words that tell what to do. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return new Failure('internal', String(error));
  const { name, message, code = '', path = '' } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  if (UNREACHABLE.test(code) || UNREACHABLE.test(name)) {
    const advice = 'Check the network, --region, and the AWS_ENDPOINT_URL… variables if any are set.';
    return new Failure('unreachable', `The service does not answer: ${message || code}.`, { ...options, advice });
  }
  if (name === 'CredentialsProviderError') {
    const advice = 'Sign in (aws sso login), or name a profile that is signed in: --profile NAME.';
    return new Failure('usage', 'There are no AWS credentials.', { ...options, advice });
  }
  if (message === 'Region is missing') {
    return new Failure('usage', 'It is not said in which region.', {
      ...options,
      advice: 'Give --region, or set AWS_REGION.',
    });
  }
  if (name === 'ResourceNotFoundException') {
    const advice = 'Local data are made by npm start; those of a deployment by npm run deploy.';
    return new Failure('rejected', 'A table or key is not there.', { ...options, advice });
  }
  if ('$metadata' in error) {
    return new Failure('rejected', `AWS rejected: ${name}: ${message}`.replace(/\.?$/, '.'), options);
  }
  if (code === 'ENOENT') return new Failure('usage', `There is no file ${path}.`, options);
  if (code === 'EACCES' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'ENOSPC' || code === 'EEXIST') {
    return new Failure('usage', `The file ${path} cannot be used: ${code}.`, options);
  }
  const advice = '--debug shows where; please report it.';
  return new Failure('internal', `A fault of this program: ${message}.`, { ...options, advice });
}
