import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import { rawPublicKey } from '../c2sp/ed25519.ts';
import { formatVerifierKey, verifierKey } from '../c2sp/verifierKey.ts';
import { readReceiptKeys } from '../receipts/signingKey.ts';
import { type Head, type ReceiptKeys, receiptKeyName, type SealedReceiptKey } from '../tlog/tlogTable.ts';

/** Creates a key pair whose private half is sealed for the receipts of a log: as SPKI, and as PKCS #8, both DER. */
export type GenerateReceiptKey = (
  origin: string,
  abortSignal: AbortSignal,
) => Promise<Readonly<Record<'publicKey' | 'sealedPrivateKey', Uint8Array>>>;

/** The time after which a run that made a key and did not log it has died, in milliseconds. */
const ABANDONED_MS = 5 * 60_000;

export type ReceiptKeyTable = ReturnType<typeof receiptKeyTable>;

/** Returns the receipt keys in the Tlog table of this name. */
export const receiptKeyTable = (db: DynamoDBDocumentClient, tableName: string, generate: GenerateReceiptKey) => {
  /**
   * Stores the keys if the item still is what was read.
   * @returns the stored keys: these, or those that another sequencer or a lost attempt stored first
   */
  const put = async (
    keys: ReceiptKeys,
    condition: Pick<PutCommandInput, 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>,
    abortSignal: AbortSignal,
  ): Promise<ReceiptKeys> => {
    try {
      await db.send(new PutCommand({ TableName: tableName, Item: keys, ...condition }), { abortSignal });
      return keys;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return (await readReceiptKeys(db, tableName, abortSignal)) as ReceiptKeys;
    }
  };

  const newKey = async (origin: string, now: number, abortSignal: AbortSignal): Promise<SealedReceiptKey> => {
    const { publicKey, sealedPrivateKey } = await generate(origin, abortSignal);
    const key = verifierKey(receiptKeyName(origin), rawPublicKey(publicKey));
    return { verifierKey: formatVerifierKey(key), createdAt: new Date(now).toISOString(), sealedPrivateKey };
  };

  return {
    /**
     * Creates the first key if there is none, and the next one if an admin has requested it.
     * @param now milliseconds since 1970
     * @param head of the log
     * @returns the verifier keys to put into the log, as text: those that this call has made, and the current one if
     * the log is new. One that somebody wrote into the table is not among them: whoever has its private half could date
     * receipts back.
     */
    async ensure(
      origin: string,
      now: number,
      abortSignal: AbortSignal,
      { size, keys: loggedKeys }: Pick<Head, 'size' | 'keys'> = { size: 0, keys: [] },
    ): Promise<string[]> {
      let keys = await readReceiptKeys(db, tableName, abortSignal);
      let isOwn = size === 0;
      if (!keys) {
        const current = await newKey(origin, now, abortSignal);
        const first = { id: 'receipt-keys', current, previous: [] } as const;
        keys = await put(first, { ConditionExpression: 'attribute_not_exists(id)' }, abortSignal);
        isOwn ||= keys.current.verifierKey === current.verifierKey;
      }
      const { requested, next, ...kept } = keys;
      // Nobody who writes this item brings a key of checkpoints into the log.
      const isNamed = keys.current.verifierKey.startsWith(`${receiptKeyName(origin)}+`);
      const found = isOwn && isNamed ? [keys.current.verifierKey] : [];
      const logged = loggedKeys.map(({ key }) => key);
      // Another run may be about to log it. If that run died, nobody can tell its key from one that somebody wrote.
      const isAbandoned =
        next && !logged.includes(next.verifierKey) && !(Math.abs(now - Date.parse(next.createdAt)) <= ABANDONED_MS);
      const asked = requested && { requestId: requested.id, requestedBy: requested.by, startsAt: requested.startsAt };
      const wanted = next ?? asked;
      if (!wanted || (next && !isAbandoned)) return found;
      const made = { ...wanted, ...(await newKey(origin, now, abortSignal)) };
      const stored = await put(
        { ...kept, next: made },
        next
          ? {
              ConditionExpression: '#next.#key = :key',
              ExpressionAttributeNames: { '#next': 'next', '#key': 'verifierKey' },
              ExpressionAttributeValues: { ':key': next.verifierKey },
            }
          : {
              ConditionExpression: '#requested.#id = :id AND attribute_not_exists(#next)',
              ExpressionAttributeNames: { '#requested': 'requested', '#id': 'id', '#next': 'next' },
              ExpressionAttributeValues: { ':id': requested?.id },
            },
        abortSignal,
      );
      return stored.next?.verifierKey === made.verifierKey ? [...found, made.verifierKey] : found;
    },

    /**
     * Makes the next key the current one, if its time has come. The old key's private half is not kept.
     * @param logged the verifier keys whose leaves are in the log: a key that is not among them does not sign yet
     * @param now milliseconds since 1970
     */
    async startNext(logged: readonly string[], now: number, abortSignal: AbortSignal): Promise<void> {
      const keys = await readReceiptKeys(db, tableName, abortSignal);
      if (!keys?.next || keys.next.startsAt > now || !logged.includes(keys.next.verifierKey)) return;
      const { startsAt, ...current } = keys.next;
      const { sealedPrivateKey: _, ...old } = keys.current;
      const previous = [...keys.previous, { ...old, replacedAt: new Date(now).toISOString() }];
      const condition = {
        ConditionExpression: '#next.#verifierKey = :key AND #next.#startsAt = :startsAt',
        ExpressionAttributeNames: { '#next': 'next', '#verifierKey': 'verifierKey', '#startsAt': 'startsAt' },
        ExpressionAttributeValues: { ':key': current.verifierKey, ':startsAt': startsAt },
      };
      await put({ id: 'receipt-keys', current, previous }, condition, abortSignal);
    },
  };
};
