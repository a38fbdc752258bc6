import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import type { Target } from '../../store/targets/target.ts';
import type { Views } from './views.ts';

/** What the routes of a console work with. */
export interface Console {
  /** Its notes go to the page. */
  readonly terminal: Terminal;
  readonly target: Target;
  readonly views: Views;
  /** True with `--write`. */
  readonly canWrite: boolean;
  /** The options that select the target, for commands to paste: such as `['--stack', 'AiLogUpload-prod']`. */
  readonly targetOptions: readonly string[];
}

/** The parameters of a request. */
export type Query = URLSearchParams;

/** Returns a parameter. @throws Failure if it is missing */
export function textIn(query: Query, name: string): string {
  const text = query.get(name);
  if (!text)
    throw new Failure('usage', `The address has no ${name}.`, { advice: 'Open the board, and go on from there.' });
  return text;
}

/** Returns a whole number between bounds. @throws Failure if it is none */
export function numberIn(
  query: Query,
  name: string,
  otherwise: number,
  [least, most] = [0, Number.MAX_SAFE_INTEGER],
): number {
  const number = Number(query.get(name) ?? otherwise);
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  throw new Failure('usage', `The address has a wrong ${name}: it is a whole number from ${least} to ${most}.`);
}
