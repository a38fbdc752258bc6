import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';
import type { ApiKey, ApiKeys } from '../../functions/auth/apiKeys.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { exampleLogJson } from '../../infra/openapi/exampleLog.ts';
import { issueKey } from '../tables/issueKey.ts';
import { DEMO_NAMES, type Demo, readDemo } from '../target/data.ts';
import { readTimeout } from '../target/openedTarget.ts';
import { fileSeal } from '../target/seal.ts';

const UID = '1001';

/** Creates the key file that seals local credentials, unless it exists. */
export function createKeyFile(path: string): void {
  if (!existsSync(path)) writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600 });
}

/**
 * Creates the demo team, its allowlist entry and its API key, unless they exist.
 * @param path the file for its credentials, which only its owner can read
 */
export async function demoTeam(
  path: string,
  {
    apiKeys,
    allowlist,
    keyFile,
    url,
    endpoint,
  }: {
    apiKeys: Pick<ApiKeys, 'get'> & { put(key: ApiKey): Promise<void> };
    allowlist: { put(entry: AllowlistEntry): Promise<void> };
    keyFile: string;
    url: string;
    endpoint: string;
  },
): Promise<Demo> {
  const kept = readDemo(path);
  let team = kept && { accessKey: kept.AILOG_ACCESS_KEY, secret: kept.AILOG_SECRET, passphrase: kept.AILOG_PASSPHRASE };
  if (!team || !(await apiKeys.get(team.accessKey, readTimeout()))) {
    const at = Date.now();
    const { apiKey, credentials } = await issueKey(UID, { seal: fileSeal(keyFile), at, label: 'demo' });
    const updatedAt = new Date(at).toISOString();
    await apiKeys.put(apiKey);
    await allowlist.put({ uid: UID, status: 'approved', team: 'Demo', updatedAt, updatedBy: 'npm start' });
    team = { accessKey: apiKey.accessKey, ...credentials };
  }
  const demo: Demo = {
    AILOG_URL: url,
    AILOG_ACCESS_KEY: team.accessKey,
    AILOG_SECRET: team.secret,
    AILOG_PASSPHRASE: team.passphrase,
    AILOG_UID: UID,
    AILOG_DYNAMODB_ENDPOINT: endpoint,
  };
  const lines = DEMO_NAMES.map((name) => `export ${name}='${demo[name]}'\n`);
  writeFileSync(path, lines.join(''), { mode: 0o600 });
  return demo;
}

/** Returns a shell command for a signed upload with curl and openssl. It reads the credentials from the demo file. */
export const uploadCommand = (demoFile: string) => `( . ${demoFile}
  body='${exampleLogJson}'
  timestamp=$(date +%s)000
  sign=$(printf %s "\${timestamp}POST${UPLOAD_PATH}$body" | openssl dgst -sha256 -hmac "$AILOG_SECRET" -binary | openssl base64 -A)
  curl -sS "$AILOG_URL${UPLOAD_PATH}" -H "ACCESS-KEY: $AILOG_ACCESS_KEY" -H "ACCESS-SIGN: $sign" \\
    -H "ACCESS-PASSPHRASE: $AILOG_PASSPHRASE" -H "ACCESS-TIMESTAMP: $timestamp" \\
    -H "locale: en-US" -H "Content-Type: application/json" --data-binary "$body"; echo )`;
