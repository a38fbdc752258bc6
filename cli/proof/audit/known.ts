import { createReadStream } from 'node:fs';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { pause } from '../../shell/terminal/signals.ts';
import { readEntry } from '../evidence/judge.ts';
import { isPresent, linesIn, readLine, textIn } from '../evidence/lines.ts';
import { readSmallFile } from '../evidence/smallFile.ts';
import { lineJudge } from '../evidence/verify.ts';
import type { Audit, Kept } from './auditData.ts';

/** The checkpoint in a file that has nothing else; undefined: it is not such a file. */
function keptIn(path: string, policy: Policy): Kept | undefined {
  const { bytes, isWhole } = readSmallFile(path);
  const text = bytes.toString();
  if (!isWhole || text.startsWith('{') || !text.includes('\n\n')) return undefined;
  const opened = orUndefined(() => openCheckpoint(text, policy));
  return opened && { path, ...opened };
}

/**
 * Reads evidence: checkpoints, which it returns, and entries, into `known`.
 * @throws Failure that names the line that does not hold, or the file if it has no evidence
 */
export async function readKnown(path: string, { terminal, policy, data }: Pick<Audit, 'terminal' | 'policy' | 'data'>) {
  const whole = keptIn(path, policy);
  if (whole) return [whole];
  const kept: Kept[] = [];
  const { judge } = lineJudge(policy);
  let entries = 0;
  const stream = createReadStream(path, { fd: openRegularFile(path) });
  for await (const raw of linesIn(stream)) {
    const verdict = judge(raw);
    if (!verdict) continue;
    const { about, word, facts, wrong, wanted, members } = verdict;
    if (word === 'WRONG') {
      throw new Failure('usage', `Line ${raw.number} of ${path} does not hold: ${wrong.join('; ')}.`, {
        advice: 'ailog verify says more. Leave out what does not hold: it says nothing about the log.',
      });
    }
    if (about === 'checkpoint' && facts.unknownKey === undefined) {
      const line = readLine(raw);
      const signed = typeof line === 'object' ? textIn(line, 'checkpoint') : undefined;
      if (signed !== undefined) kept.push({ path: `${path}, line ${raw.number}`, ...openCheckpoint(signed, policy) });
    }
    if (!wanted) continue;
    entries += 1;
    const entry = members && isPresent(members.entry) ? readEntry(textIn(members, 'entry') as string) : undefined;
    const { uid, entryId, receivedAt, bodySha256 } = facts;
    await data.known({
      hash: wanted.entryHash,
      uid,
      entry_id: entryId,
      received_at: receivedAt,
      source: JSON.stringify(entry ?? { uid, entryId, receivedAt, bodySha256 }),
      promised: facts.promised !== undefined,
      deadline: wanted.deadline,
    });
    await pause(terminal.signal);
  }
  if (entries > 0 || kept.length > 0) return kept;
  throw new Failure('usage', `${path} has no receipt, no entry and no checkpoint that the policy trusts.`, {
    advice: 'Give evidence: receipts, a journal of uploads, an export, a statement, or a checkpoint.',
  });
}
