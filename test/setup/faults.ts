import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import { type Call, type OtherCall, recognise } from './calls.ts';
import { startServer } from './server.ts';

/** A complete response: of the service behind the proxy, or one that the proxy makes up. */
interface Reply {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** A request in flight: its body, the response that the client waits for, and a way to forward it to the service. */
interface Exchange {
  readonly body: Buffer;
  readonly response: ServerResponse;
  readonly forward: () => Promise<Reply & { readonly body: Buffer }>;
  /** Waits by the clock of this process, which a test may give. */
  readonly wait: (ms: number) => Promise<void>;
  /** Ends every connection and rejects new ones. */
  readonly rejectAll: () => void;
}
type Act = (exchange: Exchange) => unknown;

const write = ({ response }: Exchange, { status, headers, body = '' }: Reply) =>
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);

const writeHalf = ({ response }: Exchange, { status, headers, body = '' }: Reply) =>
  new Promise<void>((resolve) => {
    response.writeHead(status, headers).write(body.slice(0, body.length / 2), () => resolve());
  });

const reset: Act = ({ response }) => response.socket?.resetAndDestroy();

/** Lets the service carry out a request, and then does something else than to answer. */
const afterwards =
  (act: Act): Act =>
  async (exchange) => {
    await exchange.forward();
    await act(exchange);
  };

