import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { allowlistEditor } from '../data/allowlistEditor.ts';
import { apiKeysEditor } from '../data/apiKeysEditor.ts';
import { createTables } from './createTables.ts';
import { DEMO_FILE, KEY_FILE, LOCAL_FOLDER, localTables } from './data.ts';
import { createKeyFile, demoTeam, uploadCommand } from './demo.ts';
import { describeAnswer } from './describeAnswer.ts';
import { freePort, startEngine } from './engine.ts';
import { createEngineProxy } from './engineProxy.ts';
import { environmentFor } from './environment.ts';
import { readLocalRun, USAGE } from './localSettings.ts';
import { makePrivate } from './makePrivate.ts';
import { createLocalServer, listen } from './serve.ts';

const DEFAULT_PORT = '8787';

/** Ends the run with a message instead of a stack trace. */
function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

/** Reads options and settings. */
function readRun() {
  try {
    return readLocalRun(process.argv.slice(2), process.env);
  } catch (error) {
    return fail((error as Error).message);
  }
}

const { PORT = DEFAULT_PORT, DYNAMODB_ENDPOINT: given } = process.env;
if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) {
  fail(`PORT must be a number from 0 (any free port) to 65535, not "${PORT}".`);
}
if (given !== undefined && !/^https?:\/\/./.test(given)) {
  fail(`DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "${given}".`);
}

if (process.argv.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
const { json, environment: settings } = readRun();

// Files of this process and of the engine are for their owner only, and so are those of earlier versions.
process.umask(0o077);
makePrivate(LOCAL_FOLDER);
createKeyFile(KEY_FILE);
const engine = given
  ? { endpoint: given, stop: async () => {} }
  : await startEngine(LOCAL_FOLDER).catch((error) => fail(error.message));

const names = localTables;
const client = await environmentFor(engine.endpoint, settings)
  .then(async (environment) => {
    // Without --json, only failures of the service are logged in full.
    Object.assign(process.env, json ? {} : { POWERTOOLS_LOG_LEVEL: 'ERROR' }, environment);
    const connected = new DynamoDBClient();
    await createTables(connected, names);
    return connected;
  })
  .catch((error) => fail(`Cannot use the DynamoDB at ${engine.endpoint}: ${error.message || error.name}`));
const db = DynamoDBDocumentClient.from(client);
const server = await createLocalServer(join(LOCAL_FOLDER, 'bundle'), (answered) => {
  if (!json) console.log(describeAnswer(answered, Date.now()));
});
// The engine's own address is only for this folder's owner. DynamoDB tools use the proxy, which web pages cannot.
const proxy = given ? undefined : createEngineProxy(engine.endpoint);
const toolEndpoint = proxy ? await listen(proxy, 0) : engine.endpoint;
const port = Number(PORT) || (await freePort());
// Written before the server listens, so that the file is complete when the port answers.
const demo = await demoTeam(DEMO_FILE, {
  apiKeys: { ...apiKeysTable(db, names.apiKeys), ...apiKeysEditor(db, names.apiKeys) },
  allowlist: allowlistEditor(db, names.allowlist),
  keyFile: KEY_FILE,
  url: `http://127.0.0.1:${port}`,
  endpoint: toolEndpoint,
});
await listen(server, port).catch(async (error) => {
  await engine.stop();
  if (error.code !== 'EADDRINUSE') throw error;
  fail(`Port ${port} is in use. Stop the program that uses it, or choose another port: PORT=${port + 1} npm start`);
});

console.log(`AI log upload listens on ${demo.AILOG_URL}${UPLOAD_PATH}
Data: ${LOCAL_FOLDER}/, DynamoDB engine: ${toolEndpoint}

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
  proxy?.close().closeAllConnections();
  await engine.stop();
  process.exit(0);
}
process.once('SIGINT', stop).once('SIGTERM', stop);
