import { rmSync } from 'node:fs';
import { type IssuedCredentials, writeCredentials } from '../files/credentialsFile.ts';
import type { Target } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { WriteOutcome } from './putRecorded.ts';
import { failChange } from './readKey.ts';

/** Credentials to hand over, once. They are stored nowhere else unencrypted. */
interface HandOver {
  readonly credentials: IssuedCredentials;
  /** The file for the credentials. Without one, `show` prints them. */
  readonly file: string | undefined;
  /** Prints the result. */
  readonly show: () => Promise<void>;
  /** Stores the key. Throws only if the key was certainly not stored. */
  readonly store: () => Promise<WriteOutcome>;
}

/**
 * Hands credentials over, then stores their key. In this order, no interruption and no lost answer can leave a key whose
 * credentials nobody has. The file is deleted only if the key was certainly not stored.
 */
export async function handOver(
  terminal: Terminal,
  target: Target,
  { credentials, file, show, store }: HandOver,
): Promise<void> {
  const { accessKey } = credentials;
  const keep = file === undefined ? 'the credentials shown' : `${file}: it has the credentials of the change`;
  const advice = `Check it: ailog keys show ${accessKey}. Until then, keep ${keep}.`;
  const withdraw = () => {
    if (file !== undefined) rmSync(file, { force: true });
    else terminal.note('The credentials shown are not valid: nothing was changed.');
  };
  await target.uninterrupted(advice, async () => {
    if (file === undefined) await show();
    else writeCredentials(file, credentials);
    const { outcome } = await store().catch((error) => {
      withdraw();
      throw error;
    });
    if (outcome === 'changed') withdraw();
    if (outcome !== 'stored') throw failChange(accessKey, outcome, advice);
    if (file !== undefined) await show();
  });
}
