import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { LocalData } from '../../../setup/commandLine.ts';
import type { Team } from '../../../setup/fixture.ts';
import { inProcess } from '../../../setup/transports.ts';
import { signedUpload } from '../../../setup/upload.ts';

/** Returns what the tests of `ailog keys` ask of local data. */
export const keyHelpers = (local: LocalData) => ({
  keys: (...args: string[]) => local.ailog(['keys', ...args]),
  /** Uploads a log with the credentials of a team. @returns the code of the answer */
  upload: async (team: Team): Promise<string> =>
    (await inProcess(local.fixture.dependencies()).send(signedUpload(team))).json.code,
  stored: async (accessKey: string) => {
    const key = await local.fixture.apiKeys.get(accessKey, AbortSignal.timeout(5000));
    if (!key) throw new Error(`no key ${accessKey}`);
    return key;
  },
  keysOf: async (uid: string) => (await Array.fromAsync(local.fixture.apiKeys.all())).filter((key) => key.uid === uid),
});

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
