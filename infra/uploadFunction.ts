import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, LoggingFormat, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { tableEnvironment } from '../functions/tables.ts';
import type { Environment } from '../functions/upload/config.ts';
import { BUNDLE_HANDLER } from './build/bundle.ts';
import { bundledCode, RUNTIME } from './build/bundledCode.ts';
import type { Settings } from './settings.ts';
import type { CredentialsKey } from './storage/credentialsKey.ts';
import type { Tables } from './storage/tables.ts';
import type { Tlog } from './tlog/tlog.ts';

interface UploadFunctionProps {
  readonly settings: Settings;
  readonly tables: Tables;
  readonly credentialsKey: CredentialsKey;
  readonly tlog: Pick<Tlog, 'origin' | 'receiptSealingKey'>;
  readonly removalPolicy: RemovalPolicy;
}

/** The function that receives uploads. Its role allows only the calls of an upload. */
export class UploadFunction extends Construct {
  readonly lambda: LambdaFunction;
  /** The log group: a line per request, with the fields of functions/upload/middleware/logRequest.ts. */
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: UploadFunctionProps) {
    super(scope, id);
    const { settings, tables, credentialsKey, tlog, removalPolicy } = props;
    const { reservedConcurrency, entryRetentionDays } = settings;
    this.logGroup = new LogGroup(this, 'Logs', { retention: settings.logRetentionDays, removalPolicy });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'Upload function: checks a caller, counts its weight, stores its entry',
    });
    tables.grantUpload(role);
    credentialsKey.grantDecrypt(role);
    tlog.receiptSealingKey.grantDecrypt(role);
    this.logGroup.grantWrite(role);

    const environment: Environment = {
      UID_QUOTA: String(settings.uidQuota),
      IP_QUOTA: String(settings.ipQuota),
      WINDOW_SECONDS: String(settings.windowSeconds),
      REQUIRE_LOCALE: String(settings.requireLocale),
      CREDENTIALS_KEY_ARN: credentialsKey.arn,
      TLOG_ORIGIN: tlog.origin,
      RECEIPT_SEALING_KEY_ARN: tlog.receiptSealingKey.arn,
      SERVICE_NAME: Stack.of(this).stackName,
      ...(entryRetentionDays !== undefined && { ENTRY_RETENTION_DAYS: String(entryRetentionDays) }),
    };
    this.lambda = new LambdaFunction(this, 'Function', {
      description: 'Receives signed AI logs and stores them',
      runtime: RUNTIME,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      // A request's calls are aborted after 4.5 s; the rest is for a cold start.
      timeout: Duration.seconds(10),
      code: bundledCode('upload'),
      handler: BUNDLE_HANDLER,
      role,
      environment: {
        ...tableEnvironment(tables.names),
        ...environment,
      },
      loggingFormat: LoggingFormat.JSON,
      logGroup: this.logGroup,
      tracing: Tracing.ACTIVE,
      // Earlier versions are kept for rollbacks. A version whose deployment failed is not: Lambda publishes the same
      // code only once, so the same code could not be deployed again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
    });
    Validations.of(this.lambda).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'The function is only invoked synchronously, so there are no failed events to keep.',
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'X-Ray has no resource-level permissions: PutTraceSegments and PutTelemetryRecords require the resource *.',
    });
  }
}
