import { resolve } from 'node:path';
import { type ApiKey, isUsable } from '../../../functions/auth/apiKeys.ts';
import { type AccessCredentials, readCredentials } from '../../shell/files/credentialsFile.ts';
import { date, uids } from '../../shell/terminal/arguments.ts';
import { defineChange, type OptionValues, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { type Listed, readAllowlistEntries, requireOwnersListed } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor, failChange } from '../../store/tables/apiKeysEditor.ts';
import { type HandedOver, handOver, showHandedOver, showKeys } from '../../store/tables/handOver.ts';
import { issueKey } from '../../store/tables/issueKey.ts';
import { DESTINATION, findStoredKey, planFiles } from '../../store/tables/planFiles.ts';
import { type Owner, readOwners } from '../../store/tables/selectKeys.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

/** Says which of the UIDs cannot upload. */
const describeBarred = ({ uid, entry }: Listed): string[] => {
  if (entry?.status === 'approved') return [];
  const barred = entry?.status === 'suspended' || entry?.status === 'disqualified';
  return [
    barred
      ? `UID ${uid} is ${entry.status}: its uploads are rejected.`
      : `UID ${uid} is not approved. To let it upload: ailog allowlist add ${uid}`,
  ];
};

const OPTIONS = {
  from: { flags: '--from <file>', help: 'a CSV file with a column uid, and a column label if you like' },
  label: { flags: '--label <text>', help: 'a name for the keys', read: textOption('label') },
  expires: { flags: '--expires <date>', help: 'the date from which the keys are rejected', read: date },
  credentials: {
    flags: '--credentials <file>',
    help: 'store the existing key of a credentials file that only you can read',
  },
  ...DESTINATION,
  skipExisting: {
    flags: '--skip-existing',
    help: 'leave out UIDs whose file is in the folder, to continue after an interruption',
  },
  unlisted: { flags: '--unlisted', help: 'issue keys to UIDs that are not on the allowlist, too' },
} as const;

type Options = OptionValues<typeof OPTIONS>;

/** Checks that credentials can be sent in HTTP headers. @throws Failure */
function requireSendable({ accessKey, passphrase }: AccessCredentials): void {
  if (!/^[\x21-\x7e]{1,128}$/.test(accessKey)) {
    throw new Failure('usage', 'The access key must be 1 to 128 visible ASCII characters without spaces.');
  }
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(passphrase)) {
    throw new Failure('usage', 'The passphrase must be ASCII characters, and must not start or end with a space.');
  }
}

/** Reads the key that is stored instead of a new one, if there is one. @throws Failure if there is no place for it */
function readExisting(
  { cwd }: Surroundings,
  owners: readonly Owner[],
  options: Options,
): AccessCredentials | undefined {
  const { credentials: file, output, outputDir, skipExisting } = options;
  if (file === undefined) return undefined;
  if (owners.length > 1 || (output ?? outputDir) !== undefined || skipExisting) {
    const advice = 'Give one UID, and neither --output nor --output-dir.';
    throw new Failure('usage', '--credentials stores one key and writes no file.', { advice });
  }
  const existing = readCredentials(resolve(cwd(), file));
  requireSendable(existing);
  return existing;
}

/** Stores an existing key. @throws Failure if its access key exists already */
async function* storeExisting(target: Target, apiKey: ApiKey): AsyncGenerator<HandedOver> {
  const { uid, accessKey } = apiKey;
  const advice = `Check it: ailog keys list ${accessKey}.`;
  const { outcome } = await target.uninterrupted(advice, () =>
    apiKeysEditor(target).replace(undefined, apiKey, { change: 'imported' }),
  );
  if (outcome === 'changed') {
    throw new Failure('negative', `Key ${accessKey} already exists. Nothing was changed.`, {
      advice: 'To give it a new secret: ailog keys rotate KEY',
    });
  }
  if (outcome === 'unknown') throw failChange(accessKey, outcome, advice);
  yield { uid, accessKey };
}

export default defineChange({
  words: 'keys issue',
  for: 'Admins',
  summary: 'Issue API keys to UIDs.',
  details: 'Secret and passphrase are handed over only once.',
  examples: [
    ['keys issue 1001 --label bot -o alpha.env', 'write the credentials to a file that only you can read'],
    ['keys issue 1001 --expires 2026-01-31', 'print the credentials; the key expires on that day'],
    ['keys issue --from teams.csv --output-dir keys', 'one key and one file for each UID of a CSV file'],
    ['keys issue 1001 --credentials alpha.env', 'store the key that the file has as AILOG_ACCESS_KEY'],
  ],
  args: { uids: { name: '[uid...]', help: 'UIDs of teams', read: uids } },
  options: OPTIONS,
  on: onTarget,
  forms: ['wide'],
  async run({ uids: given, ...options }, context) {
    const { target, terminal, remark } = context;
    const { label: labelOfAll, expires, outputDir } = options;
    const owners = readOwners(terminal, given, options.from);
    const existing = readExisting(terminal, owners, options);
    const wanted = owners.map(({ uid, label = labelOfAll }) => ({ uid, label }));
    if (expires !== undefined && expires <= (await target.now())) {
      throw new Failure('usage', '--expires must be in the future.');
    }
    const listed = await readAllowlistEntries(
      target,
      wanted.map(({ uid }) => uid),
    );
    requireOwnersListed(listed, options.unlisted);
    const now = await target.now();
    const { left, done } = await planFiles(terminal, wanted, options, (file, { uid }) =>
      findStoredKey(target, file, 'issued', (key) => {
        if (key.uid !== uid) return `belongs to UID ${key.uid}`;
        return isUsable(key, now) ? undefined : 'is rejected';
      }),
    );
    for (const sentence of listed.flatMap(describeBarred)) remark(sentence);
    if (left.length === 0) remark('Every UID has its key already, and its file. Nothing was issued.');
    const editor = apiKeysEditor(target);
    const updatedBy = await target.who();
    const make = async ({ uid, label }: (typeof wanted)[number]) =>
      issueKey(uid, {
        seal: target.seal,
        at: await target.now(),
        existing,
        updatedBy,
        ...(label && { label }),
        ...(expires && { expiresAt: new Date(expires).toISOString() }),
      });
    const issue = async (owner: (typeof wanted)[number]) => {
      const issued = await make(owner);
      return { ...issued, store: (id: string) => editor.replace(undefined, issued.apiKey, { id }) };
    };
    const [only] = wanted;
    const apply = async () =>
      existing && only
        ? storeExisting(target, (await make(only)).apiKey)
        : handOver(context, { left, done, outputDir }, issue);
    return {
      plan: left.map(({ key, file }) => ({
        ...key,
        ...(existing && { accessKey: existing.accessKey }),
        file: file?.shown,
      })),
      questions: left.length > 1 ? [`Issue ${left.length} keys in ${target.name}?`] : [],
      apply,
    };
  },
  plans: (keys) => [showKeys(keys)],
  shows: (handed) => showHandedOver(handed),
});
