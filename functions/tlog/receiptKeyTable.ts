import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';

/** A key of receipts with its private half: PKCS #8 (DER), sealed under the context of `receiptKeyContext`. */
export interface SealedReceiptKey {
  /** `<origin>/receipt-key/<k>`, or that with the id of the key behind it before its note is public. */
  readonly id: string;
  readonly verifierKey: string;
  readonly createdAt: string;
  readonly sealedPrivateKey: Uint8Array;
}

/** The number of the newest commit that was published. It contradicts a bucket that was rolled back. */
interface Floor {
  /** `<origin>/floor`. */
  readonly id: string;
  readonly n: number;
}

/** The items of the table ReceiptKeys. The sequencer writes them, and the upload function reads the keys. */
export type ReceiptKeyItem = SealedReceiptKey | Floor;

/** Returns the id of an item of a log: a new log in the same table has others. */
const itemId = (origin: string, name: string): string => `${origin}/${name}`;

/** Returns the ids of the keys of a log, as a policy of IAM names them. */
export const receiptKeyIds = (origin: string): string => itemId(origin, 'receipt-key/*');

/** Returns the name of the item of the k-th receipt key. It is there only when its note is public. */
export const receiptKeyItem = (k: number): string => `receipt-key/${k}`;

/** Returns the encryption context that seals the private half of a receipt key. */
export const receiptKeyContext = (origin: string) => ({ purpose: 'receipts', origin });

/** Returns what the table ReceiptKeys of this name has of a log. Reads are strongly consistent. */
export function receiptKeyTable(db: DynamoDBDocumentClient, TableName: string, origin: string) {
  const read = async (name: string, abortSignal: AbortSignal) => {
    const Key = { id: itemId(origin, name) };
    return (await db.send(new GetCommand({ TableName, Key, ConsistentRead: true }), { abortSignal })).Item;
  };

  const put = async (name: string, item: object, condition: object, abortSignal: AbortSignal): Promise<void> => {
    const Item = { id: itemId(origin, name), ...item };
    try {
      await db.send(new PutCommand({ TableName, Item, ...condition }), { abortSignal });
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };

  return {
    /** Returns a key; undefined: there is none. @param name `receiptKeyItem`, or that with the key's id behind it */
    getKey: async (name: string, abortSignal: AbortSignal) =>
      (await read(name, abortSignal)) as SealedReceiptKey | undefined,

    putKey: (
      name: string,
      { verifierKey, createdAt, sealedPrivateKey }: Omit<SealedReceiptKey, 'id'>,
      abortSignal: AbortSignal,
    ) =>
      put(
        name,
        { verifierKey, createdAt, sealedPrivateKey },
        { ConditionExpression: 'attribute_not_exists(id)' },
        abortSignal,
      ),

    /** Returns the number of the newest commit that was published; 0: none. */
    getFloor: async (abortSignal: AbortSignal): Promise<number> =>
      ((await read('floor', abortSignal)) as Floor | undefined)?.n ?? 0,

    raiseFloor: (n: number, abortSignal: AbortSignal): Promise<void> =>
      put(
        'floor',
        { n },
        { ConditionExpression: 'attribute_not_exists(id) OR n < :n', ExpressionAttributeValues: { ':n': n } },
        abortSignal,
      ),
  };
}
