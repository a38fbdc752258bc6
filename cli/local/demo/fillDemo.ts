/** `npm run demo`: fills the local data with a made-up competition. docs/review.md lists its teams. */

import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { replaceFile } from '../../shell/files/write.ts';
import { exitCodes, Failure, failureOf } from '../../shell/terminal/failure.ts';
import { LOCAL_FOLDER, localIdentity, localPaths, localTables } from '../../store/targets/data.ts';
import { engineAt } from '../../store/targets/embeddedEngine.ts';
import { fileSeal } from '../../store/targets/seal.ts';
import { isLoopback } from '../../upload/access.ts';
import { createKeyFile, createTables, makePrivate } from '../localData.ts';
import { localRunOptions, writeLocalPolicy } from '../sequence.ts';
import { createCompetition, DAY_MS, DAYS, FIRST_DAY } from './competition.ts';
import { appendEarlier, DEMO_ORDERS_FILE, formatOrderExport, storedFirstDay, writeDemo } from './writeDemo.ts';

/** Reads the seed from the arguments; undefined if there is none. @throws Failure if there is any other argument */
function readSeed(): string | undefined {
  try {
    return parseArgs({ options: { seed: { type: 'string' } } }).values.seed;
  } catch (cause) {
    const advice = 'It only writes to the local data in .local/, and only takes --seed TEXT.';
    throw new Failure('usage', `npm run demo: ${(cause as Error).message.replace(/\.?$/, '.')}`, { cause, advice });
  }
}

/** Returns the engine that the environment names. @throws Failure if it is not on this machine */
function givenEngine({ AWS_ENDPOINT_URL_DYNAMODB, DYNAMODB_ENDPOINT }: NodeJS.ProcessEnv): string | undefined {
  const endpoint = AWS_ENDPOINT_URL_DYNAMODB || DYNAMODB_ENDPOINT || undefined;
  if (endpoint === undefined || (URL.canParse(endpoint) && isLoopback(new URL(endpoint)))) return endpoint;
  throw new Failure('usage', `The demo only runs on local data, and ${endpoint} is not on this machine.`, {
    advice: 'Unset AWS_ENDPOINT_URL_DYNAMODB and DYNAMODB_ENDPOINT to use the data in .local/.',
  });
}

async function fillTlog(db: DynamoDBDocumentClient): Promise<string> {
  const log = { db, tables: localTables, folder: localPaths.tlog, keyFile: localPaths.key };
  const size = await appendEarlier(db, localTables.aiLogs, localRunOptions(log));
  await writeLocalPolicy(log);
  return `Transparency log: ${size} log entries; its policy is ${localPaths.policy}.`;
}

async function fillDemo(): Promise<void> {
  const given = readSeed();
  const seed = given ?? '1';
  const endpoint = givenEngine(process.env);
  // Files of this process and of the engine are for their owner only.
  process.umask(0o077);
  makePrivate(LOCAL_FOLDER);
  createKeyFile(localPaths.key);
  const engine = await engineAt(endpoint, LOCAL_FOLDER);
  const client = new DynamoDBClient({ endpoint: engine.endpoint, ...localIdentity });
  try {
    await createTables(client, localTables);
    const db = DynamoDBDocumentClient.from(client);
    // A second run on another day writes the same data. A given seed gives the same data on every machine.
    const daysBeforeToday = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS;
    const firstDay = (await storedFirstDay(db, seed)) ?? (given === undefined ? daysBeforeToday : FIRST_DAY);
    const teams = createCompetition(seed, firstDay);
    const added = await writeDemo(teams, { seed, firstDay, db, seal: fileSeal(localPaths.key) });
    const orders = teams.flatMap((team) => team.orders).sort((a, b) => a.placedAt - b.placedAt);
    replaceFile(DEMO_ORDERS_FILE, formatOrderExport(orders));
    const tlog = await fillTlog(db);
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    console.log(`${added === 0 ? 'The demo is in the local data already' : 'Demo teams added'}: ${added || teams.length}, UIDs ${teams[0]?.uid} to ${teams.at(-1)?.uid}.
Days: ${dayOf(firstDay)} to ${dayOf(firstDay + (DAYS - 1) * DAY_MS)}.
AI logs: ${teams.flatMap(({ logs }) => logs).length}, orders: ${orders.length}, in ${DEMO_ORDERS_FILE}.
${tlog}
Next: npx ailog report --orders ${DEMO_ORDERS_FILE}`);
  } finally {
    client.destroy();
    await engine.stop();
  }
}

await fillDemo().catch((error) => {
  const { message, advice, outcome } = failureOf(error);
  console.error(advice === undefined ? message : `${message}\n${advice}`);
  process.exitCode = exitCodes[outcome];
});
