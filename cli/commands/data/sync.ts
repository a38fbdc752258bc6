import { orNoLog, readOwnLog } from '../../proof/log/ownLog.ts';
import { formatPlaces } from '../../proof/log/rowPlace.ts';
import { whyPartial } from '../../review/rows/openRows.ts';
import { countRows, openStore } from '../../review/rows/rowStore.ts';
import { isLocked } from '../../shell/files/lock.ts';
import { defineCommand, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatTime } from '../../shell/text/time.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

async function checkRows(terminal: Surroundings, target: Target) {
  const { inspectRows } = await import('../../review/rows/inspectRows.ts');
  const store = openStore(target);
  const isSyncing = isLocked(store.lock);
  const manifest = store.read();
  if (manifest === undefined)
    throw new Failure('unchecked', `There are no rows in ${store.folder}.`, { advice: 'ailog data sync makes them.' });
  if (manifest === 'damaged') {
    const advice = 'ailog data sync makes all rows again.';
    throw new Failure('negative', `The manifest in ${store.folder} is damaged.`, { advice });
  }
  const reader = entriesReader(target);
  const log = await orNoLog(terminal, () => readOwnLog(target));
  const inspected = await inspectRows(store, manifest, { log, reader, now: await target.now() });
  const { places, withoutRow, contradicted, isRootRight } = inspected;
  const { after, until, treeSize, root, problems, files } = manifest;
  const isRight =
    after === undefined && places.differs + places.missing + withoutRow + problems.length === 0 && isRootRight;
  if (!isRight) terminal.reportNegative();
  return {
    folder: store.folder,
    rows: countRows(manifest),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    complete: after === undefined,
    isSyncing,
    until: until === 0 ? null : formatTime(until),
    treeSize,
    root: root === '' ? null : root,
    rootMatches: isRootRight,
    newerLeaves: log ? log.checkpoint.size - treeSize : null,
    tlog: { ...places, withoutRow },
    contradicted,
    problems,
  };
}

type Checked = Awaited<ReturnType<typeof checkRows>>;

function* showCheck({ tlog, contradicted, problems, isSyncing, ...facts }: Checked) {
  const partial = `no: ${whyPartial(isSyncing)}${isSyncing ? '' : ', ailog data sync continues it'}`;
  const complete = facts.complete ? 'yes' : partial;
  const rootMatches = facts.rootMatches ? 'yes' : 'no: the stored leaves are not those of the checkpoint';
  yield { facts: { ...facts, complete, rootMatches } };
  for (const { uid, entryId, problem } of problems) yield `UID ${uid}, entry ${entryId}: ${problem}`;
  for (const { uid, entryId } of contradicted) {
    yield `UID ${uid}, entry ${entryId}: the transparency log does not have it as it is`;
  }
  yield { note: `${formatPlaces(tlog)} Entries of the log without a row: ${tlog.withoutRow}.` };
}

export default defineCommand({
  words: 'data sync',
  for: 'Reviewers',
  summary: 'Read the new entries, and keep a feature row and the searchable text of each.',
  details: `The report, the console, and logs list with a text, a stage or a model do this first. An interrupted sync
continues where it was. Reports that run meanwhile keep the rows that they opened.`,
  examples: [
    ['data sync', 'read what is new'],
    ['data sync --whole', 'read the whole table, and find entries that were changed or are gone'],
    ['data sync --check', 'read nothing, and check the rows: exit code 1 if something is wrong'],
    ['data sync --rebuild', 'after entries were deleted or restored'],
  ],
  options: {
    whole: {
      flags: '--whole',
      help: 'check all rows on this machine, and compare each entry in the table with its row',
    },
    check: {
      flags: '--check',
      help: 'only check that no file was changed, and that the transparency log and the rows have the same entries',
    },
    rebuild: { flags: '--rebuild', help: 'make all rows again from the table' },
  },
  on: onTarget,
  async run({ whole, check, rebuild }, { target, terminal }) {
    if (Number(whole) + Number(check) + Number(rebuild) > 1) {
      throw new Failure('usage', 'Give one of --whole, --check and --rebuild.');
    }
    if (check) return { checked: await checkRows(terminal, target) };
    const { syncRows } = await import('../../review/rows/syncRows.ts');
    const { added, manifest } = await syncRows(terminal, target, { whole, rebuild });
    const { problems, missing, until } = manifest;
    if (problems.length > 0) terminal.reportNegative();
    return { synced: { added, missing, until: new Date(until).toISOString(), problems } };
  },
  json({ checked, synced }) {
    if (checked === undefined) return synced;
    const { isSyncing: _isSyncing, ...facts } = checked;
    return facts;
  },
  shows: ({ checked }) => (checked ? showCheck(checked) : []),
});
