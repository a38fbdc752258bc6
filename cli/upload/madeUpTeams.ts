import { randomInt } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import { entriesReader } from '../store/entries/entriesReader.ts';
import { allowlistEditor } from '../store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../store/tables/apiKeysEditor.ts';
import { issueKey } from '../store/tables/issueKey.ts';
import { failWrite } from '../store/tables/recordedTable.ts';
import type { Target } from '../store/targets/target.ts';

/** Marks the allowlist entries and the keys of made-up teams. What does not have it is never removed. */
const MARK = 'made up by ailog ops rehearse';

/** Runs work on each of some items, a few at once. When it returns or throws, none is running. */
const forEach = <Item, Result>(items: Iterable<Item>, work: (item: Item) => Promise<Result>): Promise<Result[]> =>
  pMap(items, work, { concurrency: 8, stopOnError: false }).catch((error) => {
    throw error instanceof AggregateError ? error.errors[0] : error;
  });

/** A made-up team, with the credentials of its key. */
export type MadeUpTeam = Credentials & Readonly<Record<'uid' | 'accessKey', string>>;

/** Returns UIDs that no other run uses at the same time, also on another machine. */
export function madeUpUids(count: number): string[] {
  const run = randomInt(100_000_000, 1_000_000_000);
  return Array.from({ length: count }, (_, index) => `9${run}${String(index).padStart(6, '0')}`);
}

/** Approves made-up teams, and gives each a key. Their credentials are stored nowhere else. */
export async function makeTeams(target: Target, uids: readonly string[]): Promise<MadeUpTeam[]> {
  const updatedBy = await target.who();
  const at = await target.now();
  const updatedAt = new Date(at).toISOString();
  const make = async (uid: string) => {
    const entry = { uid, status: 'approved', team: `Rehearsal ${uid}`, note: MARK, updatedAt, updatedBy } as const;
    const { outcome } = await allowlistEditor(target).replace(undefined, entry);
    const advice = 'Run the command again: it uses other UIDs.';
    if (outcome !== 'stored') throw failWrite(`UID ${uid}`, outcome, { changed: advice, unknown: advice });
    const { apiKey, credentials } = await issueKey(uid, { seal: target.seal, at, label: MARK, updatedBy });
    await apiKeysEditor(target).put(apiKey);
    return { uid, accessKey: apiKey.accessKey, ...credentials };
  };
  return forEach(uids, make);
}

/** Returns the UIDs of made-up teams that are on the allowlist: also those of a run that was cut off. */
export async function findMadeUpUids(target: Target): Promise<string[]> {
  const all = await Array.fromAsync(allowlistEditor(target).all());
  return all.filter(({ note }) => note === MARK).map(({ uid }) => uid);
}

/**
 * Deletes made-up teams: their entries, their keys, and last their allowlist entries, by which a later run finds what
 * is left. What has the transparency log of them stays there.
 * @returns the number of deleted entries
 */
export async function removeTeams(target: Target, uids: readonly string[]): Promise<number> {
  const { db, tables } = target;
  const remove = (TableName: string, Key: Record<string, string>) => db.send(new DeleteCommand({ TableName, Key }));
  const reader = entriesReader(target);
  const removeTeam = async (uid: string) => {
    let deleted = 0;
    for (;;) {
      const { entries } = await reader.page(uid, {}, { limit: 100 });
      if (entries.length === 0) break;
      await forEach(entries, ({ entryId }) => remove(tables.aiLogs, { uid, entryId }));
      deleted += entries.length;
    }
    const names = await Array.fromAsync(apiKeysEditor(target).namesOf(uid));
    for (const accessKey of names) await remove(tables.apiKeys, { accessKey });
    await remove(tables.allowlist, { uid });
    return deleted;
  };
  const counts = await forEach(uids, removeTeam);
  return counts.reduce((all, one) => all + one, 0);
}
