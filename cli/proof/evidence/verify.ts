/** Verifies evidence line by line, in one pass: what is kept of the lines before is bounded. */
import { parseNote, verifyNote } from '../../../functions/c2sp/note.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import type { OpenedCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { parseReceiptKey } from '../../../functions/tlog/receiptKeyNote.ts';
import {
  type Answer,
  type AskedLog,
  judged,
  judgeEntry,
  judgePlace,
  type Known,
  openCheckpointLine,
  signerOf,
  stateOf,
  type Verdict,
  type Wanted,
} from './judge.ts';
import { isPresent, linesIn, type Members, type RawLine, readLine, textIn } from './lines.ts';

export type LineVerdict = Verdict & {
  readonly line: number;
  readonly about: 'entry' | 'checkpoint' | 'receipt key' | 'end' | 'upload' | 'line';
  /** The line itself, if it is about an entry: who shows it derives order, model and text from its body. */
  readonly members?: Members;
};
type Judged = Omit<LineVerdict, 'line'> & { readonly wanted?: Wanted };

/** The most uploads without a receipt that are kept until the end, in case their receipts follow. */
const OPEN_UPLOADS = 100_000;

/** The members that tell what a line is, the first that it has. The first three are lines of their own. */
const KINDS = ['checkpoint', 'receipt-keys', 'end', 'entry', 'receipt', 'state'] as const;

/** Returns what a line is. @throws Error if it is nothing, or two things */
function kindOf(members: Members): (typeof KINDS)[number] {
  const [kind, other] = KINDS.filter((name) => isPresent(members[name]));
  if (kind === undefined) throw new Error('The line is no evidence');
  if (other !== undefined && other !== 'state' && KINDS.indexOf(kind) < 3)
    throw new Error(`The line has ${kind} and ${other}, which are two lines`);
  return kind;
}

const uploadOf = ({ url, file, timestamp, sign }: Members): string =>
  JSON.stringify(typeof file === 'string' ? [url, file] : [timestamp, sign, null]);

/** Returns a judge of the lines of one file, to be called for one after the other. @param bodyOf see `Known` */
export function lineJudge(policy: Policy, bodyOf?: Known['bodyOf']) {
  let checkpoint: OpenedCheckpoint | undefined;
  const keys = new Map(policy.receipts.map((key) => [formatVerifierKey(key), key]));
  const open = new Map<string, LineVerdict>();
  /** The number of lines since the last end, their last entry id, and whether all their ids ascend. */
  let part = { lines: 0, lastId: '', ascends: true };

  const judgeCheckpoint = (members: Members): Verdict => {
    checkpoint = undefined;
    return judged(({ facts, lacks }) => {
      const opened = openCheckpointLine(textIn(members, 'checkpoint') as string, policy);
      if ('unknownKey' in opened) {
        facts.unknownKey = opened.unknownKey;
        lacks.push('log key');
        return;
      }
      facts.state = stateOf(opened, policy);
      if (opened.quorum) checkpoint = opened;
      else lacks.push('quorum');
    });
  };

  const judgeKey = (members: Members): Verdict =>
    judged(({ facts, lacks }) => {
      const signed = textIn(members, 'receipt-keys') as string;
      const note = parseNote(signed);
      const { origin, k, key, since } = parseReceiptKey(note.text);
      const logKeys = policy.logs.map((log) => log.key);
      if (verifyNote(note, logKeys).some(({ name }) => name === origin)) {
        facts.key = { origin, k, since };
        keys.set(formatVerifierKey(key), key);
      } else {
        facts.unknownKey = signerOf(signed);
        lacks.push('log key');
      }
    });

  const judgeEnd = ({ end }: Members): Verdict => {
    const { lines, ascends } = part;
    part = { lines: 0, lastId: '', ascends: true };
    return judged(({ facts, must }) => {
      facts.end = lines;
      must(end === lines, `The end counts ${JSON.stringify(end)} lines, and there are ${lines}`);
      must(ascends, 'An entry is there twice, or is not in the order of entry ids');
    });
  };

  const judgeMembers = (members: Members, line: number): Judged | undefined => {
    const kind = kindOf(members);
    if (kind === 'checkpoint') return { about: kind, ...judgeCheckpoint(members) };
    if (kind === 'receipt-keys') return { about: 'receipt key', ...judgeKey(members) };
    if (kind === 'end') return { about: kind, ...judgeEnd(members) };
    part.lines += 1;
    const upload = uploadOf(members);
    if (kind === 'state') {
      const facts = { ...(typeof members.file === 'string' && { file: members.file }), said: String(members.state) };
      const verdict = { line, about: 'upload', word: 'NO PROOF', facts, wrong: [], lacks: ['receipt'] } as const;
      if (open.size >= OPEN_UPLOADS && !open.has(upload)) return verdict;
      open.set(upload, verdict);
      return undefined;
    }
    if (isPresent(members.receipt)) open.delete(upload);
    const receiptKeys = [...keys.values()];
    const verdict = judgeEntry(members, { policy, receiptKeys, checkpoint, bodyOf });
    const { entryId } = verdict.facts;
    if (entryId !== undefined) part = { ...part, lastId: entryId, ascends: part.ascends && entryId > part.lastId };
    return { about: 'entry', members, ...verdict };
  };

  return {
    /** Returns the verdict about a line, and what to look up in a log; undefined: it has none, or only at the end. */
    judge(raw: RawLine): (LineVerdict & Judged) | undefined {
      const line = raw.number;
      try {
        const read = readLine(raw);
        if (read === 'blank') return undefined;
        if (read === 'cut off')
          return { line, about: 'line', ...judged(({ lacks }) => lacks.push('rest of the line')) };
        const verdict = judgeMembers(read, line);
        return verdict && { line, ...verdict };
      } catch (error) {
        part.lines += 1;
        return { line, about: 'line', ...judged(({ must }) => must(false, (error as Error).message)) };
      }
    },

    /** Verdicts about uploads that no receipt followed. */
    rest: (): Iterable<LineVerdict> => open.values(),
  };
}

export interface Trusted {
  readonly policy: Policy;
  readonly bodyOf?: Known['bodyOf'];
  readonly log?: (AskedLog & { ask(wanted: Wanted): Promise<Answer> }) | undefined;
}

/** Verifies a file of evidence of any length. @returns the verdicts about its lines, then what no receipt followed */
export async function* verify(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { policy, bodyOf, log }: Trusted,
): AsyncGenerator<LineVerdict> {
  const { judge, rest } = lineJudge(policy, bodyOf);
  for await (const raw of linesIn(chunks)) {
    const judgement = judge(raw);
    if (!judgement) continue;
    const { wanted, ...verdict } = judgement;
    if (!log || !wanted) yield verdict;
    else yield { ...verdict, ...(await judgePlace(verdict, wanted, await log.ask(wanted), { log, policy })) };
  }
  yield* rest();
}
