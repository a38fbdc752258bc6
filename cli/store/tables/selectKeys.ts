import { resolve } from 'node:path';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { readCsvLines } from '../../shell/files/csv.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { byUid, isUid } from '../../shell/text/uid.ts';
import type { Target } from '../targets/target.ts';
import { apiKeysEditor, readKey } from './apiKeysEditor.ts';
import { LIST_NAMES } from './teamLists.ts';
import { findTextProblem } from './textLimits.ts';

function requireNoProblems(file: string, problems: ReadonlyMap<number, string>): void {
  if (problems.size === 0) return;
  const named = [...problems].sort(([a], [b]) => a - b).map(([line, problem]) => `Line ${line}: ${problem}.`);
  throw new Failure('usage', [`${file} has invalid lines:`, ...named], { advice: 'Nothing was changed.' });
}

export type Owner = { readonly uid: string; readonly label?: string };

/** Reads UIDs from arguments and a CSV file. @throws Failure that names invalid lines, or if there is no UID */
export function readOwners(terminal: Surroundings, given: readonly string[], from: string | undefined): Owner[] {
  if (from === undefined) {
    if (given.length > 0) return given.map((uid) => ({ uid }));
    throw new Failure('usage', 'No UID given.', { advice: 'Give UIDs, or a CSV file with a column uid: --from FILE.' });
  }
  const path = resolve(terminal.cwd(), from);
  const { lines, problems } = readCsvLines(terminal, path, {
    names: LIST_NAMES,
    columns: ['uid', 'label'],
    required: ['uid'],
  });
  const owners = new Map(given.map((uid) => [uid, { uid } as Owner]));
  for (const { line, cells } of lines) {
    const { uid = '', label } = cells;
    const labelProblem = findTextProblem('label', label ?? '');
    if (!isUid(uid)) problems.set(line, `${JSON.stringify(uid)} is not a UID, a decimal number without leading zeros`);
    else if (owners.has(uid)) problems.set(line, `UID ${uid} is given twice`);
    else if (labelProblem !== undefined) problems.set(line, labelProblem);
    else owners.set(uid, { uid, ...(label && { label }) });
  }
  requireNoProblems(from, problems);
  return [...owners.values()];
}

/** A selected key. `named` is true if it was selected by its name, and false if by its UID. */
export type Selected = { readonly key: ApiKey; readonly named: boolean };

/** Reads access keys, and the UIDs of lines without one, from a CSV file. @throws Failure that names invalid lines */
function readSelection(terminal: Surroundings, from: string) {
  const path = resolve(terminal.cwd(), from);
  const { lines, problems } = readCsvLines(terminal, path, {
    names: LIST_NAMES,
    columns: ['accessKey', 'uid'],
    required: [],
  });
  const names: string[] = [];
  const uids: string[] = [];
  for (const { line, cells } of lines) {
    const { accessKey = '', uid = '' } = cells;
    if (accessKey !== '') names.push(accessKey);
    else if (isUid(uid)) uids.push(uid);
    else problems.set(line, `it has no access key, and ${JSON.stringify(uid)} is not a UID`);
  }
  requireNoProblems(from, problems);
  return { names, uids };
}

/** Reads the keys that arguments, UIDs and a file select: each once, by UID. @throws Failure if one does not exist */
export async function selectKeys(
  terminal: Surroundings,
  target: Target,
  keys: readonly string[],
  { uid = [], from }: { uid?: readonly string[] | undefined; from?: string | undefined },
): Promise<Selected[]> {
  const file = from === undefined ? { names: [], uids: [] } : readSelection(terminal, from);
  const names = new Set([...keys, ...file.names]);
  const uids = new Set([...uid, ...file.uids]);
  if (names.size + uids.size === 0) {
    throw new Failure('usage', 'No key given.', { advice: 'Give access keys, --uid UID or --from FILE.' });
  }
  // A single key needs no scan.
  const [only] = names;
  if (names.size === 1 && uids.size === 0) return [{ key: await readKey(target, only as string), named: true }];

  const selected: Selected[] = [];
  for await (const key of apiKeysEditor(target).all()) {
    const named = names.delete(key.accessKey);
    if (named || uids.has(key.uid)) selected.push({ key, named });
  }
  const owners = new Set(selected.map(({ key }) => key.uid));
  const problems = [
    ...Array.from(names, (name) => `There is no key ${name}.`),
    ...Array.from(uids.difference(owners), (one) => `UID ${one} has no keys.`),
  ];
  const advice = 'Nothing was changed. ailog keys list shows all keys.';
  if (problems.length > 0) throw new Failure('negative', problems, { advice });
  return selected.sort((a, b) => byUid(a.key, b.key) || a.key.createdAt.localeCompare(b.key.createdAt));
}
