import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { kill } from '../../cli/shell/files/lock.ts';
import { type Demo, localTables } from '../../cli/store/targets/data.ts';
import { demoOf, start } from '../cli/local/service.ts';
import { clientAt, headerOf, signedUpload, temporaryFolder, type Upload } from '../setup/world.ts';

/** The number of times that service and engine are killed. */
const ROUNDS = process.env.THOROUGH ? 12 : 2;

/** Uploads in flight, and the milliseconds of load before the kill. */
const IN_FLIGHT = 8;
const LOAD_MS = 1000;

const folder = temporaryFolder();

/** Starts the local run in this folder and waits until it is ready. */
async function startLocal() {
  const { pid: service, exit } = await start(folder);
  const engine: number = JSON.parse(readFileSync(join(folder, '.local/engine.json'), 'utf8')).pid;
  return { demo: demoOf(folder), engine, service, exit };
}

let last: Awaited<ReturnType<typeof startLocal>> | undefined;
afterAll(async () => {
  if (!last) return;
  kill(last.service, 'SIGTERM');
  await last.exit;
});

let sent = 0;
/** A signed upload of the demo team, different from every other one. It can be sent again for almost a minute. */
function upload({ AILOG_ACCESS_KEY, AILOG_SECRET, AILOG_PASSPHRASE, AILOG_UID }: Demo): Upload {
  sent += 1;
  const timestamp = Date.now() + 20_000 + (sent % 9000);
  return signedUpload(
    { uid: AILOG_UID, accessKey: AILOG_ACCESS_KEY, secret: AILOG_SECRET, passphrase: AILOG_PASSPHRASE },
    { timestamp: () => timestamp },
  );
}

/** Sends an upload. @returns status and entry id, or undefined if the connection broke */
const send = ({ AILOG_URL }: Demo, { path, headers, body }: Upload) =>
  fetch(`${AILOG_URL}${path}`, {
    method: 'POST',
    headers: headers.map(([name, value]) => [name, value]),
    body: new Uint8Array(body),
  }).then(
    async (answer) => ({ status: answer.status, entryId: answer.headers.get('ai-log-id'), text: await answer.text() }),
    () => undefined,
  );

/** Sends an upload again until it is accepted. @returns the id of its entry */
async function settle(demo: Demo, one: Upload): Promise<string> {
  for (;;) {
    const answer = await send(demo, one);
    if (answer?.status === 200) return answer.entryId as string;
    if (answer?.status !== 429 && answer?.status !== 503)
      throw new Error(`Sent again: ${answer?.status} ${answer?.text}`);
    await sleep(500);
  }
}

/** The ids of all entries of the demo team. */
async function entryIds({ AILOG_DYNAMODB_ENDPOINT, AILOG_UID }: Demo): Promise<string[]> {
  const query = {
    TableName: localTables.aiLogs,
    KeyConditionExpression: 'uid = :uid',
    ExpressionAttributeValues: { ':uid': AILOG_UID },
    ProjectionExpression: 'entryId',
    ConsistentRead: true,
  };
  const pages = await Array.fromAsync(paginateQuery({ client: clientAt(AILOG_DYNAMODB_ENDPOINT) }, query));
  return pages.flatMap(({ Items = [] }) => Items.map(({ entryId }) => entryId));
}

test(`killed ${ROUNDS} times under load: every 200 has its entry, and uploads without a response can be sent again`, async () => {
  const accepted = new Set<string>();
  const statuses = new Set<number | undefined>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const run = await startLocal();
    let unanswered: Upload[] = [];
    let over = false;
    const work = async () => {
      while (!over) {
        const one = upload(run.demo);
        const answer = await send(run.demo, one);
        statuses.add(answer?.status);
        if (answer?.status === 200) accepted.add(answer.entryId as string);
        else if (answer?.status !== 429) unanswered.push(one);
        if (answer === undefined || answer.status === 429) await sleep(50);
      }
    };
    const workers = Array.from({ length: IN_FLIGHT }, work);
    const enough = accepted.size + 2 * IN_FLIGHT;
    await sleep(LOAD_MS);
    // The first upload takes long on a busy machine.
    while (accepted.size < enough) await sleep(10);
    // Kill the engine first in every other round, so that the service handles requests without it.
    const [first, second] = round % 2 ? [run.engine, run.service] : [run.service, run.engine];
    kill(first, 'SIGKILL');
    await sleep(100);
    // The engine ends by itself some time after its service.
    kill(second, 'SIGKILL');
    over = true;
    await Promise.all([...workers, run.exit]);

    last = await startLocal();
    const stored = await entryIds(last.demo);
    expect(new Set(stored).size).toBe(stored.length);
    expect([...accepted].filter((id) => !stored.includes(id))).toEqual([]);

    unanswered = unanswered
      .filter((one) => Number(headerOf(one, 'ACCESS-TIMESTAMP')) > Date.now() - 20_000)
      .slice(0, 20);
    expect(unanswered).not.toEqual([]);
    const { demo } = last;
    const settled = await Promise.all(unanswered.map((one) => settle(demo, one)));
    const now = await entryIds(demo);
    expect(now.filter((id) => settled.includes(id)).sort()).toEqual([...settled].sort());
    for (const id of settled) accepted.add(id);
    if (round < ROUNDS - 1) {
      kill(last.service, 'SIGKILL');
      kill(last.engine, 'SIGKILL');
      await last.exit;
    }
  }
  expect(accepted.size).toBeGreaterThan(ROUNDS * IN_FLIGHT);
  expect([...statuses].filter((status) => ![200, 429, 503, undefined].includes(status))).toEqual([]);
}, 600_000);
