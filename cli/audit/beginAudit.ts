import { createHash } from 'node:crypto';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { checkpointPath } from '../../functions/tlog/paths.ts';
import { linesIn } from '../files/linesOf.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { positionFrom } from '../text/numbers.ts';
import type { AppendFile } from './appendFile.ts';
import { auditHead, keysIn } from './auditHead.ts';
import type { AuditRequest, Snapshot } from './auditState.ts';
import type { Finding } from './findings.ts';
import { keysOfLog } from './keyLeaves.ts';
import { readKnown } from './known.ts';
import { beyondSize, missingIn, sortListing, straysIn } from './listing.ts';
import { partitions, partitionsFor } from './partitions.ts';
import { auditListing } from './sizeChecks.ts';
import { largestOf, readLogItems, readNewest, rootIn } from './snapshot.ts';

/** Writes the paths of all files of the log to a file, a line each. @returns their number */
async function listFiles(terminal: Terminal, { files }: AuditRequest, paths: AppendFile): Promise<number> {
  const progress = terminal.progress(undefined, 'listing the files of the log');
  let listed = 0;
  for await (const path of files.list('')) {
    paths.append(Buffer.from(`${path.replaceAll('\n', '\\n')}\n`));
    listed += 1;
    progress.advance(1, `${listed} files of the log listed`);
  }
  progress.stop(`${listed} files of the log listed`);
  return listed;
}

/**
 * Reads the newest checkpoint, the items of the Tlog table and the names of all files, and checks what follows from
 * these. Keeps the names and the entries of the files with receipts and exports in the work folder.
 * @param file opens a file of the work folder
 * @throws Failure if the log has no checkpoint that can be trusted
 */
export async function beginAudit(
  terminal: Terminal,
  request: AuditRequest,
  file: (name: string) => AppendFile,
  report: (finding: Finding) => void,
): Promise<Snapshot> {
  const { files, target, policy } = request;
  const paths = file('paths');
  const listed = await listFiles(terminal, request, paths);
  const largest = largestOf(linesIn(paths.chunks()));
  const newest = await readNewest(files, { policy, largest, wait: target !== undefined, report });
  const items = target ? await readLogItems(target) : { head: undefined, receiptKeys: undefined };
  if (!newest && target && listed === 0 && !items.head) {
    throw new Failure('unchecked', `There is no transparency log of ${target.name} yet.`, {
      advice:
        'The first run of the sequencer makes it: npm start runs it every few seconds, a deployment every minute.',
    });
  }
  if (!newest) {
    const problems = [...linesIn(file('findings').chunks())].map((line) => (JSON.parse(line) as Finding).problem);
    throw new Failure(
      'negative',
      `The log in ${files.location} has no checkpoint that can be trusted. ${problems.join(' ')}`,
      {
        advice: 'Check the folder or bucket, and that the policy has the key of the log.',
      },
    );
  }
  const { size, root, origin } = newest.opened;
  const listing = sortListing(linesIn(paths.chunks()), size);
  for (const path of straysIn(linesIn(paths.chunks()))) {
    report({ kind: 'file', path, problem: `${path} is not a file of a log.` });
  }
  auditListing(listing, size, report);
  for (const { path, sha256 } of missingIn(linesIn(paths.chunks()))) {
    const bytes = (await files.read(path)) ?? new Uint8Array();
    if (createHash('sha256').update(bytes).digest('hex') === sha256) continue;
    report({ kind: 'staging', path, problem: `${path} does not have the content its name promises.` });
  }
  const before = listing.sizes[positionFrom(listing.sizes, size) - 1];
  const rootBefore = before === undefined ? undefined : rootIn(await files.read(checkpointPath(before)));
  const head = target && auditHead(items, { size, root, rootBefore, listing, now: await target.now() }, report);
  const unpublished = head?.unpublished ?? 0;
  if (target) {
    for (const path of beyondSize(linesIn(paths.chunks()), size + unpublished)) {
      report({ kind: 'file', path, problem: `${path} belongs to a larger tree than was ever claimed.` });
    }
  }
  const ofTable = keysIn(items);
  const keys = keysOfLog(origin, [
    ...policy.logs.map(({ key }) => formatVerifierKey(key)),
    ...ofTable.head,
    ...ofTable.receipts,
  ]);
  const known = partitions(file, 'known', partitionsFor(size));
  for (const path of request.known) {
    for await (const { leaf, entry } of readKnown(path, origin, policy)) {
      known.add(leaf, Buffer.from(JSON.stringify(entry)));
    }
  }
  for (const { file: path, checkpoint } of request.previous) {
    if (checkpoint.size <= size) continue;
    const problem = `${path} was signed for ${checkpoint.size} entries, and the log has ${size}: it was rolled back.`;
    report({ kind: 'previous', path, problem });
  }
  return { signed: newest.signed, times: head?.times, unpublished, keys, files: listing.files };
}
