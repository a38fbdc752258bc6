import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type ITableV2,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { perTable, type TableId, type TableShape, tables } from '../../functions/tables.ts';
import { HASHED_ATTRIBUTES } from '../../functions/tlog/entryHash.ts';
import { keepsData, type Settings } from '../settings.ts';
import { warmIndex, warmTable } from './warmThroughput.ts';

/** The key types of functions/tables.ts in CDK. */
const ATTRIBUTE_TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER, B: AttributeType.BINARY } as const;

/** Converts the primary key of a table or an index to CDK properties. */
function keyOf({ partitionKey, sortKey }: Pick<TableShape, 'partitionKey' | 'sortKey'>) {
  const attribute = ({ name, type }: TableShape['partitionKey']) => ({ name, type: ATTRIBUTE_TYPES[type] });
  return { partitionKey: attribute(partitionKey), ...(sortKey && { sortKey: attribute(sortKey) }) };
}

/** The parts of a table that the stack needs, whether it created the table or adopted it. */
type StoredTable = Pick<ITableV2, 'tableName' | 'tableArn'>;

/**
 * The tables, as declared in functions/tables.ts.
 *
 * They are encrypted with a key that DynamoDB owns. It costs nothing and adds no service that a request depends on.
 * Credentials must stay secret even from people who can read the tables, so they are sealed before they are stored. The
 * tables are `TableV2` so that a replica in another region can be added later without a new table.
 */
export class Tables extends Construct {
  /** Physical table names. */
  readonly names: Readonly<Record<TableId, string>>;
  readonly #byId: Readonly<Record<TableId, StoredTable>>;

  /**
   * @param props `settings.adoptTables`: existing tables to use, which the stack does not manage. A stage that keeps
   * its data also protects its tables from manual deletion
   */
  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id);
    const isKept = keepsData(settings);
    const { warmThroughput, adoptTables } = settings;
    const create = (tableId: TableId): StoredTable => {
      const shape: TableShape = tables[tableId];
      const adopted = adoptTables?.[tableId];
      if (adopted !== undefined) return TableV2.fromTableName(this, shape.name, adopted);
      return new TableV2(this, shape.name, {
        ...keyOf(shape),
        globalSecondaryIndexes: Object.entries(shape.indexes ?? {}).map(([indexName, index]) => ({
          indexName,
          ...keyOf(index),
          projectionType: ProjectionType.KEYS_ONLY,
          ...warmIndex(tableId, warmThroughput),
        })),
        ...(shape.timeToLive && { timeToLiveAttribute: shape.timeToLive }),
        billing: Billing.onDemand(),
        ...warmTable(tableId, warmThroughput),
        encryption: TableEncryptionV2.dynamoOwnedKey(),
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
        deletionProtection: isKept,
      });
    };
    this.#byId = perTable(create);
    this.names = perTable((tableId) => this.#byId[tableId].tableName);
  }

  /** Grants exactly the calls of an upload. They read no entry and no index, and change neither keys nor allowlist. */
  grantUpload(grantee: IGrantable): void {
    const allow = (actions: string[], tableIds: readonly TableId[]) =>
      // The grant methods of a table would also grant access to all of its indexes.
      Grant.addToPrincipal({
        grantee,
        actions,
        resourceArns: tableIds.map((tableId) => this.#byId[tableId].tableArn),
      }).assertSuccess();
    allow(['dynamodb:BatchGetItem', 'dynamodb:GetItem'], ['allowlist', 'apiKeys']);
    allow(['dynamodb:UpdateItem'], ['weights']);
    allow(['dynamodb:PutItem'], ['aiLogs']);
    Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:GetItem'],
      resourceArns: [this.#byId.tlog.tableArn],
      conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['receipt-keys'] } },
    }).assertSuccess();
  }

  /** Grants exactly the calls of the sequencer. It reads the attributes that a leaf is made of, and never a body. */
  grantSequence(grantee: IGrantable): void {
    const { aiLogs, tlog } = this.#byId;
    const allow = (actions: string[], resource: string, conditions?: Record<string, Record<string, unknown>>) =>
      Grant.addToPrincipal({
        grantee,
        actions,
        resourceArns: [resource],
        ...(conditions && { conditions }),
      }).assertSuccess();
    allow(['dynamodb:Query'], `${aiLogs.tableArn}/index/byArrival`);
    allow(['dynamodb:Scan'], aiLogs.tableArn, {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...HASHED_ATTRIBUTES, 'arrival'] },
      // A scan that names no attributes returns all of them.
      Null: { 'dynamodb:Attributes': 'false' },
    });
    allow(['dynamodb:GetItem', 'dynamodb:PutItem'], tlog.tableArn);
  }
}
