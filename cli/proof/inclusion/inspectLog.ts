import { type Checkpoint, parseCheckpoint } from '../../../functions/c2sp/checkpoint.ts';
import { parseNote } from '../../../functions/c2sp/note.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { hexId, parseVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT } from '../../../functions/tlog/paths.ts';
import { type Head, receiptKeyName } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import type { Target } from '../../store/targets/target.ts';
import { judgeHead, readHead } from './judgeHead.ts';
import { noLogYet, readOwnPolicy } from './publishedLog.ts';
import { laterReceiptKeys } from './trustedKeys.ts';

/** The lag from which the alarm of a deployment fires. */
const LAG_LIMIT_MS = 5 * 60_000;

const PUBLISHING_MS = 60_000;

/** Head and checkpoint are read again if the sequencer published a larger checkpoint between the two reads. */
const MAX_READS = 3;

/** Reads what the state of the log follows from. @throws Failure if there is no log yet */
export async function readTlogState(target: Target) {
  const log = await target.openTlog();
  const { origin, files, witnesses } = log;
  for (let attempt = 1; ; attempt += 1) {
    const head = await readHead(target);
    const bytes = await files.read(CHECKPOINT);
    if (!head && bytes) {
      throw new Failure('negative', `There is a checkpoint in ${files.location}, and the Tlog table has no head.`);
    }
    if (!head) throw noLogYet(target.name, 'negative');
    /** The newest checkpoint, verbatim. */
    const signed = bytes && Buffer.from(bytes).toString();
    const size = Number(signed?.split('\n')[1] ?? 0);
    if (size > head.size && attempt < MAX_READS) continue;
    const keys = await readOwnPolicy(target, log, head, signed);
    return { origin, head, signed, witnesses, keys, later: await laterReceiptKeys(keys.trusted, files, keys.policy) };
  }
}

type TlogState = Omit<Awaited<ReturnType<typeof readTlogState>>, 'witnesses'>;

const isoTime = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());

function checkHead(head: Head, checkpoint: Checkpoint, now: number): string[] {
  const problems = judgeHead({ ...head }, checkpoint, now);
  const age = now - head.writtenAt;
  if (problems.length > 0 || head.size === checkpoint.size || age < PUBLISHING_MS) return problems;
  return [
    `The head of size ${head.size} was claimed ${formatDuration(age)} ago and is not published. The checkpoint has the size ${checkpoint.size}.`,
  ];
}

/** @throws Error if the text is no checkpoint */
function checkSigners(signed: string, origin: string, policy: Policy) {
  const note = parseNote(signed);
  const checkpoint = parseCheckpoint(note.text);
  const problems: string[] = [];
  let opened: OpenedCheckpoint | undefined;
  try {
    opened = openCheckpoint(signed, policy);
  } catch (error) {
    problems.push((error as Error).message);
  }
  if (checkpoint.origin !== origin) problems.push(`The checkpoint is of another log, ${checkpoint.origin}.`);
  const signers = note.signatures.filter(({ name }) => name === checkpoint.origin).map(({ id }) => hexId(id));
  const known = new Set(policy.logs.map(({ key }) => hexId(key.id)));
  for (const id of signers) {
    if (!known.has(id)) problems.push(`The checkpoint has a signature of the key ${id}, which is not in the log.`);
  }
  if (opened && !opened.quorum)
    problems.push('The checkpoint has fewer cosignatures than the quorum of the witnesses.');
  return { checkpoint, signers, opened, problems };
}

/** Describes the state of a log, with everything that is wrong with it. @param now milliseconds since 1970 */
export function inspectLog(state: TlogState, now: number) {
  const { origin, head, signed, keys, later } = state;
  const trusted = keys.trusted.map(({ key }) => key);
  const problems = [...keys.problems, ...keys.others];
  const lag = now - head.cursor;
  if (lag > LAG_LIMIT_MS) {
    problems.push(`The sequencer is behind: it has come to ${formatTime(head.cursor)}, ${formatDuration(lag)} ago.`);
  }
  let found: ReturnType<typeof checkSigners> | undefined;
  try {
    found = signed === undefined ? undefined : checkSigners(signed, origin, keys.policy);
  } catch (error) {
    problems.push(`The newest checkpoint cannot be read. ${(error as Error).message}`);
  }
  if (found) problems.push(...found.problems, ...checkHead(head, found.checkpoint, now));
  if (signed === undefined && head.size > 0)
    problems.push(`The head has the size ${head.size}, and there is no checkpoint.`);
  const contradictions = Object.entries(head.contradictions ?? {});
  problems.push(...contradictions.map(([name, said]) => `The witness ${name} contradicts the log. ${said}`));
  const keyIds = (name: string) =>
    trusted
      .map(parseVerifierKey)
      .filter((key) => key.name === name)
      .map(({ id }) => hexId(id));
  return {
    origin,
    size: found?.checkpoint.size ?? 0,
    root: found ? Buffer.from(found.checkpoint.root).toString('base64') : null,
    signers: found?.signers ?? [],
    cosigned: Object.fromEntries([...(found?.opened?.cosigned ?? [])].map(([name, at]) => [name, isoTime(at * 1000)])),
    quorum: found?.opened?.quorum ?? false,
    headSize: head.size,
    headWrittenAt: isoTime(head.writtenAt),
    cursor: isoTime(head.cursor),
    lagSeconds: Math.round(lag / 1000),
    checkpointKeys: keyIds(origin),
    receiptKeys: keyIds(receiptKeyName(origin)),
    laterReceiptKeys: later,
    lookedAgain: isoTime(head.looked),
    problems,
  };
}
