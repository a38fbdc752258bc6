import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { createTables } from '../../cli/local/localData.ts';
import { localRunOptions } from '../../cli/local/sequence.ts';
import { allowlistEditor } from '../../cli/store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../../cli/store/tables/apiKeysEditor.ts';
import { issueKey } from '../../cli/store/tables/issueKey.ts';
import { LOCAL_ORIGIN, localIdentity, tableNames } from '../../cli/store/targets/data.ts';
import { scan } from '../../cli/store/targets/openedTarget.ts';
import { fileSeal } from '../../cli/store/targets/seal.ts';
import { entriesTable } from '../../functions/ailog/entries.ts';
import type { Entry } from '../../functions/ailog/entry.ts';
import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';
import type { ApiKey } from '../../functions/auth/apiKeys.ts';
import { type Credentials, createCredentialStore, fileDecrypt } from '../../functions/auth/credentialStore.ts';
import { formatPolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { createReceiptSigner } from '../../functions/receipts/receiptSigner.ts';
import { fileDecryptReceiptKey, readReceiptKey } from '../../functions/receipts/signingKey.ts';
import { ensureReceiptKey } from '../../functions/sequencer/receiptKeys.ts';
import { tableEnvironment } from '../../functions/tables.ts';
import { callerRecordsReader } from '../../functions/upload/callerRecords.ts';
import { readConfig } from '../../functions/upload/config.ts';
import type { Dependencies } from '../../functions/upload/request.ts';
import { weightsTable, windowAt } from '../../functions/weights/weights.ts';
import { startFaultProxy } from './faults.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { noDeadline } from './time.ts';
import { inProcess } from './transports.ts';
import { aiLog, jsonOf, signedUpload } from './upload.ts';

/** A participant with the credentials to sign uploads. */
export interface Team extends Credentials {
  readonly uid: string;
  readonly accessKey: string;
}

/** Separate tables in the engine of this run, and the function's dependencies to work on them. */
export type Tables = Awaited<ReturnType<typeof openTables>>;

/** A window in seconds that ends in 2033, so that no test sees its end. */
export const LONG_WINDOW = 999_999_999;

let teams = 0;

/** Creates a key file. @returns its path */
export function newKeyFile(): string {
  const keyFile = join(temporaryFolder(), 'credentials.key');
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
  return keyFile;
}

/** Returns new table names in the engine of this run, and a new key file. */
const newTarget = () => ({
  endpoint: process.env.DYNAMODB_ENDPOINT as string,
  names: tableNames(`T${randomBytes(6).toString('hex')}-`),
  keyFile: newKeyFile(),
});

/** Returns a client of the tables at an endpoint. By default it retries as often as the SDK does. */
export const clientAt = (endpoint: string, options: { maxAttempts?: number } = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint,
      ...localIdentity,
      ...options,
    }),
  );

/** Creates a signer of receipts whose uploads wait for a read of the key: on a busy machine, that takes long. */
function patientReceipts({
  readKey,
  ...rest
}: Parameters<typeof createReceiptSigner>[0]): ReturnType<typeof createReceiptSigner> {
  let ended: Promise<unknown> = Promise.resolve();
  const receipts = createReceiptSigner({
    ...rest,
    readKey: (known) => {
      const reading = readKey(known, noDeadline());
      ended = reading.catch(() => {});
      return reading;
    },
  });
  const issue: typeof receipts.issue = async (entry) => {
    await ended;
    return receipts.issue(entry);
  };
  return { ...receipts, issue };
}

/**
 * Creates new, empty tables.
 * @param settings quotas are high by default, so that only the tests of weights reach them; `target` sets table names
 * that other programs must know; `receiptKey: false` is a deployment before its first run of the sequencer
 */
