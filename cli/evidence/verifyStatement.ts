import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import type { Policy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { describeTeam } from '../analysis/describeTeam.ts';
import { readContent } from '../analysis/logContent.ts';
import { factsOf } from '../analysis/logFacts.ts';
import { reasonsToLook } from '../analysis/reasonsToLook.ts';
import { createReview, type TeamReview } from '../analysis/reviewTeams.ts';
import { signedLogOf } from '../analysis/signedLog.ts';
import { linesOf } from '../files/linesOf.ts';
import { parseWithNames } from '../text/json.ts';
import type { EvidenceFormat, Findings } from './evidence.ts';
import { entryOfLine, isEnd, parseEnd, parseEntry, parseHeader } from './parseStatement.ts';
import type { StatementEntry, StatementHeader } from './statement.ts';
import { verifyStatementEntry } from './verifyStatementEntry.ts';

/**
 * The figures that follow from the entries of the team alone. The others need those of other teams or the allowlist.
 */
const RECOMPUTED = [
  'uid',
  'entries',
  'first',
  'last',
  'perDay',
  'models',
  'stages',
  'withOrder',
  'withOrderPercent',
  'complete',
  'missing',
  'silences',
  'hiddenCharacters',
  'cutTexts',
] as const;

/** The figures of `period` and `lookAt` follow from the others. */
const FOLLOWING = ['period', 'lookAt'] as const;

const sumOf = (counts: Readonly<Record<string, number>> | null) =>
  Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);

/** Returns the message of an error without its full stop. */
const messageOf = (error: unknown): string => (error as Error).message.replace(/\.$/, '');

/** Returns a time of the header in milliseconds since 1970. */
const timeOf = (time: string | null) => (time === null ? undefined : Date.parse(time));

function createRecount({ uid, since, until, figures }: StatementHeader) {
  const limits = {
    within: 60_000,
    tolerance: CLOCK_TOLERANCE_MS,
    since: timeOf(since),
    until: timeOf(until),
  };
  const collected = createReview(limits);
  return {
    add({ body, ...line }: StatementEntry): void {
      const [stage, model, bodySha256] = [line.stage, line.model, line.bodySha256].map(String) as [
        string,
        string,
        string,
      ];
      const log = { ...signedLogOf(entryOfLine({ ...line, body })), stage, model };
      collected.add(log, () => factsOf({ ...log, bodySha256 }, readContent(body ?? undefined)));
    },
    /** Returns the names of the figures that do not follow from the entries, or that contradict each other. */
    differences(): string[] {
      const { period, teams } = collected.review([uid], undefined);
      const team = teams[0] as TeamReview;
      const counted = parseWithNames(JSON.stringify(describeTeam(team, undefined, limits))) as Record<string, unknown>;
      const expected: Record<string, unknown> = {
        ...Object.fromEntries(RECOMPUTED.map((name) => [name, counted[name]])),
        period: { from: new Date(period.from).toISOString(), until: new Date(period.until).toISOString() },
        ownRepeats: sumOf(figures.ownRepeatsByKind),
        copies: sumOf(figures.copiesByKind),
        sameTime: sumOf(figures.sameTimeByKind),
        // The thresholds are known, so the reasons follow from the figures, whether or not these are proven.
        lookAt: reasonsToLook({ ...team.figures, ...pickForeign(figures) }),
      };
      return Object.keys(expected).filter((name) => !isDeepStrictEqual(expected[name], figures[name as 'uid']));
    },
  };
}

/** Returns the figures of which reasons to look depend and that need the entries of other teams. */
const pickForeign = ({ ownRepeats, copies, sameTime, foreignOrders }: StatementHeader['figures']) => ({
  ownRepeats,
  copies,
  sameTime,
  foreignOrders,
});

/** Returns the names of the figures that do not follow from the entries. */
const unprovenFigures = (figures: StatementHeader['figures']): string[] => {
  const proven: readonly string[] = [...RECOMPUTED, ...FOLLOWING];
  return Object.keys(figures).filter((name) => !proven.includes(name));
};

