import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The calls of an upload, in the order in which the function makes them. With a key whose owner it does not know yet,
 * it reads the key and the allowlist entry one after the other, later both with one call: `read records`.
 */
// biome-ignore format: several a line
export const CALLS = [
  'get key', 'get allowlist entry', 'read records', 'consume uid', 'consume ip', 'put entry',
] as const;
export type Call = (typeof CALLS)[number];

/** The call with which a command reads the entries of a UID. */
type ReadCall = 'query entries';

/** A complete response of the engine. */
type Reply = Readonly<{ status: number; headers: Record<string, string>; body: Buffer }>;

/**
 * A call in flight: its body, the response that the function waits for, and a way to forward the call to the engine.
 */
interface Exchange {
  readonly call: Buffer;
  readonly response: ServerResponse;
  readonly forward: () => Promise<Reply>;
  /** Ends every connection and rejects new ones. */
  readonly failRequest: () => void;
}

const write = ({ response }: Exchange, { status, headers, body }: Reply) =>
  response.writeHead(status, headers).end(body);

/** Sends the head of a response and half of its body. */
const writeHalf = ({ response }: Exchange, { status, headers, body }: Reply) =>
  new Promise<void>((resolve) => {
    response.writeHead(status, headers).write(body.subarray(0, body.length / 2), () => resolve());
  });

const reset = ({ response }: Exchange) => response.socket?.resetAndDestroy();

/** An error in the format of DynamoDB. @param reasons the reasons of a throttled call */
const error =
  (status: number, type: string, ...reasons: string[]) =>
  async (exchange: Exchange) => {
    const ThrottlingReasons = reasons.map((reason) => ({ reason, resource: 'arn:aws:dynamodb:local:0:table/T' }));
    const body = { __type: type, message: 'Sent by the fault proxy', ...(reasons.length > 0 && { ThrottlingReasons }) };
    write(exchange, {
      status,
      headers: { 'Content-Type': 'application/x-amz-json-1.0' },
      body: Buffer.from(JSON.stringify(body)),
    });
  };

const THROTTLED = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException';

/** The faults of a call. `applied` is true if the engine carries out the call anyway. */
export const FAULTS = {
  throttled: { applied: false, act: error(400, THROTTLED) },
  'throttled as a table': { applied: false, act: error(400, THROTTLED, 'TableWriteAccountLimitExceeded') },
  'throttled by the account': { applied: false, act: error(400, 'com.amazon.coral.availability#ThrottlingException') },
  'an error 500': { applied: false, act: error(500, 'com.amazonaws.dynamodb.v20120810#InternalServerError') },
  'a load balancer’s 503': {
    applied: false,
    act: async (exchange) =>
      write(exchange, { status: 503, headers: { 'Content-Type': 'text/html' }, body: Buffer.from('<h1>Busy</h1>') }),
  },
  'no response': { applied: false, act: async () => {} },
  'a reset': { applied: false, act: async (exchange) => reset(exchange) },
  rejected: { applied: false, act: async ({ failRequest }) => failRequest() },
  'a reset within the response': {
    applied: true,
    act: async (exchange) => {
      await writeHalf(exchange, await exchange.forward());
      reset(exchange);
    },
  },
  'a response that stops halfway': {
    applied: true,
    act: async (exchange) => writeHalf(exchange, await exchange.forward()),
  },
  'applied, then a reset': {
    applied: true,
    act: async (exchange) => {
      await exchange.forward();
      reset(exchange);
    },
  },
  'applied, then no response': {
    applied: true,
    act: async ({ forward }) => {
      await forward();
    },
  },
  'applied, then an error 500': {
    applied: true,
    act: async (exchange) => {
      await exchange.forward();
      await FAULTS['an error 500'].act(exchange);
    },
  },
  'a slow response': {
    applied: true,
    act: async (exchange) => {
      await sleep(700);
      write(exchange, await exchange.forward());
    },
  },
} as const satisfies Record<string, { applied: boolean; act: (exchange: Exchange) => Promise<unknown> }>;
export type Fault = keyof typeof FAULTS;

/** The faults of one call. `rejected` stops the proxy for every function behind it. */
export const LASTING = (Object.keys(FAULTS) as Fault[]).filter((fault) => fault !== 'rejected');

/**
 * Faults that one team causes itself, which get a 429: one partition of the table or of an index takes only 1000 write
 * units a second. @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ThrottlingReason.html
 */
export const PARTITION_FAULTS = {
  'throttled by its partition': error(400, THROTTLED, 'TableWriteKeyRangeThroughputExceeded'),
  'throttled by its partition of an index': error(
    400,
    'com.amazon.coral.availability#ThrottlingException',
    'IndexWriteKeyRangeThroughputExceeded',
  ),
  'throttled by its partition and by the account': error(
    400,
    THROTTLED,
    'TableWriteKeyRangeThroughputExceeded',
    'TableWriteAccountLimitExceeded',
  ),
} as const;

/**
 * Returns a fault of a read from several tables: the answer contains nothing from the table with this partition key.
 */
