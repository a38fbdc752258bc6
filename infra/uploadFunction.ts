import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { tableEnvironment } from '../functions/tables.ts';
import type { Environment } from '../functions/upload/config.ts';
import { acceptFindings } from './acceptFindings.ts';
import { createFunction } from './build/createFunction.ts';
import type { Settings } from './settings.ts';
import type { CredentialsKey } from './storage/credentialsKey.ts';
import type { Tables } from './storage/tables.ts';
import type { Tlog } from './tlog/tlog.ts';

interface UploadFunctionProps {
  readonly settings: Settings;
  readonly tables: Tables;
  readonly credentialsKey: CredentialsKey;
  readonly tlog: Pick<Tlog, 'origin' | 'receiptSealingKey'>;
}

/** The function that receives uploads. Its role allows only the calls of an upload. */
export class UploadFunction extends Construct {
  /** Its log group has a line per request, with the fields of functions/upload/middleware/around.ts. */
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: UploadFunctionProps) {
    super(scope, id);
    const { settings, tables, credentialsKey, tlog } = props;
    const { reservedConcurrency, entryRetentionDays } = settings;
    const environment: Environment = {
      UID_QUOTA: String(settings.uidQuota),
      IP_QUOTA: String(settings.ipQuota),
      WINDOW_SECONDS: String(settings.windowSeconds),
      REQUIRE_LOCALE: String(settings.requireLocale),
      CREDENTIALS_KEY_ARN: credentialsKey.arn,
      TLOG_ORIGIN: tlog.origin,
      RECEIPT_SEALING_KEY_ARN: tlog.receiptSealingKey.arn,
      RECEIPT_KEY: String(settings.receiptKey),
      SERVICE_NAME: Stack.of(this).stackName,
      ...(entryRetentionDays !== undefined && { ENTRY_RETENTION_DAYS: String(entryRetentionDays) }),
    };
    const { lambda, role } = createFunction(this, 'upload', {
      settings,
      description: 'Receives signed AI logs and stores them',
      purpose: 'Upload function: checks a caller, counts its weight, stores its entry',
      memorySize: 1024,
      // A request's calls are aborted after 4.5 s; the rest is for a cold start.
      timeout: Duration.seconds(10),
      environment: { ...tableEnvironment(tables.names), ...environment },
      // Earlier versions are kept for rollbacks. A version whose deployment failed is not: Lambda publishes the same
      // code only once, so the same code could not be deployed again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
    });
    tables.grantUpload(role, tlog.origin);
    credentialsKey.grantDecrypt(role);
    tlog.receiptSealingKey.grantDecrypt(role);
    acceptFindings(lambda, {
      'Serverless-LambdaDLQ': 'The function is only invoked synchronously, so there are no failed events to keep.',
    });
    this.lambda = lambda;
  }
}
