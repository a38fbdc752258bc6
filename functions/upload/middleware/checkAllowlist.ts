import { apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';

/**
 * The middleware of the allowlist. Only the exact word `approved` opens it: the table may be edited by hand, and a typo, like a
 * missing row, keeps it shut.
 */
export const checkAllowlist = (): Middleware => ({
  before: ({ event }) => {
    if (event.allowlistEntry?.status !== 'approved') throw apiError('uidNotApproved', { uid: event.caller.uid });
  },
});