export async function openTables({
  uidQuota = 100_000,
  ipQuota = 100_000,
  windowSeconds = LONG_WINDOW,
  requireLocale = true,
  receiptKey = true,
  target = newTarget(),
} = {}) {
  const { endpoint, names, keyFile } = target;
  /** The environment of a function that works on these tables. `AWS_…` variables are for the SDK. */
  const environment = {
    ...tableEnvironment(names),
    UID_QUOTA: String(uidQuota),
    IP_QUOTA: String(ipQuota),
    WINDOW_SECONDS: String(windowSeconds),
    REQUIRE_LOCALE: String(requireLocale),
    CREDENTIALS_KEY_FILE: keyFile,
    TLOG_ORIGIN: LOCAL_ORIGIN,
    RECEIPT_KEY: '1',
    SERVICE_NAME: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const db = clientAt(endpoint);
  await createTables(db, names);
  const logFolder = temporaryFolder();
  const log = localRunOptions({ db, tables: names, folder: logFolder, keyFile });
  const makeReceiptKey = (k = 1) => ensureReceiptKey(log, k, noDeadline());
  if (receiptKey) await makeReceiptKey();
  const config = readConfig({ ...environment, LOG_LEVEL: 'SILENT' });
  const apiKeys = apiKeysEditor({ db, tables: names });
  const allowlist = allowlistEditor({ db, tables: names });
  const seal = fileSeal(keyFile);
  const receipts = new Map<string, string>();

  const issue = async (uid: string, change: Partial<ApiKey> = {}): Promise<Team> => {
    const { apiKey, credentials } = await issueKey(uid, { seal, at: Date.now() });
    await apiKeys.put({ ...apiKey, ...change });
    return { uid, accessKey: apiKey.accessKey, ...credentials };
  };

  /** Returns new dependencies for a handler. They remember nothing of earlier requests. */
  const dependencies = (change: Partial<Dependencies> = {}): Dependencies => ({
    config,
    readCallerRecords: callerRecordsReader(db, names),
    allowlist,
    credentialStore: createCredentialStore(fileDecrypt(keyFile)),
    weights: weightsTable(db, names.weights),
    entries: entriesTable(db, names.aiLogs),
    receipts: patientReceipts({
      origin: LOCAL_ORIGIN,
      readKey: readReceiptKey({
        table: log.table,
        origin: LOCAL_ORIGIN,
        number: 1,
        decrypt: fileDecryptReceiptKey(keyFile),
      }),
      now: change.now ?? Date.now,
    }),
    now: Date.now,
    ...change,
  });

  /** Creates a team with a key. `status: null` leaves it off the allowlist. */
  const team = async ({ status = 'approved' as string | null, key = {} as Partial<ApiKey> } = {}): Promise<Team> => {
    teams += 1;
    // The same length each time, because tests look at columns of a terminal.
    const uid = `${Date.now()}${String(process.pid % 1000).padStart(3, '0')}${String(teams).padStart(3, '0')}`;
    if (status !== null) await allowlist.put({ uid, status: status as AllowlistEntry['status'] });
    return issue(uid, key);
  };

  return {
    environment,
    db,
    names,
    apiKeys,
    allowlist,
    seal,
    decrypt: fileDecrypt(keyFile),
    issue,
    /** What the log of these tables keeps in its table: sealed keys of receipts, and the floor. */
    keyTable: log.table,
    /** The folder of the transparency log on these tables: it has the note about their receipt key. */
    logFolder,
    /** Makes the k-th receipt key if there is none. @returns its verifier key */
    makeReceiptKey,
    /** What runs the sequencer of the log on these tables. */
    runOptions: log,
    /** Returns the policy that trusts the log and its receipts. */
    policy: async (): Promise<string> => {
      const logs = (await log.signers(noDeadline())).map(({ key }) => formatVerifierKey(key));
      return formatPolicy({ logs, receipts: [await makeReceiptKey()] });
    },
    dependencies,
    /** Opens a faulty connection to the tables, with the environment of a function that works through it. */
    async faulty() {
      const way = await startFaultProxy(endpoint);
      return { ...way, environment: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: way.url } };
    },
    team,
    /** Creates a team whose key is older than every entry of the tests. @param key changes to its key */
    oldTeam: (key: Partial<ApiKey> = {}) => team({ key: { createdAt: '2025-01-01T00:00:00.000Z', ...key } }),

    /** Reads all entries of a UID, oldest first. */
    async entriesOf(uid: string): Promise<Entry[]> {
      const { Items } = await db.send(
        new QueryCommand({
          TableName: names.aiLogs,
          KeyConditionExpression: 'uid = :uid',
          ExpressionAttributeValues: { ':uid': uid },
          ConsistentRead: true,
        }),
      );
      return (Items ?? []) as Entry[];
    },

    /**
     * Uploads a log at a given time. @param log its text, or changes to the sample log
     * @param entryRetentionDays 0: the entry is kept for ever @returns the entry id
     */
    async uploadAt(
      team: Team,
      at: number,
      log: string | Record<string, unknown> = {},
      entryRetentionDays = 0,
    ): Promise<string> {
      const body = typeof log === 'string' ? log : jsonOf({ ...aiLog, ...log });
      const retained = entryRetentionDays === 0 ? config : { ...config, entryRetentionDays };
      const { send } = inProcess(dependencies({ now: () => at, config: retained }));
      const { headers, text } = await send(signedUpload(team, { timestamp: () => at, body }));
      const id = headers['ai-log-id'];
      if (id === undefined) throw new Error(text);
      receipts.set(id, headers['ai-log-receipt'] ?? '');
      return id;
    },

    /** Returns the receipt of an entry that was uploaded at a given time, as the response had it. */
    receiptOf: (entryId: string): string => receipts.get(entryId) ?? '',

    /** Uploads a log with the credentials of a team. @returns the code of the answer */
    codeOf: async (team: Team): Promise<string> => (await inProcess(dependencies()).send(signedUpload(team))).json.code,

    rows: (): Promise<Entry[]> => Array.fromAsync(scan<Entry>(db, { TableName: names.aiLogs })),

    /** Stores an entry past the service. */
    put: (entry: object) => db.send(new PutCommand({ TableName: names.aiLogs, Item: { ...entry } })),

    /** Deletes an entry past the service. */
    remove: ({ uid, entryId }: Pick<Entry, 'uid' | 'entryId'>) =>
      db.send(new DeleteCommand({ TableName: names.aiLogs, Key: { uid, entryId } })),

    /** Writes attributes of an entry past the service. A value of undefined removes the attribute. */
    async tamper({ uid, entryId }: Pick<Entry, 'uid' | 'entryId'>, change: Record<string, unknown>): Promise<void> {
      const Key = { uid, entryId };
      const { Item } = await db.send(new GetCommand({ TableName: names.aiLogs, Key, ConsistentRead: true }));
      const item = Object.entries({ ...Item, ...Key, ...change }).filter(([, value]) => value !== undefined);
      await db.send(new PutCommand({ TableName: names.aiLogs, Item: Object.fromEntries(item) }));
    },

    /** Reads a key that exists. */
    async keyOf(accessKey: string): Promise<ApiKey> {
      const key = await apiKeys.get(accessKey, noDeadline());
      if (!key) throw new Error(`no key ${accessKey}`);
      return key;
    },
    keysOf: async (uid: string) => (await Array.fromAsync(apiKeys.all())).filter((key) => key.uid === uid),

    /** Reads the weight that a subject, such as `uid#42`, has used in the current window. */
    async weightOf(subject: string): Promise<number> {
      const { start } = windowAt(Date.now(), windowSeconds);
      const { Item } = await db.send(
        new GetCommand({
          TableName: names.weights,
          Key: { subjectWindow: `${subject}#${start}` },
          ConsistentRead: true,
        }),
      );
      return Item?.used ?? 0;
    },
  };
}
