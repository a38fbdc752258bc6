import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { date, uids } from '../../shell/terminal/arguments.ts';
import { defineCommand, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { contains } from '../../shell/text/contains.ts';
import { byUid } from '../../shell/text/uid.ts';
import { allowlistEditor, isListed, readAllowlistEntries } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor, describeKey, readKey } from '../../store/tables/apiKeysEditor.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

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

/** Notes which of the UIDs have no keys. */
async function noteWithout(terminal: Surroundings, target: Target, without: readonly string[]): Promise<void> {
  for (const { uid, entry } of await readAllowlistEntries(target, without)) {
    if (isListed(entry)) terminal.note(`UID ${uid} has no keys yet. To issue one: ailog keys issue ${uid}`);
    else {
      terminal.note(`UID ${uid} is unknown: it has no keys and is not on the allowlist.`);
      terminal.reportNegative();
    }
  }
}

/** Describes a key with its earlier credentials and its history. */
function describeWhole(key: ApiKey, now: number) {
  const earlier = (key.earlier ?? []).map(({ replacedAt, validUntil }) => ({ replacedAt, validUntil }));
  const history = (key.history ?? []).map(({ id, at, by, change, from, to, why }) => {
    return { id, at, by, change, from, to, why };
  });
  return { ...describeKey(key, now), earlier, history };
}

function* showKey({ earlier, history, ...described }: ReturnType<typeof describeWhole>) {
  yield { facts: described };
  if (earlier.length > 0) {
    yield '';
    yield {
      table: earlier.map(({ replacedAt, validUntil = replacedAt }) => {
        return { 'earlier credentials, replaced': replacedAt, 'valid until': validUntil };
      }),
    };
  }
  if (history.length === 0) return;
  yield '';
  const table = history.map(({ at: when, by, change, from, to, why }) => ({ when, by, change, from, to, why }));
  yield { table, wraps: true };
}

export default defineCommand({
  words: 'keys list',
  for: 'Admins',
  summary: 'Show API keys, their UIDs and their statuses, or one key with its history.',
  details: 'Never shows secrets.',
  examples: [
    ['keys list', 'all keys'],
    ['keys list --status active --expires-before 2026-02-01 --csv', 'keys that expire soon, as CSV'],
    ['keys list --uid 1001 --uid 1002', 'the keys of two teams'],
    ['keys list ailog_5f0c…', 'one key, its earlier credentials and its history: who, when and why'],
  ],
  args: { start: { name: '[key]', help: 'an access key, or the start of it' } },
  options: {
    owners: { flags: '--uid <uid>', help: 'show only keys of this UID; can be repeated', read: uids },
    status: {
      flags: '--status <status>',
      help: 'show only keys with this status',
      choices: ['active', 'expired', 'revoked'],
    },
    part: { flags: '--label <text>', help: 'show only keys with this text in their labels' },
    team: { flags: '--team <text>', help: 'show only keys of teams with this text in their names' },
    expiresBefore: {
      flags: '--expires-before <date>',
      help: 'show only keys that expire before this time',
      read: date,
    },
  },
  on: onTarget,
  forms: ['wide', 'csv'],
  async run({ start, ...selected }, { target, terminal }) {
    const { owners, status, part, team, expiresBefore } = selected;
    const now = await target.now();
    if (start !== undefined) {
      if ([owners, status, part, team, expiresBefore].some((option) => option !== undefined)) {
        throw new Failure('usage', 'Give either a key or options that select keys.');
      }
      return { one: describeWhole(await findKey(target, start.replace(/(…|\.\.\.)$/, '')), now) };
    }
    const found = await readKeys(target, owners);
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
    await noteWithout(terminal, target, without);
    return { keys, isEmpty: found.length === 0 };
  },
  json: ({ one, keys }) => one ?? keys,
  *shows({ one, keys = [], isEmpty }, { owners }) {
    if (one) yield* showKey(one);
    else if (keys.length > 0) {
      yield {
        table: keys.map(({ uid, accessKey, status, label, createdAt, expiresAt, oldValidUntil, updatedBy }) => ({
          uid,
          'access key': accessKey,
          status,
          label,
          created: createdAt,
          'old until': oldValidUntil,
          by: updatedBy,
          expires: expiresAt?.replace('T00:00:00.000Z', ''),
        })),
      };
    } else if (!isEmpty) yield { note: 'No key matches.' };
    else if (owners === undefined) yield { note: 'There are no keys yet. To issue one: ailog keys issue UID' };
  },
});
