/** The result of one check. docs/decisions/unverifiable-signatures.md says which is which. */
export type Finding = 'ok' | `not checked: ${string}` | `wrong: ${string}`;

export interface Verdict {
  /** Checks that the stored body has the recorded digest and length, and that the entry id is right. */
  readonly digest: Finding;
  /** Checks that the copies beside the body (order id, stage and model; earlier also the explanation) match it. */
  readonly fields: Finding;
  /** Checks that the access key signed this body at this time. */
  readonly signature: Finding;
  /** Checks that the entry was received close to the time that was signed, while its key and credentials were valid. */
  readonly time: Finding;
  /** Checks that an entry of an export is the same in the table. Absent for entries that were read from the table. */
  readonly table?: Finding;
}

const findingsOf = (verdict: Partial<Verdict>) => Object.values(verdict) as Finding[];

/** Returns true if no check found a problem. A check that could not be made is not a problem. */
export const holds = (verdict: Partial<Verdict>): boolean =>
  findingsOf(verdict).every((finding) => !finding.startsWith('wrong'));

/** Returns true if no check found a problem, but one could not be made. */
export const isUnchecked = (verdict: Partial<Verdict>): boolean =>
  holds(verdict) && findingsOf(verdict).some((finding) => finding.startsWith('not checked'));
