import { entryPreimage, HASHED_ATTRIBUTES, type HashedAttributes } from '../../functions/tlog/entryHash.ts';

/** The attributes that are numbers. The others are texts. */
const NUMBERS: readonly string[] = ['receivedAt', 'bodyBytes'];

/**
 * Reads the preimage of an entry. An absent query is an empty one.
 * @throws Error if it is none, or not written exactly as the service writes it
 */
export function parsePreimage(text: string): HashedAttributes {
  const start = text.indexOf('\n') + 1;
  if (text.slice(0, start) !== 'ai-log-entry/v1\n') {
    throw new Error('The first line of a preimage of an entry is ai-log-entry/v1');
  }
  let values: unknown;
  try {
    values = JSON.parse(text.slice(start));
  } catch (cause) {
    throw new Error('The second line of a preimage is a JSON array', { cause });
  }
  if (!Array.isArray(values) || values.length !== HASHED_ATTRIBUTES.length) {
    throw new Error(`A preimage has ${HASHED_ATTRIBUTES.length} values`);
  }
  for (const [index, name] of HASHED_ATTRIBUTES.entries()) {
    const isRight = NUMBERS.includes(name) ? Number.isSafeInteger(values[index]) : typeof values[index] === 'string';
    if (!isRight) throw new Error(`The ${name} of the preimage is not a ${NUMBERS.includes(name) ? 'number' : 'text'}`);
  }
  const entry = Object.fromEntries(
    HASHED_ATTRIBUTES.map((name, index) => [name, values[index]]),
  ) as unknown as HashedAttributes;
  if (entryPreimage(entry) !== text) throw new Error('The preimage is not written as the service writes it');
  return entry;
}
