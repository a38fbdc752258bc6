import type { OpenedTarget } from '../../store/targets/openedTarget.ts';
import type { VerdictRecord } from './record.ts';

/** Tells people apart as far as IAM does. */
export type People = ReturnType<typeof peopleOf>;

/** It follows the id of a role in `reviewerRoles` if each name of a session is a person. */
const SESSIONS = ':*';

/**
 * Returns the people of a target: docs/decisions.md#two-reviewers. A role is one person at most, because who assumes it
 * chooses the name of the session; but IAM Identity Center sets it. The setting `reviewerRoles` names both kinds.
 */
export function peopleOf({ deployed }: Pick<OpenedTarget, 'deployed'>) {
  const roles = new Set(deployed?.settings.reviewerRoles?.split(','));
  const personOf = (id: string): string => {
    const [principal = '', session = ''] = id.split(':');
    if (!deployed) return id;
    return roles.has(`${principal}${SESSIONS}`) ? session.toLowerCase() : principal;
  };
  return {
    /** Returns the person behind an id: `aws:userid`, or a local user. */
    personOf,
    /** Returns why an id stands for no person whose verdicts count; undefined if it does. */
    findObjection(id: string): string | undefined {
      const [principal = ''] = id.split(':');
      if (!deployed || /^AIDA/.test(principal) || roles.has(principal) || roles.has(`${principal}${SESSIONS}`))
        return undefined;
      return `${principal} is no IAM user, and no role that the setting reviewerRoles names`;
    },
    /** Names the author of a record: the person and, in parentheses, the name that the program gave, if it differs. */
    nameOf({ author, arn }: Pick<VerdictRecord, 'author' | 'arn'>): string {
      const person = personOf(author);
      const called = arn.split('/').at(-1) ?? '';
      return called.toLowerCase() === person.toLowerCase() ? person : `${person} (${called})`;
    },
  };
}
