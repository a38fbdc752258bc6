import { requireApproved } from '../../allowlist/allowlist.ts';
import type { Middleware } from '../request.ts';

/** Checks that the caller's UID is approved on the allowlist. */
export const checkAllowlist = (): Middleware => ({
  before: ({ event }) => requireApproved(event.caller.uid, event.allowlistEntry),
});
