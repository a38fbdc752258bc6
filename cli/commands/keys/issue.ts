import { readCredentials } from '../../shell/files/credentialsFile.ts';
import { date, uids } from '../../shell/terminal/arguments.ts';
import type { OptionsOf } from '../../shell/terminal/command.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { type Listed, readAllowlistEntries, requireOwnersListed } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
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
    ],
  })
    .argument('[uid...]', 'UIDs of teams', uids)
    .option('--from <file>', 'a CSV file with a column uid, and a column label if you like')
    .option('--label <text>', 'a name for the keys', textOption('label'))
    .option('--expires <date>', 'the date from which the keys are rejected', date)
    .option('-o, --output <file>', 'write the credentials to a new file instead of stdout')
    .option('--output-dir <folder>', 'write the credentials of each key, and a letter to its team, to this folder')
    .option('--contact <text>', 'with --output-dir: whom teams can ask, for the letters')
    .option('--skip-existing', 'leave out UIDs whose file is in the folder, to continue after an interruption')
    .option('--unlisted', 'issue keys to UIDs that are not on the allowlist, too')
    .option('-y, --yes', 'issue several keys without asking');

async function issueRun(
  terminal: Terminal,
  target: Target,
  owners: readonly Owner[],
  options: OptionsOf<typeof issueCommand>,
): Promise<void> {
  const { label: labelOfAll, expires, unlisted, yes } = options;
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
  const left = await planFiles(terminal, wanted, options, (file) => requireIssued(target, file));
  if (left.length === 0) return terminal.note('Every UID has its file already. Nothing was issued.');
  if (left.length > 1) await terminal.confirm(`Issue ${left.length} keys in ${target.name}?`, yes);
  const editor = apiKeysEditor(target);
  const updatedBy = await target.who();
  await handOver(terminal, target, left, { ...options, single }, async ({ uid, label }) => {
    const issued = await issueKey(uid, {
      seal: target.seal,
      at: await target.now(),
      updatedBy,
      ...(label && { label }),
      ...(expires && { expiresAt: new Date(expires).toISOString() }),
    });
    return { ...issued, store: () => editor.replace(undefined, issued.apiKey) };
  });
  noteNotApproved(terminal, listed);
}

export default (terminal: Terminal) =>
  issueCommand().action(async (given, options) => {
    const owners = readOwners(terminal, given, options.from);
    await withTarget(terminal, options, (target) => issueRun(terminal, target, owners, options));
  });
