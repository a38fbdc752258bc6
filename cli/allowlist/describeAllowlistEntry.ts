import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';

/** An allowlist entry as JSON shows it: its fields in one order, whatever the order in which the table gave them. */
export const describeAllowlistEntry = ({ uid, status, team, note, updatedAt, updatedBy }: AllowlistEntry) => ({
  uid,
  status,
  team,
  note,
  updatedAt,
  updatedBy,
});
