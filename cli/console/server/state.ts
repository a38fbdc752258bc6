import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { isUid } from '../../shell/text/uid.ts';
import { type Engine, queryOf } from '../../store/duckdb/duckdb.ts';
import type { Target } from '../../store/targets/target.ts';
import type { Drafts } from './drafts.ts';
import type { Views } from './views.ts';

/** The state of a console, which its routes use. */
export interface Console {
  /** Its notes go to the page. */
  readonly terminal: Terminal;
  readonly target: Target;
  readonly views: Views;
  readonly drafts: Drafts;
  readonly canWrite: boolean;
  /** The options that select the target, for commands to paste: such as `['--stack', 'AiLogUpload-prod']`. */
  readonly targetOptions: readonly string[];
}

/** Returns the team of a request. @throws Failure if it names none */
export function uidIn(body: unknown): string {
  const uid = (body as Readonly<Record<string, unknown>> | null)?.uid;
  if (typeof uid === 'string' && isUid(uid)) return uid;
  throw new Failure('usage', 'Give the UID of a team, a decimal number.');
}

/** Returns a terminal of which the page shows the notes, and its notes. */
export function collectNotes(terminal: Terminal) {
  const notes: string[] = [];
  return { terminal: { ...terminal, note: (text: string) => void notes.push(text) }, notes };
}

export type Query = URLSearchParams;

/** @throws Failure if it is missing */
export function textIn(query: Query, name: string): string {
  const text = query.get(name);
  if (!text)
    throw new Failure('usage', `The address has no ${name}.`, { advice: 'Open the board, and go on from there.' });
  return text;
}

/** @throws Failure if it is no whole number between the bounds */
export function numberIn(query: Query, name: string, otherwise: number, [least, most] = [0, Number.MAX_SAFE_INTEGER]) {
  const number = Number(query.get(name) ?? otherwise);
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  throw new Failure('usage', `The address has a wrong ${name}: it is a whole number from ${least} to ${most}.`);
}

/** Reads all rows of the query in `sql/<name>.sql`. @param parameters the values of `$name`; numbers must be whole */
export function query<Row extends object>(
  { read }: Engine,
  name: string,
  parameters: Readonly<Record<string, string | number | bigint | null>> = {},
): Promise<Row[]> {
  const stored = (value: string | number | bigint | null) => (typeof value === 'number' ? BigInt(value) : value);
  const values = Object.entries(parameters).map(([key, value]) => [key, stored(value)]);
  return Array.fromAsync(read<Row>(queryOf(name, import.meta.url), Object.fromEntries(values)));
}
