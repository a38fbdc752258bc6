import { mkdirSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { receiptKeyTable } from '../../functions/sequencer/receiptKeys.ts';
import { lock } from '../files/lock.ts';
import { allowlistEditor } from '../tables/allowlistEditor.ts';
import { apiKeysEditor } from '../tables/apiKeysEditor.ts';
import {
  DEMO_FILE,
  KEY_FILE,
  LOCAL_FOLDER,
  LOCAL_ORIGIN,
  localTables,
  START_LOCK,
  TLOG_FOLDER,
} from '../target/data.ts';
import { type Engine, startEngine } from '../target/engine.ts';
import { Failure, failureOf } from '../terminal/failure.ts';
import { createTables } from './createTables.ts';
import { createKeyFile, demoTeam, uploadCommand } from './demo.ts';
import { createEngineProxy } from './engineProxy.ts';
import { environmentFor } from './environment.ts';
import { readLocalRun, type START_VARIABLES, USAGE } from './localSettings.ts';
import { makePrivate } from './makePrivate.ts';
import { startSequencer } from './sequence.ts';
import { localReceiptKey } from './sequenceKeys.ts';
import { createLocalServer, describeAnswer, listen } from './serve.ts';
import { writeLocalPolicy } from './writeLocalPolicy.ts';

const DEFAULT_PORT = '8787';

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function readRun() {
  try {
    return readLocalRun(process.argv.slice(2), process.env);
  } catch (error) {
    return fail((error as Error).message);
  }
}

/** Returns an error as text: a failure or an error of the file system in words, another with where it occurred. */
function describe(error: unknown): string {
  const { message, advice, outcome } = failureOf(error);
  if (outcome === 'internal' && !(error instanceof Failure)) return inspect(error);
  return advice === undefined ? message : `${message}\n${advice}`;
}

/** Makes the folder of the data private, and takes it for this run. @returns a function that gives it back */
async function prepareFolder(): Promise<() => void> {
  try {
    mkdirSync(LOCAL_FOLDER, { recursive: true });
    const release = await lock(START_LOCK, 0, { doing: 'running npm start in this folder', is: 'npm start' });
    makePrivate(LOCAL_FOLDER);
    createKeyFile(KEY_FILE);
    return release;
  } catch (error) {
    return fail(describe(error));
  }
}

if (process.argv.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
const env: Partial<Record<(typeof START_VARIABLES)[number], string>> = process.env;
const { PORT = DEFAULT_PORT, DYNAMODB_ENDPOINT: given } = env;
if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) {
  fail(`PORT must be a number from 0 (any free port) to 65535, not "${PORT}".`);
}
if (given !== undefined && !/^https?:\/\/./.test(given)) {
  fail(`DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "${given}".`);
}
const { json, environment: settings } = readRun();

// Files of this process and of the engine are for their owner only, and so are those that were copied into the folder.
process.umask(0o077);
const unlock = await prepareFolder();

const DATA_FILE = join(LOCAL_FOLDER, 'dynamodb.sqlite');
const DATA_CHECK_MS = 500;

/** Watches the file that the engine writes: without its name, what is written is lost when the engine ends. */
function watchData() {
  const inode = () => statSync(DATA_FILE, { throwIfNoEntry: false })?.ino;
  const opened = inode();
  const keepsData = () => inode() === opened;
  const lost = new Promise<never>((_resolve, reject) => {
    const check = () => {
      if (!keepsData()) reject(new Failure('internal', DATA_LOST, { advice: 'Run npm start again for empty data.' }));
    };
    setInterval(check, DATA_CHECK_MS).unref();
  });
  return { keepsData, lost };
}

const DATA_LOST = `${DATA_FILE} was removed or replaced while npm start used it. Uploads are no longer kept.`;

// From here on a signal ends the engine too, even one that arrives while it starts.
const stopped = new Promise<void>((resolve) => {
  process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve());
});
const servers: Server[] = [];
let stopSequencer = async () => {};
let untilIdle = async () => {};
const starting: Promise<Engine> = given
  ? Promise.resolve({ endpoint: given, stop: async () => {} })
  : startEngine(LOCAL_FOLDER).catch((error) => {
      throw error instanceof Failure ? error : new Failure('internal', error.message);
    });

