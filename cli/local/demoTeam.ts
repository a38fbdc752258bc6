import type { ApiKey } from '../../functions/auth/apiKeys.ts';
import { type Credentials, createCredentialStore, fileDecrypt } from '../../functions/auth/credentialStore.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { exampleLogJson } from '../../infra/openapi/exampleLog.ts';
import { replaceFile } from '../shell/files/write.ts';
import type { allowlistEditor } from '../store/tables/allowlistEditor.ts';
import type { apiKeysEditor } from '../store/tables/apiKeysEditor.ts';
import { issueKey } from '../store/tables/issueKey.ts';
import { DEMO_NAMES, type Demo, readDemo } from '../store/targets/data.ts';
import { readTimeout } from '../store/targets/openedTarget.ts';
import { fileSeal } from '../store/targets/seal.ts';

const UID = '1001';

interface DemoContext {
  readonly apiKeys: ReturnType<typeof apiKeysEditor>;
  readonly allowlist: ReturnType<typeof allowlistEditor>;
  readonly keyFile: string;
  readonly url: string;
  readonly endpoint: string;
  /** Gets a sentence for each thing that keeps the team from uploading, or that was restored. */
  readonly report: (sentence: string) => void;
}

const LABEL = 'demo';
const AUTHOR = 'npm start';

/** Puts the demo team on the allowlist, unless it has an entry. @returns its status */
async function allowDemo(allowlist: DemoContext['allowlist']): Promise<string> {
  const found = await allowlist.get(UID);
  // An entry made by hand may lack it.
  if (found) return found.status ?? 'without a status';
  const updatedAt = new Date().toISOString();
  const entry = { uid: UID, status: 'approved', team: 'Demo', updatedAt, updatedBy: AUTHOR } as const;
  const written = await allowlist.replace(undefined, entry);
  if (written.outcome === 'changed') return allowDemo(allowlist);
  if (written.outcome === 'unknown') throw written.cause;
  return 'approved';
}

/** Returns the newest demo key in the table that the key file opens, active ones first; undefined if there is none. */
async function storedKey({ apiKeys, keyFile }: DemoContext) {
  const names = await Array.fromAsync(apiKeys.namesOf(UID));
  const found = await Promise.all(names.map((name) => apiKeys.get(name)));
  const keys = found.filter((key): key is ApiKey => key?.label === LABEL);
  const rank = ({ status, createdAt }: ApiKey) => `${status === 'active' ? 1 : 0}${createdAt}`;
  const { decrypt } = createCredentialStore(fileDecrypt(keyFile));
  for (const key of keys.sort((a, b) => (rank(a) < rank(b) ? 1 : -1))) {
    // A key that another key file sealed is of no use here.
    const credentials = await decrypt(key, readTimeout()).catch(() => undefined);
    if (credentials) return { key, credentials };
  }
  return undefined;
}

async function demoKey(path: string, context: DemoContext): Promise<{ key: ApiKey; credentials: Credentials }> {
  const { apiKeys, keyFile, report } = context;
  const kept = readDemo(path);
  const named = kept && (await apiKeys.get(kept.AILOG_ACCESS_KEY));
  if (named) return { key: named, credentials: { secret: kept.AILOG_SECRET, passphrase: kept.AILOG_PASSPHRASE } };
  const stored = await storedKey(context);
  if (stored) {
    report(`${path} named no key of the tables. It gets the stored one again.`);
    return stored;
  }
  const { apiKey, credentials } = await issueKey(UID, { seal: fileSeal(keyFile), at: Date.now(), label: LABEL });
  await apiKeys.put(apiKey);
  return { key: apiKey, credentials };
}

/** Creates what is missing of the demo team: allowlist entry, API key, and the file with its credentials. */
export async function demoTeam(path: string, context: DemoContext): Promise<Demo> {
  const { allowlist, url, endpoint, report } = context;
  const status = await allowDemo(allowlist);
  if (status !== 'approved') report(`UID ${UID} is ${status} on the allowlist, so its uploads are rejected.`);
  const { key, credentials } = await demoKey(path, context);
  if (key.status !== 'active') report(`The key of UID ${UID} is ${key.status}, so its uploads are rejected.`);
  const demo: Demo = {
    AILOG_URL: url,
    AILOG_ACCESS_KEY: key.accessKey,
    AILOG_SECRET: credentials.secret,
    AILOG_PASSPHRASE: credentials.passphrase,
    AILOG_UID: UID,
    AILOG_DYNAMODB_ENDPOINT: endpoint,
  };
  const lines = DEMO_NAMES.map((name) => `export ${name}='${demo[name]}'\n`);
  replaceFile(path, lines.join(''));
  return demo;
}

/** Returns a shell command for a signed upload with curl and openssl. It reads the credentials from the demo file. */
export const uploadCommand = (demoFile: string) => `( . ${demoFile}
  body='${exampleLogJson.replaceAll(/,"(?=\w+":)/g, ',\n    "')}'
  timestamp=$(date +%s)000
  sign=$(printf %s "\${timestamp}POST${UPLOAD_PATH}$body" |
    openssl dgst -sha256 -hmac "$AILOG_SECRET" -binary | openssl base64 -A)
  curl -sS "$AILOG_URL${UPLOAD_PATH}" --data-binary "$body" \\
    -H "ACCESS-KEY: $AILOG_ACCESS_KEY" -H "ACCESS-SIGN: $sign" \\
    -H "ACCESS-PASSPHRASE: $AILOG_PASSPHRASE" \\
    -H "ACCESS-TIMESTAMP: $timestamp" -H "locale: en-US" \\
    -H "Content-Type: application/json"; echo )`;
