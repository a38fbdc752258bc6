import { resolve } from 'node:path';
import { readCsvLines } from '../files/csv.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { isUid } from '../text/uid.ts';
import { findTextProblem } from './textLimits.ts';

/** A UID that gets a key, and the label of the key if the file has one. */
export interface Owner {
  readonly uid: string;
  readonly label?: string;
}

/** The columns of a file with UIDs. Team and note are ignored, so that the file for the allowlist can be used. */
const COLUMNS = ['uid', 'label', 'team', 'note'] as const;

/**
 * Reads UIDs from the arguments and from a CSV file.
 * @throws Failure that names every invalid line, or says that there is no UID
 */
export function readOwners({ cwd }: Terminal, given: readonly string[], from: string | undefined): Owner[] {
  if (from === undefined) {
    if (given.length > 0) return given.map((uid) => ({ uid }));
    throw new Failure('usage', 'No UID given.', { advice: 'Give UIDs, or a CSV file with a column uid: --from FILE.' });
  }
  const { lines, problems } = readCsvLines(resolve(cwd(), from), { columns: COLUMNS, required: ['uid'] });
  const owners = new Map(given.map((uid) => [uid, { uid } as Owner]));
  for (const { line, cells } of lines) {
    const { uid = '', label } = cells;
    const labelProblem = findTextProblem('label', label ?? '');
    if (!isUid(uid)) problems.set(line, `${JSON.stringify(uid)} is not a UID, a decimal number without leading zeros`);
    else if (owners.has(uid)) problems.set(line, `UID ${uid} is given twice`);
    else if (labelProblem !== undefined) problems.set(line, labelProblem);
    else owners.set(uid, { uid, ...(label && { label }) });
  }
  if (problems.size === 0) return [...owners.values()];
  const named = [...problems].sort(([a], [b]) => a - b).map(([line, problem]) => `\nLine ${line}: ${problem}.`);
  throw new Failure('usage', `${from} has invalid lines:${named.join('')}`, { advice: 'Nothing was changed.' });
}
