import type { IssuedCredentials } from '../files/credentialsFile.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Prints the credentials of a single key, or the file that has them.
 * @param facts further facts for JSON
 */
export async function showCredentials(
  terminal: Terminal,
  facts: object,
  { accessKey, secret, passphrase }: IssuedCredentials,
  file: string | undefined,
  json: true | undefined,
): Promise<void> {
  const shown = file === undefined ? { accessKey, secret, passphrase } : { accessKey, file };
  await (json ? terminal.json({ ...facts, ...shown }) : terminal.facts(shown));
  if (file === undefined)
    terminal.note('The credentials are shown only once and stored only encrypted. Hand them over securely.');
  else terminal.note(`Only you can read ${file}. Hand it over securely, then delete it.`);
}

/** Prints the files of several keys, also after an error: those that were written until then. */
export async function showFiles(
  terminal: Terminal,
  done: readonly { readonly uid: string; readonly accessKey: string; readonly file: string }[],
  total: number,
  json: true | undefined,
): Promise<void> {
  if (json) await terminal.json(done);
  else if (done.length > 0) {
    await terminal.table(done.map(({ uid, accessKey, file }) => ({ uid, 'access key': accessKey, file })));
  }
  terminal.note(
    done.length === total
      ? `Files: ${done.length}. Only you can read them. Hand them over securely, then delete them.`
      : `Done: ${done.length} of ${total}. The rest is unchanged, apart from a key that the next message names.`,
  );
}
