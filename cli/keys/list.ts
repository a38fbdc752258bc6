import { type ApiKey, acceptedCredentials, isUsable } from '../../functions/auth/apiKeys.ts';
import { apiKeysEditor } from '../data/apiKeysEditor.ts';
import { type Target, withTarget } from '../target.ts';
import { uid } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { byUid } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readKey } from './readKey.ts';

/** Reads the keys of one UID, or all keys. */
async function readKeys(target: Target, owner: string | undefined): Promise<ApiKey[]> {
  const editor = apiKeysEditor(target.db, target.tables.apiKeys);
  if (owner === undefined) return Array.fromAsync(editor.all());
  const keys: ApiKey[] = [];
  for await (const name of editor.namesOf(owner)) keys.push(await readKey(target, name));
  return keys;
}

/** Describes a key, without its credentials. */
function describe(key: ApiKey, now: number) {
  const { accessKey, uid, label, createdAt, expiresAt, previous, updatedAt, updatedBy } = key;
  return {
    uid,
    accessKey,
    state: key.status === 'active' && !isUsable(key, now) ? 'expired' : key.status,
    label,
    createdAt,
    expiresAt,
    oldValidUntil: acceptedCredentials(key, now).length > 1 ? previous?.validUntil : undefined,
    updatedAt: updatedAt ?? createdAt,
    updatedBy,
  };
}

export const listKeys = (terminal: Terminal) =>
  targetCommand('list', {
    summary: 'Show API keys, their UIDs and their states. Never shows secrets.',
    examples: [
      ['keys list', 'all keys'],
      ['keys list --uid 1001', 'the keys of one team'],
    ],
  })
    .option('--uid <uid>', 'show only keys of this UID', uid)
    .action(async ({ uid: owner, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const now = Date.now();
        const keys = (await readKeys(target, owner))
          .map((key) => describe(key, now))
          .sort((a, b) => byUid(a, b) || a.createdAt.localeCompare(b.createdAt));
        if (json) return terminal.json(keys);
        if (keys.length === 0) {
          const whose = owner === undefined ? 'There are no keys' : `UID ${owner} has no keys`;
          return terminal.note(`${whose} yet. To issue one: ailog keys issue ${owner ?? 'UID'}`);
        }
        await terminal.table(
          keys.map(({ accessKey, state, label, createdAt, expiresAt, oldValidUntil, updatedBy, ...key }) => ({
            uid: key.uid,
            'access key': accessKey,
            state,
            label,
            created: createdAt,
            expires: expiresAt,
            'old until': oldValidUntil,
            by: updatedBy,
          })),
        );
      }),
    );
