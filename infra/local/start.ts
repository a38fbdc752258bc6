import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import type { Environment } from '../../functions/config.ts';
import { createTables } from './createTables.ts';
import { anyone, DEMO_FILE, KEY_FILE, LOCAL_FOLDER, localTables } from './data.ts';
import { createKeyFile, demoTeam, uploadCommand } from './demo.ts';
import { freePort, startEngine } from './engine.ts';
import { createLocalServer, listen } from './serve.ts';

const DEFAULT_PORT = '8787';

/** Ends the run with a sentence instead of a stack. */
function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const { PORT = DEFAULT_PORT, DYNAMODB_ENDPOINT: given } = process.env;
if (!/^\d{1,5}$/.test(PORT)) fail(`PORT must be a number from 0 (any free port) to 65535, not "${PORT}".`);

mkdirSync(LOCAL_FOLDER, { recursive: true });
createKeyFile(KEY_FILE);
const engine = given
  ? { endpoint: given, stop: async () => {} }
  : await startEngine(LOCAL_FOLDER).catch((e) => fail(e.message));

const names = localTables;
const environment: Environment = {
  ALLOWLIST_TABLE: names.allowlist,
  API_KEYS_TABLE: names.apiKeys,
  WEIGHTS_TABLE: names.weights,
  AI_LOGS_TABLE: names.aiLogs,
  UID_QUOTA: '1000',
  IP_QUOTA: '1000',
  WINDOW_SECONDS: '10',
  REQUIRE_LOCALE: 'true',
  CREDENTIALS_KEY_FILE: KEY_FILE,
};
// An engine takes any credentials, but the SDK wants some; those of a real account are for that account only.
const { region, credentials } = anyone;
const asAnyone = {
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
};
Object.assign(process.env, environment, {
  ...(new URL(engine.endpoint).hostname.endsWith('.amazonaws.com') ? {} : asAnyone),
  AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  POWERTOOLS_SERVICE_NAME: 'AiLogUpload-local',
  POWERTOOLS_METRICS_DISABLED: 'true',
});

const client = new DynamoDBClient();
const db = DynamoDBDocumentClient.from(client);
await createTables(client, names);
const server = await createLocalServer(join(LOCAL_FOLDER, 'bundle'));
const port = Number(PORT) || (await freePort());
// Written before the server listens: whoever gets an answer from the port finds the file complete.
const demo = await demoTeam(DEMO_FILE, {
  apiKeys: apiKeysTable(db, names.apiKeys),
  allowlist: allowlistTable(db, names.allowlist),
  keyFile: KEY_FILE,
  url: `http://127.0.0.1:${port}`,
  endpoint: engine.endpoint,
});
await listen(server, port).catch(async (error) => {
  await engine.stop();
  if (error.code !== 'EADDRINUSE') throw error;
  fail(`Port ${port} is taken. Stop what listens there, or choose another one: PORT=${port + 1} npm start`);
});

console.log(`AI log upload listens on ${demo.AILOG_URL}${UPLOAD_PATH}
Data: ${LOCAL_FOLDER}/, DynamoDB engine: ${engine.endpoint}

Demo team, also in ${DEMO_FILE}:
  UID          ${demo.AILOG_UID}
  ACCESS-KEY   ${demo.AILOG_ACCESS_KEY}
  secret       ${demo.AILOG_SECRET}
  passphrase   ${demo.AILOG_PASSPHRASE}

Upload a log: paste this into another terminal, in this folder.

${uploadCommand(DEMO_FILE)}

Each upload shows here as one line. Ctrl-C ends.
`);

async function stop(): Promise<void> {
  server.close().closeAllConnections();
  await engine.stop();
  process.exit(0);
}
process.once('SIGINT', stop).once('SIGTERM', stop);
