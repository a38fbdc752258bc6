import { HASH_BYTES } from '../../../functions/c2sp/hashing.ts';
import { headTable } from '../../../functions/tlog/head.ts';
import type { Head } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { readTimeout } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';

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

/** What the value of each attribute of the head must be. */
export const HEAD: Readonly<Record<keyof Head, (value: unknown) => boolean>> = {
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
  retentionDays: (value) => value === undefined || isCount(value),
  keys: (value) => isListOf(value, isKey),
  marks: (value) => isListOf(value, ({ cursor, size }) => isTime(cursor) && isCount(size)),
};

/** Returns the names of the attributes of a head that the service would not write so. */
export const damagedIn = (head: StoredItem): string[] =>
  Object.entries(HEAD).flatMap(([name, isRight]) => (isRight(head[name]) ? [] : [name]));

/** Reads the head of a log, strongly consistent; undefined before the first one. @throws Failure if it is damaged */
export async function readHead({ db, tables, name }: Target): Promise<Head | undefined> {
  const head = await headTable(db, tables.tlog).get(readTimeout());
  const damaged = head ? damagedIn({ ...head }) : [];
  if (damaged.length === 0) return head;
  throw new Failure('negative', `The head of the log of ${name} cannot be read: ${damaged.join(', ')}.`, {
    advice: 'Somebody wrote the table Tlog past the service. ailog tlog audit says more.',
  });
}
