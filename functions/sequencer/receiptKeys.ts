import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GenerateDataKeyPairWithoutPlaintextCommand, type KMSClient } from '@aws-sdk/client-kms';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { rawPublicKey } from '../tlog/ed25519.ts';
import { type ReceiptKeys, receiptKeyContext, receiptKeyName } from '../tlog/logTable.ts';
import { formatVerifierKey, verifierKey } from '../tlog/verifierKey.ts';

/** A key pair for receipts: the public key as SPKI, the private key as PKCS #8 and sealed, both DER. */
interface ReceiptKeyPair {
  readonly publicKey: Uint8Array;
  readonly sealedPrivateKey: Uint8Array;
}

/** Creates a key pair whose private half is sealed for the receipts of a log. */
export type GenerateReceiptKey = (origin: string, abortSignal: AbortSignal) => Promise<ReceiptKeyPair>;

/** Returns a function that creates the pair in KMS. Only the upload function ever decrypts the private half. */
export const kmsReceiptKey =
  (kms: KMSClient, keyArn: string): GenerateReceiptKey =>
  async (origin, abortSignal) => {
    const { PublicKey, PrivateKeyCiphertextBlob } = await kms.send(
      new GenerateDataKeyPairWithoutPlaintextCommand({
        KeyId: keyArn,
        KeyPairSpec: 'ECC_NIST_EDWARDS25519',
        EncryptionContext: receiptKeyContext(origin),
      }),
      { abortSignal },
    );
    return { publicKey: PublicKey as Uint8Array, sealedPrivateKey: PrivateKeyCiphertextBlob as Uint8Array };
  };

/** Reads the receipt keys and creates the first one. */
export type ReceiptKeyTable = ReturnType<typeof receiptKeyTable>;

/** Returns the receipt keys in the Log table of this name. */
export const receiptKeyTable = (db: DynamoDBDocumentClient, tableName: string, generate: GenerateReceiptKey) => {
  const get = async (abortSignal: AbortSignal): Promise<ReceiptKeys | undefined> => {
    const command = new GetCommand({ TableName: tableName, Key: { id: 'receipt-keys' }, ConsistentRead: true });
    return (await db.send(command, { abortSignal })).Item as ReceiptKeys | undefined;
  };

  return {
    /**
     * Returns the verifier keys of all receipts, current and previous, as text. Creates the first key if there is none.
     * @param now milliseconds since 1970
     */
    async ensure(origin: string, now: number, abortSignal: AbortSignal): Promise<string[]> {
      let keys = await get(abortSignal);
      if (!keys) {
        const { publicKey, sealedPrivateKey } = await generate(origin, abortSignal);
        const key = verifierKey(receiptKeyName(origin), rawPublicKey(publicKey));
        const createdAt = new Date(now).toISOString();
        const current = { verifierKey: formatVerifierKey(key), createdAt, sealedPrivateKey };
        keys = { id: 'receipt-keys', current, previous: [] };
        const put = { TableName: tableName, Item: keys, ConditionExpression: 'attribute_not_exists(id)' };
        await db.send(new PutCommand(put), { abortSignal }).catch(async (error) => {
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
          // Another sequencer created a key at the same time: use that one.
          keys = (await get(abortSignal)) as ReceiptKeys;
        });
      }
      return [...keys.previous, keys.current].map(({ verifierKey }) => verifierKey);
    },
  };
};
