import { expect, test } from 'vitest';
import { signNote } from '../../functions/c2sp/note.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { fileDecryptReceiptKey, readReceiptKey } from '../../functions/receipts/signingKey.ts';
import { ensureReceiptKey } from '../../functions/sequencer/receiptKeys.ts';
import { receiptKeyPath } from '../../functions/tlog/paths.ts';
import { formatReceiptKey, openReceiptKey, receiptKeyName } from '../../functions/tlog/receiptKeyNote.ts';
import { receiptKeyItem, receiptKeyTable } from '../../functions/tlog/receiptKeyTable.ts';
import { newSigner } from '../c2sp/keys.ts';
import { world } from '../setup/world.ts';
import { intercepted, Killed } from './intercept.ts';

const never = new AbortController().signal;

async function openLog() {
  const log = await world({ receiptKey: false }).sequenced();
  const decrypt = fileDecryptReceiptKey(log.environment.CREDENTIALS_KEY_FILE);
  const { table, origin } = log.options;
  return {
    ...log,
    ensure: (k: number, change: Partial<typeof log.options> = {}) =>
      ensureReceiptKey({ ...log.options, ...change }, k, never),
    /** The verifier key that uploads sign with, with a number of the setting. */
    signing: async (number: number) =>
      formatVerifierKey((await readReceiptKey({ table, origin, number, decrypt })(undefined, never)).key),
    certified: async (k: number) => {
      const keys = (await log.options.signers(never)).map(({ key }) => key);
      const certified = openReceiptKey(String(log.files().get(receiptKeyPath(k))), keys);
      return { ...certified, key: formatVerifierKey(certified.key) };
    },
  };
}

test('a key is made once, and the log says which it is and since when', async () => {
  const log = await openLog();
  await expect(log.signing(1)).rejects.toThrow('There is no receipt key yet.');
  const made = await log.ensure(1);
  expect(await log.ensure(1)).toBe(made);
  expect(await log.certified(1)).toEqual({ origin: 'localhost/ailog', k: 1, key: made, since: log.clock.now() });
  expect(await log.signing(1)).toBe(made);
});

test('a key that the table does not take is an error, and one that it has already is none', async () => {
  const { keyTable, db, options } = await openLog();
  const key = { verifierKey: 'v', createdAt: '2026-01-01T00:00:00.000Z', sealedPrivateKey: Buffer.alloc(1) };
  const put = (table: Pick<typeof keyTable, 'putKey'>) => table.putKey(receiptKeyItem(7), key, never);
  await put(keyTable);
  await put(keyTable);
  await expect(put(receiptKeyTable(db, 'missing', options.origin))).rejects.toThrow('resource not found');
});

test('until the note of a new key is public, the old one signs', async () => {
  const log = await openLog();
  const first = await log.ensure(1);
  expect(await log.signing(2)).toBe(first);
  const storage = intercepted('storage', log.options.storage, (call, phase) => {
    if (call === 'storage.create' && phase === 'after') throw new Killed();
  });
  await expect(log.ensure(2, { storage })).rejects.toBeInstanceOf(Killed);
  // The note is public, and the run died before uploads could know. The next one tells them.
  expect(await log.signing(2)).toBe(first);
  const second = await log.ensure(2);
  expect(second).not.toBe(first);
  expect([await log.signing(2), await log.signing(1)]).toEqual([second, first]);
  expect((await log.certified(2)).key).toBe(second);
});

test('runs at the same time, and runs that are killed anywhere, agree on one key', async () => {
  for (let step = 1; step < 12; step += 1) {
    const log = await openLog();
    let calls = 0;
    const kill = () => {
      calls += 1;
      if (calls === step) throw new Killed();
    };
    const killed = {
      storage: intercepted('storage', log.options.storage, kill),
      table: intercepted('table', log.options.table, kill),
    };
    await Promise.allSettled([log.ensure(1, killed), log.ensure(1), log.ensure(1)]);
    const made = await log.ensure(1);
    expect([(await log.certified(1)).key, await log.signing(1)]).toEqual([made, made]);
  }
});

test.each(['stranger', 'checkpoint key'])(
  'a note whose key nobody here has made, signed by a %s, is refused',
  async (who) => {
    const log = await openLog();
    const { origin } = log.options;
    const text = formatReceiptKey({ origin, k: 1, key: newSigner(receiptKeyName(origin)).key, since: 1 });
    const signers = who === 'stranger' ? [newSigner(origin)] : await log.options.signers(never);
    await log.options.storage.create(receiptKeyPath(1), Buffer.from(await signNote(text, signers, never)), never);
    await expect(log.ensure(1)).rejects.toThrow(
      who === 'stranger'
        ? 'No trusted key of the log localhost/ailog signed the note about its receipt key 1.'
        : 'The private half of the key in receipt-keys/1 is lost: set receiptKey to 2, and deploy.',
    );
    await expect(log.signing(1)).rejects.toThrow('There is no receipt key yet.');
    expect(await log.signing(2).catch(() => 'none')).toBe('none');
    expect(await log.signing(2).catch(() => log.ensure(2))).toBe((await log.certified(2)).key);
  },
);

test('a key that somebody wrote into the table signs nothing for the log', async () => {
  const log = await openLog();
  const other = await openLog();
  const planted = await other.ensure(1);
  const item = await other.options.table.getKey(receiptKeyItem(1), never);
  if (!item) throw new Error('no key');
  await log.options.table.putKey(`${receiptKeyItem(1)}/00000000`, item, never);
  expect(await log.ensure(1)).not.toBe(planted);
});

test('a note has exactly five lines about one key of receipts', async () => {
  const key = newSigner('a/receipts').key;
  const good = formatReceiptKey({ origin: 'a', k: 2, key, since: 5 });
  expect(good).toBe(`ai-log-receipt-key/v1\na\n2\n${formatVerifierKey(key)}\n5\n`);
  const signer = newSigner('a');
  const open = async (text: string) => openReceiptKey(await signNote(text, [signer], never), [signer.key]);
  for (const [from, to] of [
    ['v1', 'v2'],
    ['\n2\n', '\n02\n'],
    ['\n2\n', '\n0\n'],
    ['\n5\n', '\n'],
    ['\n5\n', '\n5\n6\n'],
    ['\na\n', '\nb\n'],
    ['/receipts', ''],
  ] as const)
    await expect(open(good.replace(from, to)), `${from} ${to}`).rejects.toThrow();
  expect((await open(good)).k).toBe(2);
});
