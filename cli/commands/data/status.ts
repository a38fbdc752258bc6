import { formatPlaces } from '../../proof/inclusion/explainPlace.ts';
import { orNoLog } from '../../proof/inclusion/openLocator.ts';
import { readPublishedLog } from '../../proof/inclusion/publishedLog.ts';
import { inspectRows } from '../../review/rows/inspectRows.ts';
import { whyPartial } from '../../review/rows/openRows.ts';
import { countRows, openStore } from '../../review/rows/rowStore.ts';
import { isLocked } from '../../shell/files/lock.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatTime } from '../../shell/text/time.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

async function showStatus(terminal: Terminal, target: Target, json: boolean | undefined): Promise<void> {
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
  const log = await orNoLog(terminal, () => readPublishedLog(target));
  const inspected = await inspectRows(store, manifest, { log, reader, now: await target.now() });
  const { places, withoutRow, contradicted, isRootRight } = inspected;
  const { after, until, treeSize, root, problems, files } = manifest;
  const isRight =
    after === undefined && places.differs + places.missing + withoutRow + problems.length === 0 && isRootRight;
  if (!isRight) terminal.reportNegative();
  const facts = {
    folder: store.folder,
    rows: countRows(manifest),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    complete: after === undefined,
    until: until === 0 ? null : formatTime(until),
    treeSize,
    root: root === '' ? null : root,
    rootMatches: isRootRight,
    newerLeaves: log ? log.checkpoint.size - treeSize : null,
  };
  if (json) return terminal.json({ ...facts, tlog: { ...places, withoutRow }, contradicted, problems });
  const partial = `no: ${whyPartial(isSyncing)}${isSyncing ? '' : ', ailog data sync continues it'}`;
  await terminal.facts({
    ...facts,
    complete: after === undefined ? 'yes' : partial,
    rootMatches: isRootRight ? 'yes' : 'no: the stored leaves are not those of the checkpoint',
  });
  for (const { uid, entryId, problem } of problems) await terminal.print(`UID ${uid}, entry ${entryId}: ${problem}`);
  for (const { uid, entryId } of contradicted) {
    await terminal.print(`UID ${uid}, entry ${entryId}: the transparency log does not have it as it is`);
  }
  terminal.note(`${formatPlaces(places)} Entries of the log without a row: ${withoutRow}.`);
}

export default (terminal: Terminal) =>
  targetCommand('status', {
    summary: `Check the rows on this machine: that no file was changed, and that the transparency log and the rows have
the same entries. The exit code is 1 if not.`,
    examples: [
      ['data status', 'check the rows of the local data'],
      ['data status --stack AiLogUpload-prod --json', 'those of a deployment, as JSON'],
    ],
  }).action(({ json, ...where }) => withTarget(terminal, where, (target) => showStatus(terminal, target, json)));
