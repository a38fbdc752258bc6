import { signEd25519 } from '../c2sp/ed25519.ts';
import { formatNote } from '../c2sp/note.ts';
import type { HashedAttributes } from '../tlog/entryHash.ts';
import { formatReceipt, receiptOf } from './receiptFormat.ts';
import type { ReceiptSigningKey, readReceiptKey } from './signingKey.ts';

/** The maximum time of one attempt to read the key, in milliseconds. */
const READ_TIMEOUT_MS = 2000;

/** How long uploads wait, from the first one on, for the first read of the key, in ms. Usually, no upload waits. */
const WAIT_MS = 500;

const RETRY_MS = 5000;

/** The time after which a key is read again, in milliseconds. A new key is in use everywhere after it. */
const REFRESH_MS = 10 * 60_000;

/** Returns the receipt of an entry as a signed note. Ed25519 is deterministic: the same entry has the same receipt. */
function signReceipt(origin: string, { key, privateKey }: ReceiptSigningKey, entry: HashedAttributes): string {
  const text = formatReceipt(receiptOf(origin, entry));
  const signature = signEd25519(privateKey, Buffer.from(text));
  return formatNote({ text, signatures: [{ ...key, signature }] });
}

interface ReceiptDependencies {
  readonly origin: string;
  readonly readKey: ReturnType<typeof readReceiptKey>;
  readonly now: () => number;
}

/** Creates a signer of receipts, which keeps the key in memory. An upload never fails because it gets no receipt. */
export function createReceiptSigner({ origin, readKey, now }: ReceiptDependencies) {
  let signingKey: ReceiptSigningKey | undefined;
  let failure: unknown = new Error('The receipt key is not read yet.');
  let reading: { readonly begunAt: number; readonly done: Promise<void> } | undefined;
  let readAgainAt = 0;
  /** The time until which uploads wait; undefined before the first upload. A later read makes nobody wait. */
  let waitUntil: number | undefined;

  let attempts = 0;

  const read = (): Promise<void> => {
    attempts += 1;
    const attempt = attempts;
    const finish = async (): Promise<void> => {
      try {
        signingKey = await readKey(signingKey, AbortSignal.timeout(READ_TIMEOUT_MS));
        readAgainAt = now() + REFRESH_MS;
      } catch (error) {
        if (attempt < attempts) return;
        failure = error;
        readAgainAt = now() + RETRY_MS;
      } finally {
        if (attempt === attempts) reading = undefined;
      }
    };
    reading = { begunAt: now(), done: finish() };
    return reading.done;
  };

  const waitForKey = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const left = Math.min(WAIT_MS, (waitUntil ?? 0) - now());
    if (left <= 0) return;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, left);
    });
    await Promise.race([reading?.done, over]);
    clearTimeout(timer);
  };

  return {
    /** Starts to read the key. After a failure, the first upload reads again. @returns the end of the attempt */
    preload: read,

    /** Starts to read the key if it is not known or is due to be read again. Call it before other calls are awaited. */
    prepare(): void {
      const isFirstUpload = waitUntil === undefined;
      waitUntil ??= now() + WAIT_MS;
      // A read from before the process was frozen has timed out, or will at once.
      const isPreloading = reading !== undefined && now() - reading.begunAt <= WAIT_MS;
      const needsFirstKey = isFirstUpload && !signingKey && !isPreloading;
      const isDue = !reading && now() >= readAgainAt;
      if (needsFirstKey || isDue) void read();
    },

    async issue(entry: HashedAttributes): Promise<string> {
      if (!signingKey) await waitForKey();
      if (!signingKey) throw failure;
      return Buffer.from(signReceipt(origin, signingKey, entry)).toString('base64');
    },
  };
}
