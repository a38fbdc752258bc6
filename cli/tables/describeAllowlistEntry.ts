import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';

/** Describes an allowlist entry for JSON, its fields always in the same order. */
export const describeAllowlistEntry = ({ uid, status, team, note, updatedAt, updatedBy }: AllowlistEntry) => ({
  uid,
  status,
  team,
  note,
  updatedAt,
  updatedBy,
});
