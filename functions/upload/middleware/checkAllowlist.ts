import { refuse } from '../../errors.ts';
import type { Gate } from '../request.ts';

/**
 * The gate of the allowlist. Only the exact word `approved` opens it: the table may be edited by hand, and a typo, like a
 * missing row, keeps it shut.
 */
export const checkAllowlist = (): Gate => ({
  before: ({ event }) => {
    if (event.listing?.status !== 'approved') throw refuse('uidNotApproved', { uid: event.caller.uid });
  },
});
