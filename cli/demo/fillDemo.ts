/**
 * `npm run demo`: fills the local data with a made-up competition, for trying out the reviewer's commands.
 * docs/review.md lists its teams.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createTables } from '../local/createTables.ts';
import { createKeyFile } from '../local/demo.ts';
import { makePrivate } from '../local/makePrivate.ts';
import { KEY_FILE, LOCAL_FOLDER, localIdentity, localTables } from '../target/data.ts';
import { startEngine } from '../target/engine.ts';
import { fileSeal } from '../target/seal.ts';
import { exitCodes, Failure, failureOf } from '../terminal/failure.ts';
import { createCompetition } from './competition.ts';
import { requestBackfill } from './requestBackfill.ts';
import { DEMO_ORDERS_FILE, formatOrderExport, writeDemo } from './writeDemo.ts';

/** Reads the seed from the arguments. @throws Failure if there is any other argument */
function readSeed(): string {
  try {
    return parseArgs({ options: { seed: { type: 'string', default: '1' } } }).values.seed;
  } catch (cause) {
    const advice = 'It only writes to the local data in .local/, and only takes --seed TEXT.';
    throw new Failure('usage', `npm run demo: ${(cause as Error).message.replace(/\.?$/, '.')}`, { cause, advice });
  }
}

/** Returns the engine that the environment names. @throws Failure if it is not on this machine */
function givenEngine({ AWS_ENDPOINT_URL_DYNAMODB, DYNAMODB_ENDPOINT }: NodeJS.ProcessEnv): string | undefined {
  const endpoint = AWS_ENDPOINT_URL_DYNAMODB || DYNAMODB_ENDPOINT || undefined;
  const host = endpoint && URL.parse(endpoint)?.hostname;
  if (endpoint === undefined || host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host ?? '')) {
    return endpoint;
  }
  throw new Failure('usage', `The demo only runs on local data, and ${endpoint} is not on this machine.`, {
    advice: 'Unset AWS_ENDPOINT_URL_DYNAMODB and DYNAMODB_ENDPOINT to use the data in .local/.',
  });
}

async function fillDemo(): Promise<void> {
  const seed = readSeed();
  const given = givenEngine(process.env);
  // Files of this process and of the engine are for their owner only.
  process.umask(0o077);
  makePrivate(LOCAL_FOLDER);
  createKeyFile(KEY_FILE);
  const engine = given ? { endpoint: given, stop: async () => {} } : await startEngine(LOCAL_FOLDER);
  const client = new DynamoDBClient({ endpoint: engine.endpoint, ...localIdentity });
  try {
    await createTables(client, localTables);
    const teams = createCompetition(seed);
    const db = DynamoDBDocumentClient.from(client);
    const added = await writeDemo(teams, { seed, db, seal: fileSeal(KEY_FILE) });
    if (added > 0) await requestBackfill(db, localTables.tlog);
    const orders = teams.flatMap((team) => team.orders).sort((a, b) => a.placedAt - b.placedAt);
    writeFileSync(DEMO_ORDERS_FILE, formatOrderExport(orders), { mode: 0o600 });
    console.log(`${added === 0 ? 'The demo is in the local data already' : 'Demo teams added'}: ${added || teams.length}, UIDs ${teams[0]?.uid} to ${teams.at(-1)?.uid}.
AI logs: ${teams.flatMap(({ logs }) => logs).length}, orders: ${orders.length}, in ${DEMO_ORDERS_FILE}.
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
