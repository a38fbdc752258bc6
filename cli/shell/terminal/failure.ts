import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { visible } from '../text/visible.ts';

/** The exit codes of every command. docs/cli.md explains them for scripts. */
export const exitCodes = {
  ok: 0,
  /** The command worked, and its result is negative: an entry fails verification, a log would be rejected. */
  negative: 1,
  usage: 2,
  rejected: 3,
  unreachable: 4,
  /** Nothing failed, but something could not be checked: a signature whose key cannot be decrypted. */
  unchecked: 5,
  /** A receipt holds, and its entry is not in the transparency log, although its deadline has passed. */
  broken: 6,
  /** An internal error; EX_SOFTWARE of sysexits.h. */
  internal: 70,
  /** Ended by Ctrl-C: 128 + SIGINT, as in shells. */
  interrupted: 130,
  /** The reader of the output has ended, which is said by this code alone: 128 + SIGPIPE, as in shells. */
  unread: 141,
} as const;

export type Outcome = keyof typeof exitCodes;

type FailureOptions = { readonly advice?: string | undefined; readonly cause?: unknown };

/** An error that ends the command with the exit code of its outcome. In its lines and its advice, nothing is hidden. */
export class Failure extends Error {
  readonly outcome: Outcome;
  readonly advice: string | undefined;

  constructor(outcome: Outcome, message: string | readonly string[], { advice, cause }: FailureOptions = {}) {
    // A sentence may begin with what stands for a name, such as “the local data”.
    super([message].flat().map(visible).join('\n').replace(/^the /, 'The '), { cause });
    this.name = 'Failure';
    this.outcome = outcome;
    this.advice = advice && visible(advice);
  }
}

const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|ERR_PROXY_TUNNEL|TimeoutError)$/;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it is missing',
  EISDIR: 'it is a folder',
  ENOTDIR: 'its folder is a file',
  EACCES: 'you have no permission',
  EPERM: 'you have no permission',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'your quota of its disk is used up',
  EFBIG: 'it would be larger than a file may be',
  EEXIST: 'it exists already',
};
const reasonOf = (code: string) => (REASONS[code] ? `${REASONS[code]} (${code})` : code);

/** An error of the file system. `dest` is the second path of a step that has two. */
type FileError = NodeJS.ErrnoException & { readonly dest?: string };

function fileMessage({ code = '', path, dest = path, syscall }: FileError): string | undefined {
  if (path === undefined) return REASONS[code] && `A file cannot be used: ${reasonOf(code)}.`;
  if (code === 'ENOTDIR' || (code === 'EEXIST' && syscall === 'mkdir')) {
    let file = path;
    while (!existsSync(file) && dirname(file) !== file) file = dirname(file);
    return `${file} is a file, not a folder.`;
  }
  // In a folder that is missing, the name of the file says nothing: it may be one that nobody gave.
  const folder = /^(scandir|opendir)$/.test(syscall ?? '') ? path : dirname(path);
  if (code === 'ENOENT') return existsSync(folder) ? `There is no file ${path}.` : `There is no folder ${folder}.`;
  if (code === 'EISDIR') return `${dest} is a folder, not a file.`;
  const file = code === 'EEXIST' ? dest : path;
  return REASONS[code] && `The file ${file} cannot be used: ${reasonOf(code)}.`;
}

export function outputFailure(cause: NodeJS.ErrnoException): Failure {
  const { code = '', message } = cause;
  if (code === 'EPIPE') return new Failure('unread', 'Nobody reads the output.', { cause });
  const advice = 'Earlier changes of the command stay.';
  return new Failure('usage', `The output cannot be written: ${reasonOf(code) || message}.`, { advice, cause });
}

/** Turns any error into a failure. Errors of AWS, network and files get a sentence and advice. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return new Failure('internal', String(error));
  const { name, message, code = '' } = error as FileError;
  const options = { cause: error };
  if (UNREACHABLE.test(code) || UNREACHABLE.test(name)) {
    const advice =
      'Check the network, --region, and HTTPS_PROXY, AWS_ENDPOINT_URL… and DYNAMODB_ENDPOINT if they are set.';
    return new Failure('unreachable', `The service does not answer: ${message || code}.`, { ...options, advice });
  }
  if (name === 'CredentialsProviderError') {
    const advice = 'Sign in (aws sso login), or use a profile that is signed in: --profile NAME.';
    return new Failure('usage', 'No AWS credentials were found.', { ...options, advice });
  }
  if (message === 'Region is missing') {
    return new Failure('usage', 'No AWS region given.', { ...options, advice: 'Give --region, or set AWS_REGION.' });
  }
  if (name === 'ResourceNotFoundException') {
    const advice = 'npm start creates the local tables; npm run deploy creates those of a deployment.';
    return new Failure('rejected', 'A table or key does not exist.', { ...options, advice });
  }
  if ('$metadata' in error) {
    return new Failure('rejected', `AWS rejected the request: ${name}: ${message}`.replace(/\.?$/, '.'), options);
  }
  const says = fileMessage(error);
  if (says !== undefined) return new Failure('usage', says, options);
  const advice = 'Run the command with --debug, and report its output.';
  return new Failure('internal', `Internal error: ${message}.`, { ...options, advice });
}
