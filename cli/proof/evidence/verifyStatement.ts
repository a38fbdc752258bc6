import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parseWithNames } from '../../../functions/ailog/plainNames.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { reasonsToLook } from '../../review/figures/reasonsToLook.ts';
import { linesOf } from '../../shell/files/openRegularFile.ts';
import { collectFindings, type EvidenceFormat } from './evidence.ts';
import { isEnd, parseEnd, parseEntry, parseHeader } from './parseStatement.ts';
import { type CountedLog, countedLogOf, recount } from './recount.ts';
import type { StatementHeader } from './statement.ts';
import { verifyStatementEntry } from './verifyStatementEntry.ts';

const sumOf = (counts: Readonly<Record<string, number>> | null) =>
  Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);

const timeOf = (time: string | null) => (time === null ? undefined : Date.parse(time));

/** Compares figures with entries. @returns the names of those that differ, and of those that need other data */
function compareFigures({ uid, since, until, figures }: StatementHeader, logs: readonly CountedLog[]) {
  const counted = recount(logs, timeOf(since), timeOf(until));
  const proven = { uid, ...counted.figures, period: counted.period };
  const expected: Record<string, unknown> = {
    ...(parseWithNames(JSON.stringify(proven)) as object),
    ownRepeats: sumOf(figures.ownRepeatsByKind),
    copies: sumOf(figures.copiesByKind),
    sameTime: sumOf(figures.sameTimeByKind),
    // The thresholds are known, so the reasons follow from the figures, whether or not these are proven.
    lookAt: reasonsToLook({ ...figures, ...counted.figures }),
  };
  return {
    different: Object.keys(expected).filter((name) => !isDeepStrictEqual(expected[name], figures[name as 'uid'])),
    unproven: Object.keys(figures).filter((name) => name !== 'lookAt' && !Object.hasOwn(proven, name)),
  };
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

/**
 * Verifies a statement offline. @param lines without line feeds @param policy the trusted one, not that in the
 * statement
 * @returns the findings of each entry, then those of the whole
 */
export async function* verifyStatement(lines: AsyncIterable<string> | Iterable<string>, policy: Policy) {
  const hash = createHash('sha256');
  const whole = collectFindings();
  const { facts, proven, notProven, wrong, attempt } = whole;
  let header: StatementHeader | undefined;
  let checkpoint: OpenedCheckpoint | undefined;
  const logs: CountedLog[] = [];
  let before: string | undefined;
  let [number, entries, hasEnd] = [0, 0, false];

  for await (const line of lines) {
    number += 1;
    if (hasEnd) {
      wrong.push(`Line ${number} comes after the last line`);
      break;
    }
    if (!header) {
      const first = attempt(() => parseHeader(line));
      if (!first) break;
      const { uid, origin, generatedAt, figures } = first;
      Object.assign(facts, { uid, origin, period: `${figures.period.from} to ${figures.period.until}`, generatedAt });
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
          logs.push(countedLogOf(entry));
          verifyStatementEntry(own, entry, surroundings);
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

  facts.entries = entries;
  if (!hasEnd) wrong.push('The statement is cut off: its last line is missing');
  if (entries === 0) wrong.push('The statement has no entries: it shows nothing about the team');
  if (header.entries !== entries)
    wrong.push(`The first line counts ${header.entries} entries; the file has ${entries}`);
  const { different, unproven } = compareFigures(header, logs);
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
    `the figures ${unproven.join(', ')}, and what lookAt says because of them: they need the allowlist or the logs of other teams`,
    'the time generatedAt',
  );
  yield { ...whole, isAboutFile: true };
}

/** A statement of a team: each of its entries, then the whole. It is read line by line, however long it is. */
export const statementEvidence: EvidenceFormat = {
  name: 'statement',
  options: [],
  recognizes: (text) => text.startsWith('{"format":"ai-log-statement/'),
  verify: ({ path }, { policy }) => verifyStatement(linesOf(path), policy),
};
