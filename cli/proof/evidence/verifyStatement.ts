import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import { decodeHash } from '../../../functions/c2sp/base64.ts';
import { leafHashOf } from '../../../functions/c2sp/hashing.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { entryHashOf, entryPreimage } from '../../../functions/tlog/entryHash.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { linesIn, openRegularFile } from '../../shell/files/openRegularFile.ts';
import { timeKey } from '../../store/entries/entryFilter.ts';
import { entryOf, verifyContent } from '../../store/entries/verifyContent.ts';
import { entryCounter } from './countEntries.ts';
import { collectFindings, type EvidenceFormat, type Findings, type FindingsCollector } from './evidence.ts';
import {
  isEnd,
  otherFormatOf,
  parseEnd,
  parseEntry,
  parseHeader,
  STATEMENT_FORMAT,
  type StatementEntry,
  type StatementHeader,
} from './statement.ts';

/** The time after which an entry is in the log although the index showed it late, in milliseconds. */
const PENDING_LIMIT_MS = 15 * 60_000;

/** What is checked of an entry besides its line. `before`: the id of the entry before; undefined: it is the first. */
interface Surroundings {
  readonly header: StatementHeader;
  readonly before: string | undefined;
  /** Undefined if it cannot be trusted. */
  readonly checkpoint: OpenedCheckpoint | undefined;
}

/** Checks that an entry stands where it belongs. @returns the problems */
function checkPlace({ uid, entryId }: StatementEntry, { header, before }: Surroundings): string[] {
  const since = header.since !== null && entryId < timeKey(Date.parse(header.since));
  const until = header.until !== null && entryId >= timeKey(Date.parse(header.until));
  return [
    ...(uid === header.uid ? [] : [`The entry is of UID ${uid}, and the statement of UID ${header.uid}`]),
    ...(before === entryId ? ['The entry is in the statement twice'] : []),
    ...(before !== undefined && before > entryId ? ['The entry is not in order: a later one is before it'] : []),
    ...(since || until ? ['The entry was signed outside the period of the statement'] : []),
  ];
}

/** Checks the body, what follows from it, and the times. @returns the problems */
function checkContent(line: StatementEntry): string[] {
  if (line.body === null) return ['The stored body is damaged'];
  const entry = entryOf({ ...line });
  const { digest, fields } = verifyContent(entry, Buffer.from(line.body));
  const delay = Math.abs(entry.receivedAt - Number(entry.timestamp));
  return [
    ...(digest === 'ok'
      ? []
      : [`Digest, length and id do not follow from body and signature: ${digest.replace('wrong: ', '')}`]),
    ...(fields === 'ok' ? [] : [`Differs from the body: ${fields.replace('wrong: ', '')}`]),
    ...(delay <= CLOCK_TOLERANCE_MS ? [] : ['receivedAt is not within 30 s of the signed timestamp']),
  ];
}

function checkProof({ index, proof }: StatementEntry, entryHash: Buffer, { size, root }: OpenedCheckpoint): true {
  if (index === null || proof === null) throw new Error('The entry is said to be in the log, and has no proof');
  const hashes = proof.map((hash, position) => decodeHash(hash, `Hash ${position + 1} of the proof`));
  if (verifyInclusion(hashes, { index, size, leafHash: leafHashOf(entryHash), root })) return true;
  throw new Error(
    `The proof does not show this entry at index ${index} of the log: an attribute or the proof was changed`,
  );
}

/** Returns the problem of an entry without a proof; undefined if it is only too early for one. */
function checkAbsence({ status, receivedAt, index, proof }: StatementEntry, generatedAt: string): string | undefined {
  if (index !== null || proof !== null) return `The entry is marked as ${status}, and has a proof`;
  if (status === 'differs') return 'The organisers mark the entry as changed since it was stored';
  if (status === 'missing') return 'The organisers mark the entry as missing in the log';
  const age = Date.parse(generatedAt) - Date.parse(receivedAt as string);
  if (age <= PENDING_LIMIT_MS) return undefined;
  return 'The entry is marked as pending, although it was received more than 15 minutes before the statement: the log was behind, or somebody inserted the row';
}

/** Verifies the line of an entry, and adds to its findings. @throws Error if it cannot be an entry */
function verifyEntry(
  { facts, proven, notProven, wrong, attempt }: FindingsCollector,
  line: StatementEntry,
  surroundings: Surroundings,
): void {
  const { header, checkpoint } = surroundings;
  const { uid, entryId, receivedAt, status } = line;
  const entryHash = entryHashOf(entryPreimage(entryOf({ ...line })));
  wrong.push(...checkPlace(line, surroundings), ...checkContent(line));
  if (status !== 'logged') {
    const problem = checkAbsence(line, header.generatedAt);
    if (problem) wrong.push(problem);
    else notProven.push('that the entry is in the log: it was received shortly before the statement was written');
  } else if (checkpoint && attempt(() => checkProof(line, entryHash, checkpoint))) {
    proven.push(`the entry is in the log of ${header.origin}, at index ${line.index}`);
  }
  Object.assign(facts, { uid, entryId, receivedAt });
}

function openCheckpointOf({ checkpoint, origin }: StatementHeader, policy: Policy): OpenedCheckpoint {
  const opened = openCheckpoint(checkpoint, policy);
  if (opened.origin === origin) return opened;
  throw new Error(`The statement is about the log ${origin}, and its checkpoint about ${opened.origin}`);
}