/** Creates the tables that are missing. @throws Failure if the DynamoDB at the endpoint cannot be used */
async function connect(endpoint: string): Promise<DynamoDBDocumentClient> {
  try {
    const environment = await environmentFor(endpoint, settings);
    // Without --json, only failures of the service are logged in full.
    Object.assign(process.env, json ? {} : { LOG_LEVEL: 'ERROR' }, environment);
    const client = new DynamoDBClient();
    await createTables(client, localTables);
    return DynamoDBDocumentClient.from(client);
  } catch (error) {
    const { message, name } = error as Error;
    throw new Failure('unreachable', `Cannot use the DynamoDB at ${endpoint}: ${message || name}`);
  }
}

/** Makes the server listen. @returns the base URL @throws Failure if the port is in use or not permitted */
async function listenOn(server: Server, port: number): Promise<string> {
  try {
    return await listen(server, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const another = `choose another port: PORT=${port < 1024 || port === 65_535 ? DEFAULT_PORT : port + 1} npm start`;
    if (code === 'EADDRINUSE') {
      throw new Failure('usage', `Port ${port} is in use. Stop the program that uses it, or ${another}`);
    }
    if (code === 'EACCES') throw new Failure('usage', `You may not listen on port ${port}; ${another}`);
    throw error;
  }
}

/** Starts the service on an engine, and prints how to use it. @throws Failure when its data is lost */
async function serve({ endpoint }: Engine): Promise<void> {
  const db = await connect(endpoint);
  const { keepsData, lost } = given ? { keepsData: () => true, lost: undefined } : watchData();
  // Made before the function loads, so that the first upload has a receipt.
  const receiptKeys = receiptKeyTable(db, localTables.tlog, localReceiptKey(KEY_FILE));
  await writeLocalPolicy(db, await receiptKeys.ensure(LOCAL_ORIGIN, Date.now(), AbortSignal.timeout(10_000)));
  const ready = Promise.withResolvers<void>();
  const { server, idle } = await createLocalServer(join(LOCAL_FOLDER, 'bundle'), {
    onAnswer: (answered) => {
      if (!json) console.log(describeAnswer(answered, Date.now()));
    },
    ready: ready.promise,
    keepsData,
  });
  servers.push(server);
  untilIdle = idle;
  // The port is taken first: only then is it known, and a second start fails before it changes the files of the first.
  const url = await listenOn(server, Number(PORT));
  // The engine's own address is only for this folder's owner. DynamoDB tools use the proxy, which web pages cannot.
  const proxy = given ? undefined : createEngineProxy(endpoint);
  if (proxy) servers.push(proxy);
  const toolEndpoint = proxy ? await listen(proxy, 0) : endpoint;
  const demo = await demoTeam(DEMO_FILE, {
    apiKeys: { ...apiKeysTable(db, localTables.apiKeys), ...apiKeysEditor(db, localTables.apiKeys) },
    allowlist: { ...allowlistTable(db, localTables.allowlist), ...allowlistEditor(db, localTables.allowlist) },
    keyFile: KEY_FILE,
    url,
    endpoint: toolEndpoint,
    report: (found) => console.error(found),
  });
  // Requests are answered from here on, so the demo file is complete when the port answers.
  ready.resolve();
  const log = { db, tables: localTables, folder: TLOG_FOLDER, keyFile: KEY_FILE };
  stopSequencer = startSequencer({ ...log, checkpointKeys: settings.CHECKPOINT_KEYS ?? '1' }, (message) =>
    console.error(`Transparency log: ${message}`),
  );

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
  await (lost ?? stopped);
}

let exitCode = 0;
try {
  await Promise.race([stopped, starting.then(serve)]);
} catch (error) {
  console.error(describe(error));
  exitCode = 1;
}
for (const server of servers) server.close().closeAllConnections();
await Promise.all([stopSequencer(), untilIdle()]);
const engine = await starting.catch(() => undefined);
await engine?.stop();
unlock();
process.exit(exitCode);
