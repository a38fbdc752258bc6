import { rmSync } from 'node:fs';
import { type AccessCredentials, writeCredentials } from '../data/credentialsFile.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The destination of credentials: a file, or stdout. They are stored nowhere else unencrypted. */
interface HandOver {
  readonly out: string | undefined;
  readonly json: true | undefined;
}

/**
 * Stores an API key and hands its credentials over, once. A file is written before the key is stored, so that no key is
 * valid whose credentials nobody has. The file is removed if `store` fails.
 */
export async function handOver(
  terminal: Terminal,
  { credentials, facts, store }: { credentials: AccessCredentials; facts: object; store: () => Promise<void> },
  { out, json }: HandOver,
): Promise<void> {
  if (out !== undefined) writeCredentials(out, credentials);
  try {
    await store();
  } catch (error) {
    if (out !== undefined) rmSync(out, { force: true });
    throw error;
  }
  const { accessKey, secret, passphrase } = credentials;
  const shown = out === undefined ? { accessKey, secret, passphrase } : { accessKey, file: out };
  if (json) await terminal.json({ ...facts, ...shown });
  else await terminal.facts(shown);
  if (out === undefined)
    terminal.note('The credentials are shown only once and stored only encrypted. Hand them over securely.');
  else terminal.note(`Only you can read ${out}. Hand it over securely, then delete it.`);
}
