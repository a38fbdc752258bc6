import { Failure } from '../terminal/failure.ts';
import { isListed, type Listed } from './readAllowlistEntries.ts';

/**
 * Checks that UIDs are on the allowlist. A mistyped UID would otherwise get a key.
 * @param unlisted `--unlisted`: do not check
 * @throws Failure that names those that are not
 */
export function requireOwnersListed(owners: readonly Listed[], unlisted: true | undefined): void {
  const missing = owners.filter(({ entry }) => !isListed(entry)).map(({ uid }) => uid);
  if (unlisted || missing.length === 0) return;
  throw new Failure('negative', `Not on the allowlist: UID ${missing.join(', ')}. No key was stored.`, {
    advice: `Approve first: ailog allowlist add ${missing.join(' ')}. Or give --unlisted to allow it.`,
  });
}