const leaveOut = (partitionKey: string) => async (exchange: Exchange) => {
  const asked: Record<string, { Keys: object[] }> = JSON.parse(exchange.call.toString()).RequestItems;
  const { status, body } = await exchange.forward();
  const answer = JSON.parse(body.toString());
  for (const [table, keys] of Object.entries(asked)) {
    if (!keys.Keys.some((key) => partitionKey in key)) continue;
    delete answer.Responses[table];
    answer.UnprocessedKeys[table] = keys;
  }
  write(exchange, {
    status,
    headers: { 'Content-Type': 'application/x-amz-json-1.0' },
    body: Buffer.from(JSON.stringify(answer)),
  });
};

/**
 * Faults of the read of key and allowlist entry: one table is throttled, and DynamoDB answers for the other one.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
 */
const LEFT_OUT = { 'without the key': leaveOut('accessKey'), 'without the allowlist entry': leaveOut('uid') } as const;

/** Every fault, by its name. */
const ALL_FAULTS = { ...FAULTS, ...PARTITION_FAULTS, ...LEFT_OUT };

/** Returns the fault of the nth attempt (from 1) of a call, or undefined for none. */
export type Plan = (attempt: number) => keyof typeof ALL_FAULTS | undefined;

/** Returns the fault of a request, or undefined for none. @param body of a call, as JSON */
type Rule = (call: Call, body: string) => ReturnType<Plan>;

/** Reads the receipt key, once in each function; its subject is the id of the item. */
type OtherCall = 'get receipt key';

/** Identifies a request to the engine: its call and its subject (an access key, a UID or an IP address). */
function recognise(target: string, body: Buffer): `${Call | OtherCall | ReadCall} ${string}` | undefined {
  const {
    Key: key,
    Item: item,
    ExpressionAttributeValues: values,
    RequestItems: tables = {},
  } = JSON.parse(body.toString());
  const read = Object.values<{ Keys: Record<string, { S: string }>[] }>(tables).flatMap(({ Keys }) => Keys);
  if (read.length > 0) return `read records ${read.find(({ accessKey }) => accessKey)?.accessKey?.S}`;
  if (target.endsWith('.Query') && values?.[':uid']) return `query entries ${values[':uid'].S}`;
  if (target.endsWith('.PutItem') && item.entryId) return `put entry ${item.uid.S}`;
  if (key?.id) return `get receipt key ${key.id.S}`;
  if (key?.subjectWindow) {
    const [kind, subject] = key.subjectWindow.S.split('#');
    return kind === 'uid' ? `consume uid ${subject}` : `consume ip ${subject}`;
  }
  if (key?.accessKey) return `get key ${key.accessKey.S}`;
  return key?.uid ? `get allowlist entry ${key.uid.S}` : undefined;
}

/** An HTTP proxy in front of a DynamoDB engine. It makes chosen calls fail and forwards all others. */
export async function openFaultProxy(engine: string) {
  const plans = new Map<string, Plan>();
  let rule: Rule | undefined;
  const failRequest = () => server.close().closeAllConnections();
  const server = createServer(async (incoming, response) => {
    try {
      const body = Buffer.concat(await Array.fromAsync(incoming));
      const exchange = { call: body, response, forward: () => forward(engine, incoming, body), failRequest };
      const name = recognise(String(incoming.headers['x-amz-target']), body);
      // The SDK counts its attempts in a header: `attempt=2; max=3`.
      const attempt = Number(/attempt=(\d+)/.exec(String(incoming.headers['amz-sdk-request']))?.[1]);
      const call = CALLS.find((one) => name?.startsWith(one));
      const fault = plans.get(String(name))?.(attempt) ?? (call && rule?.(call, body.toString()));
      if (fault === undefined) write(exchange, await exchange.forward());
      else {
        const chosen = ALL_FAULTS[fault];
        await ('act' in chosen ? chosen.act : chosen)(exchange);
      }
    } catch {
      // The caller or the engine closed the connection.
      response.destroy();
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** Makes a call for a subject (an access key, a UID or an IP address) fail as planned, until `heal`. */
    fail: (call: Call | OtherCall | ReadCall, subject: string, plan: Plan) => plans.set(`${call} ${subject}`, plan),
    /** Decides about each call of an upload that no plan makes fail. */
    decide: (next: Rule) => {
      rule = next;
    },
    heal: (call: Call | OtherCall | ReadCall, subject: string) => plans.delete(`${call} ${subject}`),
    listening: () => server.listening,
    listen: () => listen(port),
    close: failRequest,
  };
}

/** Forwards a request to the engine and waits for its complete response. */
function forward(engine: string, { method, headers }: IncomingMessage, body: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(engine, { method: method as string, headers });
    call.once('error', reject).once('response', async (answer) => {
      const chunks = await Array.fromAsync(answer);
      const { connection: _, 'transfer-encoding': __, ...rest } = answer.headers;
      resolve({
        status: answer.statusCode as number,
        headers: rest as Record<string, string>,
        body: Buffer.concat(chunks),
      });
    });
    call.end(body);
  });
}
