import { hash } from 'node:crypto';
import { bodyOf } from '../ailog/bodyOf.ts';
import type { Entry } from '../ailog/entry.ts';
import { isOrderId } from '../ailog/orderId.ts';
import { entryHashOf, entryPreimage } from '../tlog/entryHash.ts';
import { COMPARABLE_LETTERS, type LogContent, readContent } from './logContent.ts';
import { signPieces } from './minHash.ts';
import { searchText } from './searchText.ts';
import { TRADE_COLUMNS } from './trade.ts';

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type Part = `s${Digit | `1${0 | 1 | 2 | 3 | 4 | 5}`}`;

/** The MinHash signature in parts of 8 bytes. Half a part is a band. */
const PARTS = Array.from({ length: 16 }, (_, index) => `s${index}` as Part);

/** The types of columns, which are words of Parquet and SQL, and the values in them. */
interface Values {
  readonly VARCHAR: string;
  readonly BIGINT: bigint;
  readonly INTEGER: number;
  readonly BOOLEAN: boolean;
  readonly BINARY: Uint8Array;
}

/** A row with these columns. Those of `Nullable` can be null. */
export type RowOf<Types extends Readonly<Record<string, keyof Values>>, Nullable = never> = {
  readonly [Name in keyof Types]: Values[Types[Name]] | (Name extends Nullable ? null : never);
};

export const ROW_VERSION = 8;

/** What the analysis keeps of one entry, in the order of the columns. A change of a meaning is a new `ROW_VERSION`. */
export const FEATURE_COLUMNS = {
  uid: 'VARCHAR',
  entry_id: 'VARCHAR',
  /** The times of signature and receipt, in milliseconds since 1970. */
  signed_at: 'BIGINT',
  received_at: 'BIGINT',
  order_id: 'BIGINT',
  stage: 'VARCHAR',
  model: 'VARCHAR',
  body_bytes: 'INTEGER',
  /**
   * The first 8 bytes of SHA-256, equal for the same body; input and output; output but for digits; output and
   * explanation but for digits. Texts too short to compare are equal in a team only, empty ones in none.
   */
  body_digest: 'BIGINT',
  data_digest: 'BIGINT',
  output_digest: 'BIGINT',
  text_digest: 'BIGINT',
  /** The same of the data of the decision, see `decisionOf`. */
  decision_digest: 'BIGINT',
  /** The letters of output and explanation without names, see `comparablePieces`, and of the output alone. */
  prose: 'INTEGER',
  output_prose: 'INTEGER',
  comparable: 'BOOLEAN',
  has_data: 'BOOLEAN',
  /** True if the model has a digit in its name, as in GPT-5-mini. */
  has_version: 'BOOLEAN',
  hidden_characters: 'BOOLEAN',
  text_cut: 'BOOLEAN',
  ...TRADE_COLUMNS,
  ...(Object.fromEntries(PARTS.map((name) => [name, 'BIGINT'])) as Record<Part, 'BIGINT'>),
  /** The entry hash, 32 bytes: the entry's leaf in the transparency log. */
  leaf: 'BINARY',
  row_version: 'INTEGER',
} as const;

export const NULLABLE = ['order_id', 'trade_coin', 'trade_side'] as const;

export type FeatureRow = RowOf<typeof FEATURE_COLUMNS, (typeof NULLABLE)[number]>;

/** An entry that the service cannot have stored, or whose body does not arrive as it was stored. It gets no row. */
export class PoisonedEntry extends Error {
  /** The error of the entry, without its name. */
  readonly problem: string;

  constructor({ uid, entryId }: Partial<Entry>, problem: string, cause?: unknown) {
    super(`Entry ${entryId} of UID ${uid}: ${problem}`, { cause });
    this.problem = problem;
    this.name = 'PoisonedEntry';
  }
}

