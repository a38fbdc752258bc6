import { explainEdit } from './explainEdit.ts';
import type { Finding } from './findings.ts';
import type { KnownEntry } from './known.ts';
import type { Suspect } from './rowRecord.ts';

/**
 * Describes a row whose arrival attributes name an entry of the log that it is not any more.
 * @param known what a receipt or an export says of the entry
 * @param ownersOf returns the UIDs that an entry with an access key may have had
 */
export async function describeEdit(
  suspect: Suspect,
  leaf: Buffer,
  index: number,
  known: KnownEntry | undefined,
  ownersOf: (accessKey: unknown) => Promise<readonly string[]>,
): Promise<Finding> {
  const { uid, entryId } = suspect.source;
  const told = {
    ...known?.source,
    ...(known && { uid: known.uid, entryId: known.entryId, receivedAt: known.receivedAt }),
    ...(known?.bodySha256 !== undefined && { bodySha256: known.bodySha256 }),
  };
  const candidates = Object.fromEntries(Object.entries(told).map(([name, value]) => [name, [value]]));
  const owners = await ownersOf(suspect.source.accessKey);
  const attributes =
    explainEdit(suspect, leaf, candidates) ?? explainEdit(suspect, leaf, { ...candidates, uid: owners });
  const entry = { uid, entryId, index };
  if (!attributes) {
    const problem = `Logged at index ${index}, and changed since. Give an earlier export with --known to learn what was changed.`;
    return { kind: 'edited', ...entry, problem };
  }
  const changes = attributes.map(
    ({ name, logged, stored }) => `${name} was ${JSON.stringify(logged)}, and is ${JSON.stringify(stored)}`,
  );
  const problem = `Logged at index ${index}, and changed since: ${changes.join('; ')}.`;
  return { kind: attributes.some(({ name }) => name === 'uid') ? 'moved' : 'edited', ...entry, problem, attributes };
}
