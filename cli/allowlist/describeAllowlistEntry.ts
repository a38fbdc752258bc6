import type { Listing } from '../../functions/allowlist/allowlist.ts';

/** A listing as JSON shows it: its fields in one order, whatever the order in which the table gave them. */
export const describeListing = ({ uid, status, team, note, updatedAt, updatedBy }: Listing) => ({
  uid,
  status,
  team,
  note,
  updatedAt,
  updatedBy,
});