function openCheckpointOf({ checkpoint, origin }: StatementHeader, policy: Policy): OpenedCheckpoint {
  const opened = openCheckpoint(checkpoint, policy);
  if (opened.origin === origin) return opened;
  throw new Error(`The statement is about the log ${origin}, and its checkpoint about ${opened.origin}`);
}

/** Returns the keys that the policy in a statement names and the trusted one does not. */
function strangeKeys(text: string, { logs }: Policy): string[] {
  const trusted = new Set(logs.map(({ key }) => formatVerifierKey(key)));
  return text
    .split('\n')
    .flatMap((line) => /^log (\S+)/.exec(line)?.[1] ?? [])
    .filter((key) => !trusted.has(key));
}

/**
 * Verifies a statement offline, line by line.
 * @param lines the lines of the file, split at line feeds and without them
 * @param policy the trusted policy; the one in the statement is not trusted
 * @returns the findings of each entry, then those of the whole
 */
export async function* verifyStatement(
  lines: AsyncIterable<string> | Iterable<string>,
  policy: Policy,
): AsyncGenerator<Findings> {
  const hash = createHash('sha256');
  const facts: Record<string, string | number> = {};
  const [proven, notProven, wrong]: string[][] = [[], [], []] as [string[], string[], string[]];
  let header: StatementHeader | undefined;
  let checkpoint: OpenedCheckpoint | undefined;
  let recount: ReturnType<typeof createRecount> | undefined;
  let last: string | undefined;
  let [number, entries, hasEnd] = [0, 0, false];

  for await (const line of lines) {
    number += 1;
    if (hasEnd) {
      wrong.push(`Line ${number} comes after the last line`);
      break;
    }
    try {
      if (!header) {
        header = parseHeader(line);
        recount = createRecount(header);
        const { uid, origin, generatedAt, figures } = header;
        const period = `${figures.period.from} to ${figures.period.until}`;
        Object.assign(facts, { uid, origin, period, generatedAt });
        try {
          checkpoint = openCheckpointOf(header, policy);
        } catch (error) {
          wrong.push(messageOf(error));
        }
      } else if (isEnd(line)) {
        hasEnd = true;
        const end = parseEnd(line);
        if (end.entries !== entries) wrong.push(`The last line counts ${end.entries} entries; the file has ${entries}`);
        if (end.sha256 !== hash.copy().digest('hex')) {
          wrong.push('The file was changed since it was written: its SHA-256 is not the one in its last line');
        }
      } else {
        entries += 1;
        const entry = parseEntry(line);
        recount?.add(entry);
        yield verifyStatementEntry(entry, { number, header, checkpoint, before: last, policy });
        last = entry.entryId;
      }
    } catch (error) {
      if (!header) {
        yield { facts, proven, notProven, wrong: [`This is not a statement: ${messageOf(error)}`] };
        return;
      }
      if (hasEnd) wrong.push(messageOf(error));
      else yield { facts: { line: number }, proven: [], notProven: [], wrong: [messageOf(error)] };
    }
    hash.update(`${line}\n`);
  }
  if (!header || !recount) {
    yield { facts, proven, notProven, wrong: ['This is not a statement: it is empty'] };
    return;
  }

  facts.entries = entries;
  if (!hasEnd) wrong.push('The statement is cut off: its last line is missing');
  if (entries === 0) wrong.push('The statement has no entries: it shows nothing about the team');
  if (header.entries !== entries)
    wrong.push(`The first line counts ${header.entries} entries; the file has ${entries}`);
  const different = recount.differences();
  if (different.length > 0) wrong.push(`Figures that do not follow from the entries: ${different.join(', ')}`);
  else proven.push('the period, and the figures on the team alone, follow from the entries in this file');
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
    `the figures ${unprovenFigures(header.figures).join(', ')}, and what lookAt says because of them: they need the allowlist or the logs of other teams`,
    'the time generatedAt',
  );
  yield { facts, proven, notProven, wrong };
}

/** A statement of a team: each of its entries, then the whole. It is read line by line, however long it is. */
export const statementEvidence: EvidenceFormat = {
  name: 'statement',
  options: [],

  recognizes: (text) => text.startsWith('{"format":"ai-log-statement/'),

  verify: ({ path }, { policy }) => verifyStatement(linesOf(path), policy),
};
