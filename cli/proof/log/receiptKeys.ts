import type { VerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { receiptKeyPath } from '../../../functions/tlog/paths.ts';
import { type CertifiedReceiptKey, openReceiptKey } from '../../../functions/tlog/receiptKeyNote.ts';
import type { LogFiles } from './publicFiles.ts';

/**
 * Reads the notes about receipt keys. @param keys the checkpoint keys that are trusted
 * @returns the keys in their order, and a sentence for each note that cannot be trusted
 */
export async function readReceiptKeys({ read }: LogFiles, origin: string, keys: readonly VerifierKey[]) {
  const certified: CertifiedReceiptKey[] = [];
  const problems: string[] = [];
  for (let k = 1; ; k += 1) {
    const path = receiptKeyPath(k);
    const bytes = await read(path);
    if (!bytes) return { certified, problems };
    try {
      const one = openReceiptKey(Buffer.from(bytes).toString(), keys);
      if (one.k !== k || one.origin !== origin) throw new Error(`It is about key ${one.k} of ${one.origin}.`);
      certified.push(one);
    } catch (error) {
      problems.push(`${path} cannot be trusted: ${(error as Error).message}`);
    }
  }
}
