import { statSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { lock } from '../shell/files/lock.ts';
import { makeFolder } from '../shell/files/write.ts';
import { isPort } from '../shell/terminal/arguments.ts';
import { Failure, failureOf } from '../shell/terminal/failure.ts';
import { allowlistEditor } from '../store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../store/tables/apiKeysEditor.ts';
import { LOCAL_FOLDER, localPaths, localTables } from '../store/targets/data.ts';
import { type Engine, engineAt } from '../store/targets/embeddedEngine.ts';
import { demoTeam, uploadCommand } from './demoTeam.ts';
import { createEngineProxy } from './engineProxy.ts';
import { createKeyFile, createTables, makePrivate } from './localData.ts';
import { environmentFor, type LocalRun, readLocalRun, type START_VARIABLES, USAGE } from './localSettings.ts';
import { startSequencer, writeLocalPolicy } from './sequence.ts';
import { createLocalServer, describeAnswer, listen } from './serve.ts';
import { TLOG_PATH } from './serveTlog.ts';

const DEFAULT_PORT = '8787';

/** Returns an error as text: a failure or an error of the file system in words, another with where it occurred. */
function describe(error: unknown): string {
  const { message, advice, outcome } = failureOf(error);
  if (outcome === 'internal' && !(error instanceof Failure)) return inspect(error);
  return advice === undefined ? message : `${message}\n${advice}`;
}

/** Everything that ends with this run. The newest part ends first. */
const ending = new AsyncDisposableStack();

const DATA_FILE = join(LOCAL_FOLDER, 'dynamodb.sqlite');
const DATA_LOST = `${DATA_FILE} was removed or replaced while npm start used it. Uploads are no longer kept.`;

/** Watches the file that the engine writes: without its name, what is written is lost when the engine ends. */
function watchData() {
  const inode = () => statSync(DATA_FILE, { throwIfNoEntry: false })?.ino;
  const opened = inode();
  const keepsData = () => inode() === opened;
  const lost = new Promise<never>((_resolve, reject) => {
    const check = () => {
      if (!keepsData()) reject(new Failure('internal', DATA_LOST, { advice: 'Run npm start again for empty data.' }));
    };
    setInterval(check, 500).unref();
  });
  return { keepsData, lost };
}

/** Creates the tables that are missing. @throws Failure if the DynamoDB at the endpoint cannot be used */
async function connect(endpoint: string, { json, environment: settings }: LocalRun): Promise<DynamoDBDocumentClient> {
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

/** Starts the service on an engine of this folder or a given one, and says how. @throws Failure when data is lost */
async function serve({ endpoint }: Engine, run: LocalRun, port: string, given: boolean): Promise<void> {
  const db = await connect(endpoint, run);
  const { keepsData, lost } = given ? { keepsData: () => true, lost: new Promise<never>(() => {}) } : watchData();
  const { CHECKPOINT_KEYS: checkpointKeys = '1', ENTRY_RETENTION_DAYS: retentionDays = '0' } = run.environment;
  const log = {
    ...{ db, tables: localTables, folder: localPaths.tlog, keyFile: localPaths.key },
    ...{ checkpointKeys, retentionDays: Number(retentionDays), witnesses: run.witnesses },
  };
  // Made before the function loads, so that the first upload has a receipt.
  await writeLocalPolicy(log, Number(run.environment.RECEIPT_KEY));
  const ready = Promise.withResolvers<void>();
  const { server, idle } = await createLocalServer(join(LOCAL_FOLDER, 'bundle'), {
    onAnswer: (answered) => {
      if (!run.json) console.log(describeAnswer(answered, Date.now()));
    },
    ready: ready.promise,
    keepsData,
    tlogFolder: localPaths.tlog,
  });
  ending.defer(idle);
  // The port is taken first: only then is it known, and a second start fails before it changes the files of the first.
  const url = await listenOn(server, Number(port));
  // The engine's own address is only for this folder's owner. DynamoDB tools use the proxy, which web pages cannot.
  const proxy = given ? undefined : createEngineProxy(endpoint);
  const toolEndpoint = proxy ? await listen(proxy, 0) : endpoint;
  const demo = await demoTeam(localPaths.demo, {
    apiKeys: apiKeysEditor({ db, tables: localTables }),
    allowlist: allowlistEditor({ db, tables: localTables }),
    keyFile: localPaths.key,
    url,
    endpoint: toolEndpoint,
    report: (found) => console.error(found),
  });
  // Requests are answered from here on, so the demo file is complete when the port answers.
  ready.resolve();
  const report = (message: string) => console.error(`Transparency log: ${message}`);
  ending.defer(startSequencer(log, report));
  ending.defer(() => {
    for (const one of [server, proxy]) one?.close().closeAllConnections();
  });

  console.log(`AI log upload listens on ${demo.AILOG_URL}${UPLOAD_PATH}
Data: ${LOCAL_FOLDER}/, DynamoDB engine: ${toolEndpoint}
Transparency log: ${demo.AILOG_URL}${TLOG_PATH}

Demo team, also in ${localPaths.demo}:
  UID          ${demo.AILOG_UID}
  ACCESS-KEY   ${demo.AILOG_ACCESS_KEY}
  secret       ${demo.AILOG_SECRET}
  passphrase   ${demo.AILOG_PASSPHRASE}

Upload a log: paste this into another terminal, in this folder.

${uploadCommand(localPaths.demo)}

Each upload shows here as one line. Ctrl-C ends.
`);
  await lost;
}

async function runService(): Promise<void> {
  const env: Partial<Record<(typeof START_VARIABLES)[number], string>> = process.env;
  const { PORT = DEFAULT_PORT, DYNAMODB_ENDPOINT: given } = env;
  if (!isPort(PORT)) {
    throw new Failure('usage', `PORT must be a number from 0 (any free port) to 65535, not "${PORT}".`);
  }
  if (given !== undefined && !/^https?:\/\/./.test(given)) {
    throw new Failure('usage', `DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "${given}".`);
  }
  const run = readLocalRun(process.argv.slice(2), env);

  // Files of this process and of the engine are for their owner only, and so are those copied into the folder.
  process.umask(0o077);
  makeFolder(LOCAL_FOLDER);
  ending.defer(await lock(localPaths.startLock, 0, { doing: 'running npm start in this folder', is: 'npm start' }));
  makePrivate(LOCAL_FOLDER);
  createKeyFile(localPaths.key);

  // From here on, a signal ends the engine too, even while the engine starts.
  const stopped = Promise.withResolvers<void>();
  process.once('SIGINT', () => stopped.resolve()).once('SIGTERM', () => stopped.resolve());
  const starting = engineAt(given, LOCAL_FOLDER);
  ending.defer(async () => (await starting.catch(() => undefined))?.stop());
  await Promise.race([stopped.promise, starting.then((engine) => serve(engine, run, PORT, given !== undefined))]);
}

if (process.argv.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
let failure: { readonly cause: unknown } | undefined;
try {
  await runService();
} catch (cause) {
  failure = { cause };
}
await ending.disposeAsync();
// Last, so that no line of a request stands below it.
if (failure) console.error(describe(failure.cause));
process.exit(failure ? 1 : 0);
