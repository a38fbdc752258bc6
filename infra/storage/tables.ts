import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { perTable, type TableId, type TableShape, tables } from '../../functions/tables.ts';

/** Returns the primary key of a table or of an index in the form of the construct library. */
function keyOf({ partitionKey, sortKey }: Pick<TableShape, 'partitionKey' | 'sortKey'>) {
  const attribute = ({ name, type }: TableShape['partitionKey']) => ({
    name,
    type: type === 'N' ? AttributeType.NUMBER : AttributeType.STRING,
  });
  return { partitionKey: attribute(partitionKey), ...(sortKey && { sortKey: attribute(sortKey) }) };
}

/**
 * The four tables, from the declarations in functions/tables.ts.
 *
 * Encrypted under a key that DynamoDB owns: it costs nothing and is no further service that a request depends on. What
 * must stay secret even from who can read the tables, the credentials, is sealed before it gets there. `TableV2`, because
 * a replica in another region can be added to it later without a new table.
 */
export class Tables extends Construct {
  /** Physical table names. */
  readonly names: Readonly<Record<TableId, string>>;
  readonly #byId: Readonly<Record<TableId, TableV2>>;

  /** @param props `removalPolicy`: RETAIN also protects the tables from being deleted by hand */
  constructor(scope: Construct, id: string, { removalPolicy }: { removalPolicy: RemovalPolicy }) {
    super(scope, id);
    const create = (tableId: TableId): TableV2 => {
      const shape: TableShape = tables[tableId];
      return new TableV2(this, shape.name, {
        ...keyOf(shape),
        globalSecondaryIndexes: Object.entries(shape.indexes ?? {}).map(([indexName, index]) => ({
          indexName,
          ...keyOf(index),
          projectionType: ProjectionType.KEYS_ONLY,
        })),
        ...(shape.timeToLive && { timeToLiveAttribute: shape.timeToLive }),
        billing: Billing.onDemand(),
        encryption: TableEncryptionV2.dynamoOwnedKey(),
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        removalPolicy,
        deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
      });
    };
    this.#byId = perTable(create);
    this.names = perTable((tableId) => this.#byId[tableId].tableName);
  }

  /** Grants what one upload needs and no more: it reads no entry and no index, and changes neither keys nor allowlist. */
  grantUpload(grantee: IGrantable): void {
    const allow = (action: string, tableIds: readonly TableId[]) =>
      // The tables' own grant methods would add all of their indexes.
      Grant.addToPrincipal({
        grantee,
        actions: [action],
        resourceArns: tableIds.map((tableId) => this.#byId[tableId].tableArn),
      }).assertSuccess();
    allow('dynamodb:GetItem', ['allowlist', 'apiKeys']);
    allow('dynamodb:UpdateItem', ['weights']);
    allow('dynamodb:PutItem', ['aiLogs']);
  }
}
