import { resolve } from 'node:path';
import type { Entry } from '../../functions/ailog/entry.ts';
import { entryHashOf, entryPreimage } from '../../functions/tlog/entryHash.ts';
import { formatProofFile, parseProofFile, verifyProofFile } from '../proof/evidence/proofFile.ts';
import { describePlace, formatPlace, requireLogged } from '../proof/inclusion/explainPlace.ts';
import { placeFinder, rowKeysOf } from '../proof/inclusion/place.ts';
import { inclusionProver, judgeEntry, requirePublishedLog } from '../proof/inclusion/publishedLog.ts';
import { requireNoFile, writeNew } from '../shell/files/write.ts';
import { entryId, uids } from '../shell/terminal/arguments.ts';
import { defineCommand } from '../shell/terminal/defineCommand.ts';
import { formatInstant } from '../shell/text/time.ts';
import { readBody } from '../store/entries/describeEntry.ts';
import { findEntry } from '../store/entries/selectEntries.ts';
import { verifyContent } from '../store/entries/verifyContent.ts';
import { onTarget } from '../store/targets/target.ts';

/** Says that the stored body, or a copy of a part of it, is not what was logged: the hash covers its digest. */
function describeChangedBody(entry: Entry): string | undefined {
  const body = readBody(entry);
  const findings = body ? Object.entries(verifyContent(entry, body)) : [['digest', 'wrong: the body is damaged']];
  const wrong = findings.filter(([, finding]) => finding !== 'ok').map((finding) => finding.join(' '));
  if (wrong.length === 0) return undefined;
  return `The row was changed after it was logged: ${wrong.join(', ')}. The files prove what was logged, the body with the SHA-256 ${entry.bodySha256}.`;
}

export default defineCommand({
  words: 'prove',
  for: 'Operators and auditors',
  summary: 'Write the proof that an entry is in the transparency log, to be verified without this service.',
  details:
    'FILE.tlog-proof is the proof, FILE.preimage the attributes of the entry. The team has the receipt. The exit code is 1 if the row of the entry was changed or is missing in the log, 5 if it is not in the log yet, and 6 if it came into the log late.',
  examples: [
    ['prove 1763103201300-5b1c0f… -o alpha', 'write alpha.tlog-proof and alpha.preimage'],
    ['prove 1763103201300-5b1c0f… --uid 1001 -o alpha', 'faster if there are many teams'],
  ],
  args: { id: { name: '<entry>', help: 'the entry id, or the start of it', read: entryId } },
  options: {
    output: { flags: '-o, --output <file>', help: 'the name of the files, without their endings', required: true },
    owners: { flags: '--uid <uid>', help: 'the UID it belongs to; can be repeated', read: uids },
  },
  on: onTarget,
  async run({ id, output, owners }, { target, terminal, remark }) {
    const files = { proof: `${output}.tlog-proof`, preimage: `${output}.preimage` };
    requireNoFile(Object.values(files).map((file) => resolve(terminal.cwd(), file)));
    const entry = await findEntry(target, id, owners);
    const log = await requirePublishedLog(target);
    const place = await placeFinder(log)(rowKeysOf(entry));
    const { entryHash, index } = requireLogged(place, entry, log);

    const preimage = entryPreimage(entry);
    const { proof: proven, before } = await log.publicationOf(index, entry.receivedAt);
    const hashes = await inclusionProver(log, proven)(entryHash, index);
    // The cosigned checkpoint before shows that the entry was not there earlier.
    const extra = before && Buffer.from(before.signed);
    const proof = formatProofFile({ index, proof: hashes, checkpoint: proven.signed, ...(extra && { extra }) });
    // From the texts alone, as a stranger would verify them.
    verifyProofFile(parseProofFile(proof), entryHashOf(preimage), log.policy);
    writeNew([
      { path: resolve(terminal.cwd(), files.preimage), text: preimage },
      { path: resolve(terminal.cwd(), files.proof), text: proof },
    ]);

    const when = await judgeEntry(log, index, entry);
    const changed = describeChangedBody(entry);
    if (changed !== undefined) {
      terminal.reportNegative();
      remark(changed);
    }
    if (when.late) {
      terminal.reportBroken();
      remark(
        'It came into the log late. Ask why: a row that somebody inserted or backdated comes as late as one of a log that stood still.',
      );
    }
    return {
      entry,
      files,
      described: { ...describePlace(place, log, when), size: proven.size, entryHash: entryHash.toString('hex') },
      place: formatPlace(place, when),
    };
  },
  json: ({ entry: { uid, entryId }, files, described }) => ({ uid, entryId, ...described, ...files }),
  shows: ({ entry: { uid, entryId, receivedAt }, files, place }) => [
    { facts: { uid, entryId, received: formatInstant(receivedAt), 'in the log': place, ...files } },
  ],
});