/** An error in the format of DynamoDB. @param reasons the reasons of a throttled call */
const error = (status: number, type: string, ...reasons: string[]): Act => {
  const ThrottlingReasons = reasons.map((reason) => ({ reason, resource: 'arn:aws:dynamodb:local:0:table/T' }));
  const body = { __type: type, message: 'Sent by the fault proxy', ...(reasons.length > 0 && { ThrottlingReasons }) };
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  return (exchange) => write(exchange, { status, headers, body: JSON.stringify(body) });
};
const OF_TABLES = 'com.amazonaws.dynamodb.v20120810#';
const THROTTLED = `${OF_TABLES}ProvisionedThroughputExceededException`;
const OF_ACCOUNT = 'com.amazon.coral.availability#ThrottlingException';
const INTERNAL = error(500, `${OF_TABLES}InternalServerError`);
const BUSY = { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>Busy</h1>' };

/**
 * The faults of a call of the function. `applied` is true if the engine carries out the call anyway. After `hang`, the
 * client never gets a response.
 */
export const FAULTS = {
  throttled: { applied: false, act: error(400, THROTTLED) },
  'throttled as a table': { applied: false, act: error(400, THROTTLED, 'TableWriteAccountLimitExceeded') },
  'throttled by the account': { applied: false, act: error(400, OF_ACCOUNT) },
  'an error 500': { applied: false, act: INTERNAL },
  'a load balancer’s 503': { applied: false, act: (exchange: Exchange) => write(exchange, BUSY) },
  'no response': { applied: false, act: () => {} },
  'a reset': { applied: false, act: reset },
  rejected: { applied: false, act: ({ rejectAll }: Exchange) => rejectAll() },
  'a reset within the response': {
    applied: true,
    act: async (exchange: Exchange) => {
      await writeHalf(exchange, await exchange.forward());
      reset(exchange);
    },
  },
  'a response that stops halfway': {
    applied: true,
    act: async (exchange: Exchange) => {
      await writeHalf(exchange, await exchange.forward());
      // Sockets have clocks of their own: the client gives up by that of the machine.
      await once(exchange.response, 'close');
    },
  },
  'applied, then a reset': { applied: true, act: afterwards(reset) },
  hang: { applied: true, act: afterwards(() => {}) },
  'applied, then an error 500': { applied: true, act: afterwards(INTERNAL) },
  'a slow response': {
    applied: true,
    act: async (exchange: Exchange) => {
      await exchange.wait(700);
      write(exchange, await exchange.forward());
    },
  },
} as const satisfies Record<string, { applied: boolean; act: Act }>;
export type CallFault = keyof typeof FAULTS;

/** The faults of one call. `rejected` stops the proxy for every function behind it. */
export const LASTING = (Object.keys(FAULTS) as CallFault[]).filter((fault) => fault !== 'rejected');

/**
 * Faults that one team causes itself, which get a 429: one partition of the table or of an index takes only 1000 write
 * units a second. @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ThrottlingReason.html
 */
const OF_PARTITION = 'TableWriteKeyRangeThroughputExceeded';
export const PARTITION_FAULTS = {
  'throttled by its partition': error(400, THROTTLED, OF_PARTITION),
  'throttled by its partition of an index': error(400, OF_ACCOUNT, 'IndexWriteKeyRangeThroughputExceeded'),
  'throttled by its partition and by the account': error(
    400,
    THROTTLED,
    OF_PARTITION,
    'TableWriteAccountLimitExceeded',
  ),
} as const;

/**
 * A fault of a read from several tables: the one with this partition key is throttled, DynamoDB answers for the rest.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
 */
const leaveOut =
  (partitionKey: string): Act =>
  async (exchange) => {
    const asked: Record<string, { Keys: object[] }> = JSON.parse(exchange.body.toString()).RequestItems;
    const { body, ...rest } = await exchange.forward();
    const answer = JSON.parse(String(body));
    for (const [table, keys] of Object.entries(asked)) {
      if (!keys.Keys.some((key) => partitionKey in key)) continue;
      delete answer.Responses[table];
      answer.UnprocessedKeys[table] = keys;
    }
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    write(exchange, { ...rest, headers, body: JSON.stringify(answer) });
  };

/** Every fault that has a name. */
const ACTS: Readonly<Record<string, Act>> = {
  ...Object.fromEntries(Object.entries(FAULTS).map(([name, { act }]) => [name, act])),
  ...PARTITION_FAULTS,
  'without the key': leaveOut('accessKey'),
  'without the allowlist entry': leaveOut('uid'),
  pass: async (exchange) => write(exchange, await exchange.forward()),
  'break before': ({ response }) => response.destroy(),
  'lose the answer': afterwards(({ response }) => response.destroy()),
  drip: async (exchange) => {
    const { status, headers, body } = await exchange.forward();
    exchange.response.writeHead(status, { ...headers, connection: 'close' });
    for (const byte of String(body)) {
      if (exchange.response.closed) return;
      exchange.response.write(byte);
      await exchange.wait(1000);
    }
    exchange.response.end();
  },
};

/**
 * What happens to a request: a fault of a call, a response in place of the service's, which never receives the request
 * or has carried it out before, a change of the body of its response, or
 *
 * - `pass`: nothing
 * - `break before`: the connection breaks before the request reaches the service
 * - `lose the answer`: the service receives the request, then the connection breaks
 * - `drip`: the service receives the request, and the client gets the answer at one byte a second
 */
export type Fault =
  | CallFault
  | keyof typeof PARTITION_FAULTS
  | 'without the key'
  | 'without the allowlist entry'
  | 'pass'
  | 'break before'
  | 'lose the answer'
  | 'drip'
  | Reply
  | { readonly afterwards: Reply }
  | { readonly change: (body: Buffer) => string | Buffer };

const actOf = (fault: Fault): Act => {
  if (typeof fault === 'string') return ACTS[fault] as Act;
  if ('afterwards' in fault) return afterwards((exchange) => write(exchange, fault.afterwards));
  if (!('change' in fault)) return (exchange) => write(exchange, fault);
  return async (exchange) => {
    const { status, body } = await exchange.forward();
    write(exchange, { status, body: fault.change(body) });
  };
};

/** Returns the fault of the nth attempt (from 1) of a call, or undefined for none. */
export type Plan = (attempt: number) => Fault | undefined;

/** Returns the fault of a request, or undefined for none. */
export type Rule = (request: IncomingMessage, body: Buffer) => Fault | undefined;

/** A request that the proxy received, with its body in hex. */
interface SeenRequest {
  /** Path and query, as sent. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The number of requests that the proxies of this process work on. One that they leave without an answer is none. */
let working = 0;
export const areProxiesWorking = (): boolean => working > 0;

/** Forwards a request to the service and waits for its complete response. */
async function forward(target: string, { method = '', url = '', headers }: IncomingMessage, body: Buffer) {
  const call = request(new URL(target + url), { method, headers }).end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const { connection: _, 'transfer-encoding': __, ...rest } = answer.headers;
  return { status: answer.statusCode as number, headers: rest, body: Buffer.concat(await Array.fromAsync(answer)) };
}

/**
 * Starts a proxy in front of a service, such as DynamoDB or a witness. It applies planned faults, one per request in
 * their order, then those of the calls of an upload, then those of a rule. All other requests pass.
 */
export async function startFaultProxy(target: string) {
  const queue: Fault[] = [];
  let isFaulty = (_request: IncomingMessage, _body: Buffer) => true;
  const seen: SeenRequest[] = [];
  const plans = new Map<string, Plan>();
  let rule: Rule | undefined;

  /** Returns the fault of a call that a plan makes fail. */
  const ofCall = ({ headers }: IncomingMessage, body: Buffer): Fault | undefined => {
    if (plans.size === 0) return undefined;
    const name = recognise(String(headers['x-amz-target']), body);
    // The SDK counts its attempts in a header: `attempt=2; max=3`.
    const attempt = Number(/attempt=(\d+)/.exec(String(headers['amz-sdk-request']))?.[1]);
    return plans.get(String(name))?.(attempt);
  };

  const { server, url, port, close } = await startServer(async (from, response, body) => {
    // The bodies of a whole minute of uploads would not fit into memory.
    if (rule === undefined) seen.push({ url: from.url ?? '', headers: from.headers, body: body.toString('hex') });
    const planned = (isFaulty(from, body) ? queue.shift() : undefined) ?? ofCall(from, body);
    const fault = planned ?? rule?.(from, body) ?? 'pass';
    working += 1;
    try {
      await actOf(fault)({
        body,
        response,
        forward: () => forward(target, from, body),
        wait: async (ms) => {
          working -= 1;
          await new Promise((resolve) => setTimeout(resolve, ms));
          working += 1;
        },
        rejectAll: () => server.close().closeAllConnections(),
      });
    } catch {
      // The caller or the service closed the connection.
      response.destroy();
    } finally {
      working -= 1;
    }
  });

  return {
    url,
    /** Plans the faults of the next requests, and forgets the requests seen so far. */
    plan(...planned: readonly Fault[]): void {
      queue.splice(0, queue.length, ...planned);
      isFaulty = () => true;
      seen.length = 0;
    },
    /** Plans the faults of the next writes to DynamoDB. Reads pass. */
    planWrites(...planned: readonly Fault[]): void {
      this.planWritesOf('', ...planned);
    },
    /** Plans the faults of the next writes to DynamoDB whose body has a text. All else passes. */
    planWritesOf(text: string, ...planned: readonly Fault[]): void {
      this.plan(...planned);
      isFaulty = ({ headers }, body) =>
        /\.(PutItem|UpdateItem)$/.test(String(headers['x-amz-target'])) && body.includes(text);
    },
    /** Returns the requests since the last plan. */
    seen: () => [...seen],
    /** Makes a call for a subject (an access key, a UID or an IP address) fail as planned, until `heal`. */
    fail: (call: Call | OtherCall, subject: string, plan: Plan) => plans.set(`${call} ${subject}`, plan),
    heal: (call: Call | OtherCall, subject: string) => plans.delete(`${call} ${subject}`),
    /** Decides from now on about each request that no plan makes fail; undefined: it passes. */
    decide: (next?: Rule) => {
      rule = next;
    },
    listening: () => server.listening,
    /** Listens again, after a fault that rejected connections. */
    listen: () => once(server.listen(port, '127.0.0.1'), 'listening'),
    close,
  };
}
