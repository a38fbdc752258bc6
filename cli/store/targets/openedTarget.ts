import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Entry } from '../../../functions/ailog/entry.ts';
import type { Decrypt } from '../../../functions/auth/credentialStore.ts';
import type { VerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import type { RowBucket } from '../../../functions/indexer/rowBucket.ts';
import type { TableId } from '../../../infra/tables.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { agentOptions } from '../../shell/terminal/proxy.ts';
import type { Seal } from './seal.ts';
import type { TlogFiles } from './tlogFiles.ts';

/** The region and profile of a deployment; undefined: those of the environment. */
export type Account = Readonly<{ region?: string | undefined; profile?: string | undefined }>;

/** The client timeouts in milliseconds, so that a lost packet does not block a command forever. */
export const timeouts = {
  requestHandler: { connectionTimeout: 5000, requestTimeout: 20_000, throwOnRequestTimeout: true },
};

export const clientSettings = ({ region, profile }: Account) => ({
  ...(region && { region }),
  ...(profile && { profile }),
  requestHandler: { ...timeouts.requestHandler, httpsAgent: agentOptions() },
});

export type ClientSettings = ReturnType<typeof clientSettings>;

interface Tlog {
  readonly origin: string;
  readonly files: TlogFiles;
  /** The setting `witnesses`: a C2SP tlog-policy; undefined: no witnesses. */
  readonly witnesses: string | undefined;
  readonly checkpointKeys: () => Promise<readonly VerifierKey[]>;
}

export interface DeployedRows {
  readonly files: RowBucket;
  /** For Athena: the names of the bucket, the database and the workgroup, and settings for clients. */
  readonly bucket: string;
  readonly database: string;
  readonly workgroup: string;
  readonly settings: ClientSettings;
}

/** An identity: in AWS, its unique id (`aws:userid` in policies) and its ARN; locally, `local:NAME` twice. */
export type Caller = Readonly<Record<'id' | 'arn', string>>;

/** The parts of a target that a deployment and the local run open in their own way. */
export interface OpenedTarget {
  /** The name of the stack, or `the local data`. Questions name it. */
  readonly name: string;
  /** The base URL of the service. Undefined if the local run has not started yet. */
  readonly baseUrl: string | undefined;
  readonly tlogUrl: string | undefined;
  /** The settings of a deployment as texts, empty if an earlier version deployed it; and its policy of witnesses. */
  readonly deployed?: { readonly settings: Readonly<Record<string, string>>; readonly witnesses: string | undefined };
  readonly db: DynamoDBDocumentClient;
  readonly tables: Readonly<Record<TableId, string>>;
  readonly seal: Seal;
  readonly decrypt: Decrypt;
  readonly who: () => Promise<string>;
  readonly caller: () => Promise<Caller>;
  readonly rowsFolder: string;
  /** Opens the feature rows of a deployment; undefined without the setting `analytics`. */
  readonly openRows?: () => Promise<DeployedRows | undefined>;
  /** Opens the transparency log. It is loaded only for the commands that need it. */
  readonly openTlog: () => Promise<Tlog>;
}

/** Opens the feature rows of a deployment. @throws Failure if it has none */
export async function requireDeployedRows({ name, openRows }: OpenedTarget): Promise<DeployedRows> {
  const rows = await openRows?.();
  if (rows) return rows;
  const advice = 'Set analytics of its stage in cdk.json, deploy, and give its name with --stack.';
  throw new Failure('usage', `${name} has no bucket of feature rows.`, { advice });
}

const ignore = () => {};

/** For the client of the tables: the SDK copies each page for a logger that has `info`, as its own has. */
export const unlogged = {
  logger: { debug: ignore, warn: ignore, error: ignore } as NonNullable<DynamoDBClientConfig['logger']>,
};

/** Returns a document client. Undefined properties, such as a missing label, are not stored. */
export const documents = (client: DynamoDBClient) =>
  DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: nativeNumber },
  });

/** Reads all items of a table, page by page, in no particular order. */
export async function* scan<Item>(db: DynamoDBDocumentClient, input: ScanCommandInput): AsyncGenerator<Item> {
  for await (const { Items = [] } of paginateScan({ client: db }, input)) yield* Items as Item[];
}

/** Returns a signal that aborts one read from a table or a key service after 10 s. */
export const readTimeout = (): AbortSignal => AbortSignal.timeout(10_000);

/** Returns a number of DynamoDB as the closest native one. The SDK throws for some, and then for the whole page. */
export const nativeNumber = (text: string): number | bigint =>
  Number.isSafeInteger(Number(text)) || !/^-?\d+$/.test(text) ? Number(text) : BigInt(text);

/** Returns an item as an entry. An order id that is not an integer stays as it is, so that verification finds it. */
export function toEntry(item: Record<string, unknown>): Entry {
  if (Number.isInteger(item.orderId)) item.orderId = BigInt(item.orderId as number);
  return item as unknown as Entry;
}
