import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { entryHashOf, keyPreimage } from '../../../functions/tlog/entryHash.ts';
import { receiptKeyName } from '../../../functions/tlog/tlogTable.ts';
import { type KeyLeaf, keyHash } from '../inclusion/keyLeaves.ts';
import { hiddenKey, keyWithoutName, laterReceiptKeys, receiptKeysIn } from '../inclusion/trustedKeys.ts';
import type { Audit } from './auditData.ts';
import { keysIn, type TlogItems } from './auditHead.ts';

/**
 * Compares the keys in the log with those that the policy and the Tlog table name, both ways. Puts these into `key`.
 * @param leaves the entries of the log that stand for keys
 * @returns the number of named keys in the log, the later ones of receipts, and a sentence for each without a name
 */
export async function auditKeys(items: TlogItems, origin: string, leaves: readonly KeyLeaf[], audit: Audit) {
  const { files, policy, data, report } = audit;
  const inHead = keysIn(items).map(({ key }) => key);
  const trusted = [...policy.logs.map(({ key }) => key), ...policy.receipts].map(formatVerifierKey);
  const isOwn = (key: string) => key.startsWith(`${origin}+`) || key.startsWith(`${receiptKeyName(origin)}+`);
  const keys = [...new Set([...trusted, ...inHead, ...receiptKeysIn(items.receiptKeys)].filter(isOwn))];
  for (const key of keys) await data.key({ hash: entryHashOf(keyPreimage(key)), name: key });
  const names = new Map(keys.map((key) => [keyHash(key), key]));
  // Of a key that is there twice, the first place.
  const places = new Map(leaves.toReversed().map(({ index, hash }) => [hash, index]));
  const logged = keys.flatMap((key) => {
    const index = places.get(keyHash(key));
    if (index === undefined) report({ kind: 'key', problem: `The key ${key} has no leaf in the log.` });
    else if (items.head && !inHead.includes(key)) report({ kind: 'key', problem: hiddenKey(key, index) });
    return index === undefined ? [] : [{ key, index }];
  });
  return {
    keys: logged.length,
    laterReceiptKeys: await laterReceiptKeys(logged, files, policy),
    nameless: [...places].filter(([hash]) => !names.has(hash)).map(([, index]) => keyWithoutName(index)),
  };
}