function findProblem({ uid, entryId, timestamp, receivedAt, orderId, model, stage }: Entry): string | undefined {
  if ([uid, entryId, model, stage].some((text) => typeof text !== 'string')) return 'a text attribute is missing';
  if (!/^\d{13}$/.test(timestamp)) return 'its timestamp has no 13 digits';
  if (!Number.isSafeInteger(receivedAt) || Math.abs(receivedAt) > 8.64e15) return 'its receivedAt is no time';
  const isOrder = typeof orderId === 'bigint' && orderId > 0n && isOrderId(String(orderId));
  if (orderId !== undefined && !isOrder) return 'its orderId is no order id';
  return undefined;
}

/** Returns the result of a step. @throws PoisonedEntry with a problem of the entry if the step fails */
function attempt<Result>(entry: Entry, problem: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    throw new PoisonedEntry(entry, problem, error);
  }
}

const digestOf = (text: string): bigint => BigInt.asIntN(64, BigInt(`0x${hash('sha256', text).slice(0, 16)}`));

function digestsOf({ uid, entryId, bodySha256 }: Entry, content: LogContent) {
  const { data, decision, outputPieces, outputLetters, pieces, letters } = content;
  const textOf = (name: string, compared: readonly string[], isShort: boolean) =>
    compared.length === 0 ? `${name} ${uid} ${entryId}` : `${name} ${isShort ? uid : ''} ${compared.join(' ')}`;
  const body = Buffer.from(bodySha256, 'hex').readBigInt64BE();
  return {
    body_digest: body,
    data_digest: data === undefined ? body : digestOf(data),
    decision_digest: data === undefined ? body : digestOf(decision),
    // A short output is compared only together with its explanation.
    output_digest: digestOf(textOf('output', outputLetters < COMPARABLE_LETTERS ? [] : outputPieces, false)),
    text_digest: digestOf(textOf('text', pieces, letters < COMPARABLE_LETTERS)),
  };
}

/** All columns. A copy of it takes a tenth of the time of an object that gets as many names one by one. */
const BLANK = { ...FEATURE_COLUMNS } as unknown as { -readonly [Name in keyof FeatureRow]: FeatureRow[Name] };

/**
 * Makes the row of an entry, and its text for search; order id, stage and model are those of the body, which the entry
 * hash covers. @param decompress a faster `bodyOf` @returns `changed`: the copies that are not what the body says
 * @throws PoisonedEntry unless the service can have stored the entry. Binary attributes must be bytes, not base64
 */
export function featureRow(
  entry: Entry,
  decompress = bodyOf,
): { row: FeatureRow; search: string; changed: readonly string[] } {
  const problem = findProblem(entry);
  if (problem !== undefined) throw new PoisonedEntry(entry, problem);
  const bytes = attempt(entry, 'its body cannot be decompressed', () => decompress(entry));
  if (hash('sha256', bytes) !== entry.bodySha256) throw new PoisonedEntry(entry, 'its body has another SHA-256');
  const body = bytes.toString();
  const content = readContent(body);
  const { copies } = content;
  if (!copies) throw new PoisonedEntry(entry, 'its body is no log');
  const { stage, model } = copies;
  const row = Object.assign({ ...BLANK }, {
    uid: entry.uid,
    entry_id: entry.entryId,
    signed_at: BigInt(entry.timestamp),
    received_at: BigInt(entry.receivedAt),
    order_id: copies.orderId ?? null,
    stage,
    model,
    body_bytes: bytes.length,
    ...digestsOf(entry, content),
    prose: content.prose,
    output_prose: content.outputProse,
    comparable: content.letters >= COMPARABLE_LETTERS,
    has_data: content.hasData,
    has_version: /\d/.test(model),
    hidden_characters: content.hasHiddenCharacters,
    text_cut: content.isCut,
    ...content.trade,
    leaf: attempt(entry, 'it has no entry hash', () => entryHashOf(entryPreimage(entry))),
    row_version: ROW_VERSION,
  } satisfies Omit<FeatureRow, Part>);
  const { buffer, byteOffset } = signPieces(content.pieces);
  const signature = new DataView(buffer, byteOffset);
  PARTS.forEach((name, index) => {
    row[name] = signature.getBigInt64(index * 8);
  });
  const changed = (['orderId', 'stage', 'model'] as const).filter((name) => copies[name] !== entry[name]);
  return { row, changed, search: searchText({ stage, model, explanation: content.explanation, body }) };
}
