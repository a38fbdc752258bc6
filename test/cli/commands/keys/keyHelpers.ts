import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Team } from '../../../setup/world.ts';

/** Reads a credentials file. */
export function teamIn(path: string): Team {
  const found = parseEnv(readFileSync(path, 'utf8'));
  const { AILOG_UID = '', AILOG_ACCESS_KEY = '', AILOG_SECRET = '', AILOG_PASSPHRASE = '' } = found;
  return { uid: AILOG_UID, accessKey: AILOG_ACCESS_KEY, secret: AILOG_SECRET, passphrase: AILOG_PASSPHRASE };
}

export const NO_TERMINAL = 'Cannot ask: no terminal.\nGive --yes to confirm.\n';

/** Writes that no answer comes to, however often the SDK repeats them. */
export const UNANSWERED = Array.from({ length: 10 }, () => 'break before' as const);

/** A write that AWS rejects. */
export const DENIED = {
  status: 400,
  body: JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message: 'not allowed' }),
};
