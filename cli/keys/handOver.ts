import { rmSync } from 'node:fs';
import { type AccessCredentials, writeCredentials } from '../data/credentialsFile.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** How credentials leave the service: into a file, or onto stdout. Nothing keeps them in the clear. */
interface HandOver {
  readonly out: string | undefined;
  readonly json: true | undefined;
}

/**
 * Hands credentials to whoever asked for them, once, around the moment in which they begin to hold.
 * A file is written before that, so that no key holds whose credentials nobody has; it goes again where `store` fails.
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
  else for (const [name, value] of Object.entries(shown)) await terminal.print(`${name.padEnd(12)}${value}`);
  if (out === undefined) terminal.note('Shown this once, and kept nowhere in the clear. Hand them over safely.');
  else terminal.note(`${out} can be read by you alone. Hand it over safely, then delete it.`);
}