/** Returns the keys that the policy in a statement names and the trusted one does not. */
function strangeKeys(text: string, { logs, receipts }: Policy): string[] {
  const trusted = new Set([...logs.map(({ key }) => key), ...receipts].map(formatVerifierKey));
  return text
    .split('\n')
    .flatMap((line) => /^(?:log|# receipts) (\S+)/.exec(line)?.[1] ?? [])
    .filter((key) => !trusted.has(key));
}

/** Passes on the bytes of a statement, and adds what is wrong with them: what its lines as texts no longer show. */
async function* checkBytes(chunks: AsyncIterable<Uint8Array>, wrong: string[]) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decodes = (chunk?: Uint8Array): boolean => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
      return true;
    } catch {
      return false;
    }
  };
  let isUtf8 = true;
  let end: number | undefined;
  for await (const chunk of chunks) {
    isUtf8 &&= decodes(chunk);
    end = chunk.at(-1);
    yield chunk;
  }
  if (!isUtf8 || !decodes()) wrong.push('The statement is not UTF-8');
  if (end !== 0x0a) wrong.push('The last line does not end in a line feed');
}

/**
 * Verifies a statement offline. @param lines without line feeds @param policy the trusted one, not that in the
 * statement @param wrongBytes what is wrong with the bytes of the lines; it is read after the last line
 * @returns the findings of each entry, then those of the whole
 */
export async function* verifyStatement(
  lines: AsyncIterable<string> | Iterable<string>,
  policy: Policy,
  wrongBytes: readonly string[] = [],
): AsyncGenerator<Findings> {
  const hash = createHash('sha256');
  const whole = collectFindings();
  const { facts, proven, notProven, wrong, attempt } = whole;
  let header: StatementHeader | undefined;
  let checkpoint: OpenedCheckpoint | undefined;
  const counter = entryCounter();
  let before: string | undefined;
  let number = 0;
  let entries = 0;
  let hasEnd = false;

  for await (const line of lines) {
    number += 1;
    if (hasEnd) {
      wrong.push(`Line ${number} comes after the last line`);
      break;
    }
    if (!header) {
      const other = otherFormatOf(line);
      if (other !== undefined) {
        notProven.push(`anything: this is an ${other}, and this revision of ailog verifies ${STATEMENT_FORMAT} only`);
        yield whole;
        return;
      }
      const first = attempt(() => parseHeader(line));
      if (!first) break;
      const { uid, origin, since, until, generatedAt } = first;
      const period = `${since ?? 'the first entry'} to ${until ?? 'the last'}`;
      Object.assign(facts, { uid, origin, period, generatedAt });
      checkpoint = attempt(() => openCheckpointOf(first, policy));
      header = first;
    } else if (isEnd(line)) {
      hasEnd = true;
      const end = attempt(() => parseEnd(line));
      if (end && end.entries !== entries) {
        wrong.push(`The last line counts ${end.entries} entries; the file has ${entries}`);
      }
      if (end && end.sha256 !== hash.copy().digest('hex')) {
        wrong.push('The file was changed since it was written: its SHA-256 is not the one in its last line');
      }
    } else {
      entries += 1;
      const surroundings = { header, checkpoint, before };
      const own = collectFindings();
      own.facts.line = number;
      before =
        own.attempt(() => {
          const entry = parseEntry(line);
          counter.add(entry);
          verifyEntry(own, entry, surroundings);
          return entry.entryId;
        }) ?? before;
      yield own;
    }
    hash.update(`${line}\n`);
  }
  if (!header) {
    yield { ...whole, wrong: [`This is not a statement: ${wrong[0] ?? 'it is empty'}`] };
    return;
  }

  wrong.push(...wrongBytes);
  if (!hasEnd) wrong.push('The statement is cut off: its last line is missing');
  if (entries === 0) wrong.push('The statement has no entries: it shows nothing about the team');
  if (checkpoint) {
    proven.push(`${checkpoint.origin} signed the checkpoint of size ${checkpoint.size}`);
    if (policy.quorum === 'none') notProven.push('that everyone sees the same log: the policy requires no witness');
    else if (checkpoint.quorum) proven.push(`the quorum ${policy.quorum} of witnesses cosigned it`);
    else wrong.push(`The quorum ${policy.quorum} of witnesses is missed`);
  }
  for (const key of strangeKeys(header.policy, policy)) {
    notProven.push(`the key ${key}, which the policy in the statement names and yours does not`);
  }
  notProven.push(
    'that these are all entries of the team: compare them with the receipts of the team, or audit the log with the tables',
    'the time generatedAt',
  );
  yield { ...whole, counted: counter.counted(), isAboutFile: true };
}

/** A statement of a team: each of its entries, then the whole. It is read line by line, however long it is. */
export const statementEvidence: EvidenceFormat = {
  name: 'statement',
  options: [],
  recognizes: (text) => text.startsWith('{"format":"ai-log-statement/'),
  verify({ path }, { policy }) {
    const wrong: string[] = [];
    const bytes = checkBytes(createReadStream(path, { fd: openRegularFile(path) }), wrong);
    return verifyStatement(linesIn(path, bytes), policy, wrong);
  },
};
