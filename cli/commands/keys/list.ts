import { Option } from '@commander-js/extra-typings';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { printCsv } from '../../shell/files/csv.ts';
import { date, uids } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { contains } from '../../shell/text/contains.ts';
import { byUid } from '../../shell/text/uid.ts';
import { allowlistEditor, isListed, readAllowlistEntries } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor, describeKey, readKey } from '../../store/tables/apiKeysEditor.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

async function readKeys(target: Target, owners: readonly string[] | undefined): Promise<ApiKey[]> {
  const editor = apiKeysEditor(target);
  if (owners === undefined) return Array.fromAsync(editor.all());
  const keys: ApiKey[] = [];
  for (const owner of owners) {
    for await (const name of editor.namesOf(owner)) keys.push(await readKey(target, name));
  }
  return keys;
}

/** Finds the key that begins with a text. @throws Failure if there is none, or several */
async function findKey(target: Target, start: string): Promise<ApiKey> {
  const apiKeys = apiKeysEditor(target);
  const key = await apiKeys.get(start);
  if (key) return key;
  const found = (await Array.fromAsync(apiKeys.all())).filter(({ accessKey }) => accessKey.startsWith(start));
  const [first, second] = found;
  if (!first) return readKey(target, start);
  if (!second) return first;
  const such = `such as ${first.accessKey} and ${second.accessKey}`;
  throw new Failure('usage', `${found.length} keys begin with ${start}, ${such}.`, { advice: 'Give more of the key.' });
}

/** Shows a key, its earlier credentials and its history. */
async function showKey(terminal: Terminal, target: Target, key: ApiKey, json: true | undefined): Promise<void> {
  const described = describeKey(key, await target.now());
  const { history = [] } = key;
  const earlier = (key.earlier ?? []).map(({ replacedAt, validUntil }) => ({ replacedAt, validUntil }));
  if (json) return terminal.json({ ...described, earlier, history });
  await terminal.facts(described);
  if (earlier.length > 0) {
    await terminal.print('');
    await terminal.table(
      earlier.map(({ replacedAt, validUntil }) => ({
        'earlier credentials, replaced': replacedAt,
        'valid until': validUntil ?? replacedAt,
      })),
    );
  }
  if (history.length === 0) return;
  await terminal.print('');
  await terminal.table(
    history.map(({ at, by, change, from, to, why }) => ({ when: at, by, change, from, to, why })),
    { wraps: true },
  );
}

export default (terminal: Terminal) =>
  targetCommand('list', {
    summary: 'Show API keys, their UIDs and their statuses, or one key with its history. Never shows secrets.',
    examples: [
      ['keys list', 'all keys'],
      ['keys list --status active --expires-before 2026-02-01 --csv', 'keys that expire soon, as CSV'],
      ['keys list --uid 1001 --uid 1002', 'the keys of two teams'],
      ['keys list ailog_5f0c…', 'one key, its earlier credentials and its history: who, when and why'],
    ],
  })
    .argument('[key]', 'an access key, or the start of it')
    .option('--uid <uid>', 'show only keys of this UID; can be repeated', uids)
    .addOption(
      new Option('--status <status>', 'show only keys with this status').choices(['active', 'expired', 'revoked']),
    )
    .option('--label <text>', 'show only keys with this text in their labels')
    .option('--team <text>', 'show only keys of teams with this text in their names')
    .option('--expires-before <date>', 'show only keys that expire before this time', date)
    .option('--csv', 'print CSV')
    .action((start, { uid: owners, status, label: part, team, expiresBefore, csv, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        if (start !== undefined) {
          if ([owners, status, part, team, expiresBefore, csv].some((option) => option !== undefined)) {
            throw new Failure(
              'usage',
              'Give either a key or options that select keys; one key is shown without --csv.',
            );
          }
          const key = await findKey(target, start.replace(/(…|\.\.\.)$/, ''));
          return showKey(terminal, target, key, json);
        }
        const found = await readKeys(target, owners);
        const now = await target.now();
        const teams = team === undefined ? [] : await Array.fromAsync(allowlistEditor(target).all());
        const ofTeam = new Set(teams.filter((entry) => contains(entry.team, team)).map(({ uid }) => uid));
        const keys = found
          .map((key) => describeKey(key, now))
          .filter(
            (key) =>
              (status === undefined || key.status === status) &&
              contains(key.label, part) &&
              (team === undefined || ofTeam.has(key.uid)) &&
              (expiresBefore === undefined || Date.parse(key.expiresAt ?? '') < expiresBefore),
          )
          .sort((a, b) => byUid(a, b) || a.createdAt.localeCompare(b.createdAt));
        const without = (owners ?? []).filter((owner) => !found.some(({ uid }) => uid === owner));
        for (const { uid, entry } of await readAllowlistEntries(target, without)) {
          if (isListed(entry)) {
            terminal.note(`UID ${uid} has no keys yet. To issue one: ailog keys issue ${uid}`);
            continue;
          }
          terminal.note(`UID ${uid} is unknown: it has no keys and is not on the allowlist.`);
          terminal.reportNegative();
        }
        if (json) return terminal.json(keys);
        if (csv) return printCsv(terminal, keys);
        if (keys.length === 0) {
          if (found.length > 0) terminal.note('No key matches.');
          else if (owners === undefined) terminal.note('There are no keys yet. To issue one: ailog keys issue UID');
          return;
        }
        await terminal.table(
          keys.map(({ uid, accessKey, status, label, createdAt, expiresAt, oldValidUntil, updatedBy }) => ({
            uid,
            'access key': accessKey,
            status,
            label,
            created: createdAt,
            'old until': oldValidUntil,
            by: updatedBy,
            expires: expiresAt?.replace('T00:00:00.000Z', ''),
          })),
        );
      }),
    );
