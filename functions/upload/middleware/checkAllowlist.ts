import { isApproved } from '../../allowlist/allowlist.ts';
import { apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';

/** Checks that the caller's UID is approved on the allowlist. */
export const checkAllowlist = (): Middleware => ({
  before: ({ event }) => {
    if (!isApproved(event.allowlistEntry)) throw apiError('uidNotApproved', { uid: event.caller.uid });
  },
});
