import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { TableShape } from '../../functions/tables.ts';
import { receiptKeyIds } from '../../functions/tlog/receiptKeyTable.ts';
import { adoptedTables, keepsData, type Settings } from '../settings.ts';
import { perTable, type TableId, tables } from '../tables.ts';
import { allow } from './allow.ts';

const ATTRIBUTE_TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER, B: AttributeType.BINARY } as const;

function keyOf({ partitionKey, sortKey }: Pick<TableShape, 'partitionKey' | 'sortKey'>) {
  const attribute = ({ name, type }: TableShape['partitionKey']) => ({ name, type: ATTRIBUTE_TYPES[type] });
  return { partitionKey: attribute(partitionKey), ...(sortKey && { sortKey: attribute(sortKey) }) };
}

type StoredTable = Pick<ITableV2, 'tableName' | 'tableArn'> & { readonly tableStreamArn?: string | undefined };

/** The write units that a new on-demand table takes, and the least to set. Source: DynamoDB Developer Guide. */
const WRITE_UNITS_TAKEN = 4000;

/** The write units of one upload: two counters, and an entry of 5 KB (an AI log of 10 KB, compressed). */
const UPLOAD_WRITE_UNITS: Partial<Record<TableId, number>> = { weights: 2, aiLogs: 5 };

/**
 * Returns the warm throughput of a table, and of each of its indexes, for this many uploads per second, or nothing
 * where a new table takes as much. A minute has few keys in an index: it needs as many partitions as the table.
 */
export function warmThroughputOf(tableId: TableId, uploads = 0) {
  const writeUnitsPerSecond = uploads * (UPLOAD_WRITE_UNITS[tableId] ?? 0);
  return writeUnitsPerSecond > WRITE_UNITS_TAKEN ? { warmThroughput: { writeUnitsPerSecond } } : {};
}

/**
 * The tables, as declared in functions/tables.ts, encrypted with a key that DynamoDB owns: it costs nothing, and no
 * request depends on it. Credentials are sealed before they are stored. `TableV2` takes a replica in another region
 * later.
 */
export class Tables extends Construct {
  readonly names: Readonly<Record<TableId, string>>;
  /** The stream of new entries; undefined for an adopted table. */
  readonly aiLogsStreamArn: string | undefined;
  readonly #byId: Readonly<Record<TableId, StoredTable>>;

  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id);
    const isKept = keepsData(settings);
    const { warmThroughput } = settings;
    const allAdopted = adoptedTables(settings);
    const create = (tableId: TableId): StoredTable => {
      const shape: TableShape = tables[tableId];
      const adopted = allAdopted[tableId];
      if (adopted !== undefined) return TableV2.fromTableName(this, shape.name, adopted);
      return new TableV2(this, shape.name, {
        ...keyOf(shape),
        globalSecondaryIndexes: Object.entries(shape.indexes ?? {}).map(([indexName, index]) => ({
          indexName,
          ...keyOf(index),
          projectionType: ProjectionType.KEYS_ONLY,
          ...warmThroughputOf(tableId, warmThroughput),
        })),
        ...(shape.timeToLive && { timeToLiveAttribute: shape.timeToLive }),
        billing: Billing.onDemand(),
        ...warmThroughputOf(tableId, warmThroughput),
        encryption: TableEncryptionV2.dynamoOwnedKey(),
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        // It costs nothing until the setting `analytics` reads it, which then begins with the entries of the last day.
        ...(tableId === 'aiLogs' && { dynamoStream: StreamViewType.NEW_IMAGE }),
        removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
        deletionProtection: isKept,
      });
    };
    this.#byId = perTable(create);
    this.names = perTable((tableId) => this.#byId[tableId].tableName);
    this.aiLogsStreamArn = this.#byId.aiLogs.tableStreamArn;
  }

  /**
   * Grants the calls of an upload: none reads entries or writes keys or allowlist. @param origin the name of the log
   */
  grantUpload(grantee: IGrantable, origin: string): void {
    const { allowlist, apiKeys, weights, aiLogs, receiptKeys } = this.#byId;
    allow(grantee, ['dynamodb:BatchGetItem', 'dynamodb:GetItem'], [allowlist.tableArn, apiKeys.tableArn]);
    allow(grantee, ['dynamodb:UpdateItem'], [weights.tableArn]);
    allow(grantee, ['dynamodb:PutItem'], [aiLogs.tableArn]);
    allow(grantee, ['dynamodb:GetItem'], [receiptKeys.tableArn], {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [receiptKeyIds(origin)] },
    });
  }

  /** Grants exactly the calls of the sequencer. It reads the index by arrival, and no entry. */
  grantSequence(grantee: IGrantable): void {
    const { aiLogs, receiptKeys } = this.#byId;
    allow(grantee, ['dynamodb:Query'], [`${aiLogs.tableArn}/index/byArrival`]);
    // The age of the table is where a new log begins.
    allow(grantee, ['dynamodb:DescribeTable'], [aiLogs.tableArn]);
    allow(grantee, ['dynamodb:GetItem', 'dynamodb:PutItem'], [receiptKeys.tableArn]);
  }
}
