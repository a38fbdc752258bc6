import type { AllowlistChange, AllowlistEntry } from '../../../functions/allowlist/allowlist.ts';
import { apiErrors } from '../../../functions/errors.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { visible } from '../../shell/text/visible.ts';

/** A file that goes with a letter. */
export type Evidence = Readonly<Record<'name' | 'sha256', string>>;

const isBarred = ({ to }: AllowlistChange): boolean => to === 'disqualified' || to === 'suspended';

/** Leaves out of a reason what is not for the team: the ids of verdicts, and the people who took one back. */
const forTeam = (reason: string): string => reason.split('; verdicts ')[0] as string;

/** Returns the digests of the statements that a reason names: those on which reviewers have agreed. */
export const digestsIn = (reason = ''): string[] => reason.match(/\b[0-9a-f]{64}\b/g) ?? [];

/**
 * Says what an entry of the allowlist gives reason to write.
 * @returns the kind of letter; the time of the change that it is about; `barred`: the time of the change that barred
 * the team, and `reason`: why it was barred
 * @throws Failure if there is nothing to write about
 */
export function occasionOf({ uid, status, reason, history = [] }: AllowlistEntry) {
  const since = history.findLast(({ to, from }) => to === status && from !== to);
  const before = since && history[history.indexOf(since) - 1];
  if (since && status === 'disqualified') {
    return { kind: 'disqualification', since: since.at, barred: since.at, reason: reason ?? since.why } as const;
  }
  if (before && status === 'approved' && isBarred(before)) {
    return { kind: 'reinstatement', since: since.at, barred: before.at, reason: before.why } as const;
  }
  const advice =
    'ailog allowlist disqualify UID makes a letter of disqualification possible, ailog allowlist add UID one of reinstatement.';
  throw new Failure(
    'negative',
    `UID ${uid} is ${status}, and its last change was no disqualification and ended none.`,
    { advice },
  );
}

/** Returns the letter to a team about its disqualification or reinstatement: no secrets, but for the team alone. */
export function formatStatusLetter(
  entry: AllowlistEntry,
  { evidence, contact }: { readonly evidence: readonly Evidence[]; readonly contact: string | undefined },
): string {
  const { kind, since = '-', barred = '-', reason = '-' } = occasionOf(entry);
  const ask = contact === undefined ? 'the organisers who sent you this letter' : visible(contact);
  const facts = [
    ['Team', entry.team ?? '-'],
    ['UID', entry.uid],
    ...(kind === 'reinstatement' ? [['Approved', since]] : []),
    ['Barred', barred],
    ['Reason', forTeam(reason)],
  ];
  const { status, code } = apiErrors.uidNotApproved;
  const files = evidence.map(({ name, sha256 }) => `     ${visible(name)}\n     SHA-256 ${sha256}\n`).join('\n');
  const attached = `Attached: what was judged, your logs with a proof for each. Check it:

${files}
     node ailog.mjs verify ${evidence.map(({ name }) => visible(name)).join(' ')} --policy tlog.policy`;
  const [first, second] =
    kind === 'disqualification'
      ? [
          `Your team is disqualified, and left out of the rankings. Each upload is
   answered with HTTP ${status} and the code ${code}.`,
          `What you have uploaded stays stored as it is, and your receipts stay valid:
   keep ailog-results.jsonl, which proves what you uploaded and when.`,
        ]
      : [
          `Your team may upload again, with the same key, and is part of the rankings.`,
          `Logs that were rejected with the code ${code} are not stored. Sign and send
   them again; they carry the later time, which the reviewers know about:

     node ailog.mjs upload --dir FOLDER`,
        ];
  const last =
    kind === 'disqualification'
      ? `If this is wrong, answer to ${ask}: name the
   logs that you mean by their ids, and send their receipts.`
      : `Questions? Ask ${ask}.`;
  const points = [first, second, ...(evidence.length > 0 ? [attached] : []), last];
  return `AI log upload: ${kind}

${facts.map(([name = '', value = '']) => name.padEnd(10) + visible(value)).join('\n')}

${points.map((point, index) => `${index + 1}. ${point}`).join('\n\n')}
`;
}
