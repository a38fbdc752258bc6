import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { HASH_BYTES, sameHash } from '../../../functions/c2sp/hashing.ts';
import { headTable } from '../../../functions/tlog/head.ts';
import type { Head } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { readTimeout } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { CLOCK_SKEW_MS } from './place.ts';

/** An item of the Tlog table as it is; an admin may have written anything. */
export type StoredItem = Readonly<Record<string, unknown>>;

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
/** Returns true for milliseconds since 1970 that a `Date` can have. */
const isTime = (value: unknown) => isCount(value) && value <= 8.64e15;
const isHash = (value: unknown) => value instanceof Uint8Array && value.length === HASH_BYTES;
export const isItem = (value: unknown): value is StoredItem => typeof value === 'object' && value !== null;
export const isListOf = (value: unknown, isOne: (item: StoredItem) => boolean) =>
  Array.isArray(value) && value.every((one) => isItem(one) && isOne(one));

export const isKey = ({ key, index, size }: StoredItem): boolean =>
  typeof key === 'string' && isCount(index) && isCount(size) && index < size;

const HEAD: Readonly<Record<keyof Head, (value: unknown) => boolean>> = {
  id: (value) => value === 'head',
  version: (value) => isCount(value) && value > 0,
  claim: (value) => typeof value === 'string',
  writtenAt: isTime,
  size: isCount,
  root: isHash,
  fromSize: isCount,
  fromRoot: isHash,
  cursor: isTime,
  looked: isTime,
  readAgainFrom: (value) => value === undefined || isTime(value),
  retentionDays: (value) => value === undefined || isCount(value),
  contradictions: (value) =>
    value === undefined || (isItem(value) && Object.values(value).every((said) => typeof said === 'string')),
  keys: (value) => isListOf(value, isKey),
  marks: (value) => isListOf(value, ({ cursor, size }) => isTime(cursor) && isCount(size)),
};

/** Returns the names of the attributes of a head that the service would not write so. */
const damagedIn = (head: StoredItem): string[] =>
  Object.entries(HEAD).flatMap(([name, isRight]) => (isRight(head[name]) ? [] : [name]));

/** Returns true if a head has the attributes of one, whatever they say. */
export const isHead = (item: StoredItem): item is StoredItem & Head => damagedIn(item).length === 0;

/** Reads the head of a log, strongly consistent; undefined before the first one. @throws Failure if it is damaged */
export async function readHead({ db, tables, name }: Target): Promise<Head | undefined> {
  const head = await headTable(db, tables.tlog).get(readTimeout());
  const damaged = head ? damagedIn({ ...head }) : [];
  if (damaged.length === 0) return head;
  throw new Failure('negative', `The head of the log of ${name} cannot be read: ${damaged.join(', ')}.`, {
    advice: 'Somebody wrote the table Tlog past the service. ailog tlog audit says more.',
  });
}

export const inHead = (problem: string): string => `The head in the Tlog table: ${problem}.`;

/**
 * Judges a head by the newest checkpoint, which decides, and by itself.
 * @param now milliseconds since 1970
 * @returns what is wrong, in sentences
 */
export function judgeHead(item: StoredItem, newest: Pick<Checkpoint, 'size' | 'root'>, now: number): string[] {
  if (!isHead(item)) return [inHead(`${damagedIn(item).join(', ')} cannot be read`)];
  const { size, root, fromSize, fromRoot, cursor, looked, writtenAt, readAgainFrom, keys, marks } = item;
  const problems: string[] = [];
  const wrong = (is: boolean, problem: string) => {
    if (is) problems.push(inHead(problem));
  };
  const unknown = Object.keys(item).filter((name) => !(name in HEAD));
  wrong(unknown.length > 0, `the service does not write ${unknown.join(', ')}`);
  if (size < newest.size) {
    wrong(true, `its size is ${size}, and a checkpoint of size ${newest.size} was published. It was rolled back`);
  } else if (size === newest.size) wrong(!sameHash(root, newest.root), 'its root is not that of the newest checkpoint');
  else {
    const follows = fromSize === newest.size && sameHash(fromRoot, newest.root);
    wrong(!follows, `its size is ${size}, and it does not continue the newest checkpoint, of size ${newest.size}`);
  }
  wrong(new Set(keys.map(({ key }) => key)).size < keys.length, 'a key is there twice');
  wrong(cursor > writtenAt, 'its cursor is later than the time at which it was written');
  wrong(looked > writtenAt, 'it looked at entries later than the time at which it was written');
  const again = 'a clock was ahead, or somebody says so: the sequencer reads the index again';
  wrong(readAgainFrom !== undefined, again);
  wrong(marks.length === 0, 'it has no marks');
  wrong(writtenAt > now + CLOCK_SKEW_MS, 'it was written in the future');
  for (const [at, mark] of marks.entries()) {
    const next = marks[at + 1] ?? item;
    wrong(mark.cursor > next.cursor || mark.size > next.size, `mark ${at + 1} is later than what follows it`);
  }
  return problems;
}
