import { resolve } from 'node:path';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { entryHashOf, entryPreimage } from '../../../functions/tlog/entryHash.ts';
import { formatProofFile, parseProofFile, verifyProofFile } from '../../proof/evidence/proofFile.ts';
import { describePlace, formatPlace, requireLogged } from '../../proof/inclusion/explainPlace.ts';
import { placeFinder, rowKeysOf } from '../../proof/inclusion/place.ts';
import { inclusionProver, judgeEntry, requirePublishedLog } from '../../proof/inclusion/publishedLog.ts';
import { requireNoFile, writeNew } from '../../shell/files/write.ts';
import { entryId, uids } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatInstant } from '../../shell/text/time.ts';
import { readBody } from '../../store/entries/describeEntry.ts';
import { findEntry } from '../../store/entries/selectEntries.ts';
import { verifyContent } from '../../store/entries/verifyContent.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

/** Notes that the stored body, or a copy of a part of it, is not what was logged: the hash covers its digest. */
function noteChangedBody(terminal: Terminal, entry: Entry): void {
  const body = readBody(entry);
  const findings = body ? Object.entries(verifyContent(entry, body)) : [['digest', 'wrong: the body is damaged']];
  const wrong = findings.filter(([, finding]) => finding !== 'ok').map((finding) => finding.join(' '));
  if (wrong.length === 0) return;
  terminal.reportNegative();
  terminal.note(
    `The row was changed after it was logged: ${wrong.join(', ')}. The files prove what was logged, the body with the SHA-256 ${entry.bodySha256}.`,
  );
}

interface ProveOptions {
  /** The entry id, or the start of it. */
  readonly id: string;
  readonly owners: readonly string[] | undefined;
  readonly files: Readonly<Record<'proof' | 'preimage', string>>;
  readonly json: boolean | undefined;
}

async function proveEntry(terminal: Terminal, target: Target, { id, owners, files, json }: ProveOptions) {
  const entry = await findEntry(target, id, owners);
  const log = await requirePublishedLog(target);
  const place = await placeFinder(log)(rowKeysOf(entry));
  const { entryHash, index } = requireLogged(place, entry, log);

  const preimage = entryPreimage(entry);
  const publication = await log.publicationOf(index, entry.receivedAt);
  const { proof: proven, before } = publication;
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

  const { uid, entryId } = entry;
  const { size } = proven;
  const when = await judgeEntry(log, index, entry);
  if (json) {
    const hash = entryHash.toString('hex');
    await terminal.json({ ...describePlace(place, log, when), uid, entryId, size, entryHash: hash, ...files });
  } else {
    await terminal.facts({
      uid,
      entryId,
      received: formatInstant(entry.receivedAt),
      'in the log': formatPlace(place, when),
      ...files,
    });
  }
  noteChangedBody(terminal, entry);
  if (!when.late) return;
  terminal.reportBroken();
  terminal.note(
    'It came into the log late. Ask why: a row that somebody inserted or backdated comes as late as one of a log that stood still.',
  );
}

export default (terminal: Terminal) =>
  targetCommand('prove', {
    summary: `Write the proof that an entry is in the transparency log, to be verified without this service.
FILE.tlog-proof is the proof, FILE.preimage the attributes of the entry. The team has the receipt. The exit code is 1 if the row of the entry was changed or is missing in the log, 5 if it is not in the log yet, and 6 if it came into the log late.`,
    examples: [
      ['prove 1763103201300-5b1c0f… -o alpha', 'write alpha.tlog-proof and alpha.preimage'],
      ['prove 1763103201300-5b1c0f… --uid 1001 -o alpha', 'faster if there are many teams'],
    ],
  })
    .argument('<entry>', 'the entry id, or the start of it', entryId)
    .requiredOption('-o, --output <file>', 'the name of the files, without their endings')
    .option('--uid <uid>', 'the UID it belongs to; can be repeated', uids)
    .action(async (id, { uid: owners, output, json, ...where }) => {
      const files = { proof: `${output}.tlog-proof`, preimage: `${output}.preimage` };
      requireNoFile(Object.values(files).map((file) => resolve(terminal.cwd(), file)));
      await withTarget(terminal, where, (target) => proveEntry(terminal, target, { id, owners, files, json }));
    });
