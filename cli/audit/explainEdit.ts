import { entryIdOf } from '../../functions/ailog/entry.ts';
import {
  entryHashOf,
  entryPreimage,
  HASHED_ATTRIBUTES,
  type HashedAttributes,
} from '../../functions/tlog/entryHash.ts';
import type { ChangedAttribute } from './findings.ts';
import type { Suspect } from './rowRecord.ts';

/** The most values that are tried together. */
const TRIES = 4096;

type Candidates = Partial<Record<keyof HashedAttributes, readonly unknown[]>>;

function impliedValues({ source, arrivedAt, body }: Suspect): Candidates {
  return {
    entryId: [entryIdOf(source)],
    receivedAt: [arrivedAt],
    timestamp: [String(source.entryId).slice(0, 13)],
    query: [undefined],
    ...(body && { bodySha256: [body.bodySha256], bodyBytes: [body.bodyBytes] }),
  };
}

function join(source: HashedAttributes, ...lists: readonly Candidates[]): [keyof HashedAttributes, unknown[]][] {
  return HASHED_ATTRIBUTES.map((name): [keyof HashedAttributes, unknown[]] => {
    const values = new Set(lists.flatMap((list) => [...(list[name] ?? [])]));
    values.delete(source[name]);
    return [name, [...values]];
  }).filter(([, values]) => values.length > 0);
}

/** Yields every combination of candidates, those with few changes first. */
function* combinations(
  names: readonly [keyof HashedAttributes, readonly unknown[]][],
  changes: number,
): Generator<Partial<Record<keyof HashedAttributes, unknown>>> {
  if (changes === 0) return yield {};
  for (const [at, [name, values]] of names.entries()) {
    for (const rest of combinations(names.slice(at + 1), changes - 1)) {
      for (const value of values) yield { [name]: value, ...rest };
    }
  }
}

/**
 * Finds the attributes in which a row differs from the entry that was logged. A leaf cannot be read backwards, so
 * values are tried: those that other attributes imply, and those that the caller knows.
 * @param leaf the leaf that was logged
 * @param known values that the entry may have had, such as those of an earlier export
 * @returns undefined if no combination has this leaf
 */
export function explainEdit(suspect: Suspect, leaf: Uint8Array, known: Candidates): ChangedAttribute[] | undefined {
  const { source } = suspect;
  const names = join(source, known, impliedValues(suspect));
  let tries = 0;
  for (let changes = 1; changes <= names.length; changes += 1) {
    for (const change of combinations(names, changes)) {
      tries += 1;
      if (tries > TRIES) return undefined;
      const logged = { ...source, ...change } as HashedAttributes;
      if (Buffer.compare(entryHashOf(entryPreimage(logged)), leaf) !== 0) continue;
      return Object.keys(change).map((name) => {
        const [was, is] = [logged[name as keyof HashedAttributes], source[name as keyof HashedAttributes]];
        return { name, logged: was ?? '', stored: is ?? '' };
      });
    }
  }
  return undefined;
}
