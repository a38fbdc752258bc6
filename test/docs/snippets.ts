import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { LOCAL_ORIGIN } from '../../cli/store/targets/data.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { newSigner } from '../c2sp/keys.ts';
import { execute, inProcess, signedUpload, temporaryFolder, world } from '../setup/world.ts';

/** The programs that check a receipt. */
const RECEIPTS = fileURLToPath(new URL('../../docs/clients/receipts/', import.meta.url));

const DOCUMENT = readFileSync(new URL('../../docs/teams.md', import.meta.url), 'utf8');

/** Returns the code block of docs/teams.md with this fence. @throws Error if there is none */
export function snippet(fence: string): string {
  const [, code] = new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\`$`, 'ms').exec(DOCUMENT) ?? [];
  if (code === undefined) throw new Error(`docs/teams.md has no block \`\`\`${fence}`);
  return code;
}

/** Makes a real upload, for the programs that check its receipt. */
export async function openReceipts() {
  const fixture = await world();
  const key = await fixture.makeReceiptKey();
  const team = await fixture.team();
  const { body } = signedUpload(team);
  const { headers } = await inProcess(fixture.dependencies()).send(signedUpload(team));
  const receipt = headers['ai-log-receipt'] as string;
  const note = Buffer.from(receipt, 'base64').toString();
  const changed = (from: string, to: string) => Buffer.from(note.replace(from, to)).toString('base64');
  const valid = { receipt, key, log: body };
  const name = `${LOCAL_ORIGIN}/receipts`;
  /** The receipt with a change, signed by a key of the name that the programs expect. */
  const signed = async (from: string, to: string, signer = newSigner(name)) => {
    const text = `${note.slice(0, note.lastIndexOf('\n\n'))}\n`.replace(from, to);
    const signedNote = await signNote(text, [signer], new AbortController().signal);
    return { receipt: Buffer.from(signedNote).toString('base64'), key: formatVerifierKey(signer.key) };
  };
  const [, , , , time = ''] = note.split('\n');
  /** A key whose text ends in the character that separates its parts. */
  let plusSigner = newSigner(name);
  while (!formatVerifierKey(plusSigner.key).endsWith('+')) plusSigner = newSigner(name);

  /**
   * Expects that a program of docs/clients/receipts accepts the receipt, and rejects each change of receipt, log and
   * key.
   */
  return async function expectCheck(file: string, command: readonly string[]): Promise<void> {
    const cases: [string, Partial<typeof valid>, number][] = [
      ['the receipt', {}, 0],
      ['the receipt of another key', await signed('', ''), 0],
      ['the receipt of a key that ends in a plus', await signed('', '', plusSigner), 0],
      ['another UID', { receipt: changed(`\n${team.uid}\n`, '\n1\n') }, 1],
      ['another time', { receipt: changed(`\n${time}\n`, `\n${Number(time) - 1}\n`) }, 1],
      ['another signature', { receipt: changed(note.slice(-12, -4), 'AAAAAAAA') }, 1],
      ['another format of the same key', await signed('receipt/v1', 'receipt/v2'), 1],
      ['the same key for another log', await signed(LOCAL_ORIGIN, 'elsewhere'), 1],
      ['another log', { log: Buffer.concat([body, Buffer.from(' ')]) }, 1],
      ['another name of the key', { key: key.replace('localhost', 'elsewhere') }, 1],
      ['another id of the key', { key: key.replace(/\+[0-9a-f]{8}\+/, '+00000000+') }, 1],
    ];
    for (const [name, change, exitCode] of cases) {
      const given = { ...valid, ...change };
      const folder = temporaryFolder();
      copyFileSync(join(RECEIPTS, file), join(folder, file));
      writeFileSync(join(folder, 'receipt.txt'), given.receipt);
      writeFileSync(join(folder, 'log.json'), given.log);
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, AILOG_RECEIPT_KEY: given.key };
      const ran = await execute([...command, file], { env, cwd: folder });
      expect([name, ran.exitCode, ran.stdout.includes('ai-log-receipt/')]).toEqual([name, exitCode, true]);
    }
  };
}
