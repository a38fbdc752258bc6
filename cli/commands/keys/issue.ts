import { resolve } from 'node:path';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { type AccessCredentials, readCredentials } from '../../shell/files/credentialsFile.ts';
import { date, uids } from '../../shell/terminal/arguments.ts';
import type { OptionsOf } from '../../shell/terminal/command.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { type Listed, readAllowlistEntries, requireOwnersListed } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor, failChange } from '../../store/tables/apiKeysEditor.ts';
import { handOver, planFiles } from '../../store/tables/handOver.ts';
import { issueKey } from '../../store/tables/issueKey.ts';
import { type Owner, readOwners } from '../../store/tables/selectKeys.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

/** Checks that the key in a file of an interrupted run exists. @throws Failure */
async function requireIssued(target: Target, { path, shown }: { path: string; shown: string }): Promise<void> {
  const { accessKey } = readCredentials(path);
  if (await apiKeysEditor(target).get(accessKey)) return;
  throw new Failure('negative', `${shown} has the key ${accessKey}, which does not exist.`, {
    advice: 'Delete the file, then run the command again.',
  });
}

function noteNotApproved(terminal: Terminal, owners: readonly Listed[]): void {
  for (const { uid, entry } of owners) {
    if (entry?.status === 'approved') continue;
    const barred = entry?.status === 'suspended' || entry?.status === 'disqualified';
    terminal.note(
      barred
        ? `UID ${uid} is ${entry.status}: its uploads are rejected.`
        : `UID ${uid} is not approved. To let it upload: ailog allowlist add ${uid}`,
    );
  }
}

const issueCommand = () =>
  targetCommand('issue', {
    summary: 'Issue API keys to UIDs. Secret and passphrase are handed over only once.',
    examples: [
      ['keys issue 1001 --label bot -o alpha.env', 'write the credentials to a file that only you can read'],
      ['keys issue 1001 --expires 2026-01-31', 'print the credentials; the key expires on that day'],
      ['keys issue --from teams.csv --output-dir keys', 'one key and one file for each UID of a CSV file'],
      ['keys issue 1001 --credentials alpha.env', 'no new key, but that of AILOG_ACCESS_KEY in the file'],
    ],
  })
    .argument('[uid...]', 'UIDs of teams', uids)
    .option('--from <file>', 'a CSV file with a column uid, and a column label if you like')
    .option('--label <text>', 'a name for the keys', textOption('label'))
    .option('--expires <date>', 'the date from which the keys are rejected', date)
    .option('--credentials <file>', 'store the existing key of a credentials file that only you can read')
    .option('-o, --output <file>', 'write the credentials to a new file instead of stdout')
    .option('--output-dir <folder>', 'write a file for each key, and what teams need, to this folder')
    .option('--skip-existing', 'leave out UIDs whose file is in the folder, to continue after an interruption')
    .option('--unlisted', 'issue keys to UIDs that are not on the allowlist, too')
    .option('-y, --yes', 'issue several keys without asking');

type Options = OptionsOf<typeof issueCommand>;

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
function readExisting({ cwd }: Terminal, owners: readonly Owner[], options: Options): AccessCredentials | undefined {
  const { credentials: file, output, outputDir, skipExisting } = options;
  if (file === undefined) return undefined;
  if (owners.length > 1 || (output ?? outputDir ?? skipExisting) !== undefined) {
    const advice = 'Give one UID, and neither --output nor --output-dir.';
    throw new Failure('usage', '--credentials stores one key and writes no file.', { advice });
  }
  const existing = readCredentials(resolve(cwd(), file));
  requireSendable(existing);
  return existing;
}

/** @throws Failure if the access key exists already */
async function storeExisting(target: Target, apiKey: ApiKey): Promise<void> {
  const { accessKey } = apiKey;
  const advice = `Check it: ailog keys list ${accessKey}.`;
  const { outcome } = await target.uninterrupted(advice, () =>
    apiKeysEditor(target).replace(undefined, apiKey, { change: 'imported' }),
  );
  if (outcome === 'stored') return;
  if (outcome === 'unknown') throw failChange(accessKey, outcome, advice);
  throw new Failure('negative', `Key ${accessKey} already exists. Nothing was changed.`, {
    advice: 'To give it a new secret: ailog keys rotate KEY',
  });
}

async function issueRun(
  terminal: Terminal,
  target: Target,
  { owners, existing }: { owners: readonly Owner[]; existing: AccessCredentials | undefined },
  options: Options,
): Promise<void> {
  const { label: labelOfAll, expires, unlisted, yes, json } = options;
  const wanted = owners.map(({ uid, label = labelOfAll }) => ({ uid, label }));
  const single = wanted.length === 1 && options.outputDir === undefined;
  if (expires !== undefined && expires <= (await target.now())) {
    throw new Failure('usage', '--expires must be in the future.');
  }
  const listed = await readAllowlistEntries(
    target,
    wanted.map(({ uid }) => uid),
  );
  requireOwnersListed(listed, unlisted);
  const editor = apiKeysEditor(target);
  const updatedBy = await target.who();
  const create = async ({ uid, label }: (typeof wanted)[number]) =>
    issueKey(uid, {
      seal: target.seal,
      at: await target.now(),
      existing,
      updatedBy,
      ...(label && { label }),
      ...(expires && { expiresAt: new Date(expires).toISOString() }),
    });
  const [only] = wanted;
  if (existing !== undefined && only !== undefined) {
    const { apiKey } = await create(only);
    await storeExisting(target, apiKey);
    const { uid, accessKey } = apiKey;
    await (json ? terminal.json({ uid, accessKey }) : terminal.print(`Stored ${accessKey} for UID ${uid}.`));
    return noteNotApproved(terminal, listed);
  }
  const left = await planFiles(terminal, wanted, options, (file) => requireIssued(target, file));
  if (left.length === 0) return terminal.note('Every UID has its file already. Nothing was issued.');
  if (left.length > 1) await terminal.confirm(`Issue ${left.length} keys in ${target.name}?`, yes);
  await handOver(terminal, target, left, { ...options, single }, async (owner) => {
    const issued = await create(owner);
    return { ...issued, store: () => editor.replace(undefined, issued.apiKey) };
  });
  noteNotApproved(terminal, listed);
}

export default (terminal: Terminal) =>
  issueCommand().action(async (given, options) => {
    const owners = readOwners(terminal, given, options.from);
    const existing = readExisting(terminal, owners, options);
    await withTarget(terminal, options, (target) => issueRun(terminal, target, { owners, existing }, options));
  });
