import { rawPublicKey } from '../c2sp/ed25519.ts';
import { type Signer, signNote } from '../c2sp/note.ts';
import { formatVerifierKey, hexId, verifierKey } from '../c2sp/verifierKey.ts';
import { receiptKeyPath } from '../tlog/paths.ts';
import { formatReceiptKey, openReceiptKey, receiptKeyName } from '../tlog/receiptKeyNote.ts';
import { receiptKeyItem, type receiptKeyTable } from '../tlog/receiptKeyTable.ts';
import type { TlogStorage } from './storage.ts';

/** Creates a key pair whose private half is sealed for the receipts of a log: as SPKI, and as PKCS #8, both DER. */
export type GenerateReceiptKey = (
  origin: string,
  abortSignal: AbortSignal,
) => Promise<Readonly<Record<'publicKey' | 'sealedPrivateKey', Uint8Array>>>;

export interface ReceiptKeyOptions {
  readonly origin: string;
  readonly storage: Pick<TlogStorage, 'get' | 'create'>;
  readonly table: ReturnType<typeof receiptKeyTable>;
  readonly signers: (abortSignal: AbortSignal) => Promise<readonly Signer[]>;
  readonly now: () => number;
  readonly generate: GenerateReceiptKey;
}

/**
 * Makes the k-th receipt key if there is none. The note in the log, which is created once, decides which key it is:
 * several runs can make keys at once, and a run can be killed at any point. Only a key that was made here gets into a
 * note: whoever writes another one into the table could date receipts back. Uploads sign with it once its note is
 * public.
 * @returns the verifier key as text
 * @throws Error if the note is not of this log, or if nobody has the private half of its key
 */
export async function ensureReceiptKey(
  options: ReceiptKeyOptions,
  k: number,
  abortSignal: AbortSignal,
): Promise<string> {
  const { origin, storage, table, signers, now, generate } = options;
  const path = receiptKeyPath(k);
  const present = await table.getKey(receiptKeyItem(k), abortSignal);
  if (present) return present.verifierKey;
  if (!(await storage.get(path, abortSignal))) {
    const { publicKey, sealedPrivateKey } = await generate(origin, abortSignal);
    const key = verifierKey(receiptKeyName(origin), rawPublicKey(publicKey));
    const createdAt = new Date(now()).toISOString();
    const made = { verifierKey: formatVerifierKey(key), createdAt, sealedPrivateKey };
    await table.putKey(`${receiptKeyItem(k)}/${hexId(key.id)}`, made, abortSignal);
    // The private half is kept. After a crash here, or if another run creates the note first, nobody uses it.
    const text = formatReceiptKey({ origin, k, key, since: now() });
    const note = await signNote(text, await signers(abortSignal), abortSignal);
    await storage.create(path, Buffer.from(note), abortSignal);
  }
  const note = await storage.get(path, abortSignal);
  const trusted = (await signers(abortSignal)).map(({ key }) => key);
  const { key } = openReceiptKey(Buffer.from(note?.bytes ?? []).toString(), trusted);
  const made = await table.getKey(`${receiptKeyItem(k)}/${hexId(key.id)}`, abortSignal);
  if (made?.verifierKey !== formatVerifierKey(key))
    throw new Error(`The private half of the key in ${path} is lost: set receiptKey to ${k + 1}, and deploy.`);
  await table.putKey(receiptKeyItem(k), made, abortSignal);
  return made.verifierKey;
}
