import { fileURLToPath } from 'node:url';
import { AssetHashType, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment } from '../functions/config.ts';
import { tableEnvironment } from '../functions/tables.ts';
import { BUNDLE_HANDLER, bundleUpload } from './build/bundle.ts';
import type { Settings } from './settings.ts';
import type { CredentialsKey } from './storage/credentialsKey.ts';
import type { Tables } from './storage/tables.ts';

const RUNTIME = Runtime.NODEJS_24_X;

/**
 * The bundle, built at synth; it is hashed after that, so that only what runs decides whether it is deployed anew. The
 * source map stays behind: zipped it is three times the code, and with Node reading it the import takes a quarter longer.
 */
const uploadCode = () =>
  Code.fromAsset(fileURLToPath(new URL('../functions', import.meta.url)), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Asked for, never used: the local way always succeeds or throws.
      image: RUNTIME.bundlingImage,
      local: { tryBundle: (outDir) => Boolean(bundleUpload(outDir, { sourceMap: false })) },
    },
  });

/** What the function is made of. */
interface UploadFunctionProps {
  readonly settings: Settings;
  readonly tables: Tables;
  readonly credentialsKey: CredentialsKey;
  readonly removalPolicy: RemovalPolicy;
}

/** The function that receives uploads, with a role that can do what one upload takes and nothing else. */
export class UploadFunction extends Construct {
  readonly lambda: LambdaFunction;
  /** Where the function tells of every request, in the fields of functions/upload/middleware/logRequest.ts. */
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, { settings, tables, credentialsKey, removalPolicy }: UploadFunctionProps) {
    super(scope, id);
    const { reservedConcurrency, entryRetentionDays } = settings;
    this.logGroup = new LogGroup(this, 'Logs', { retention: settings.logRetentionDays, removalPolicy });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'Upload function: checks a caller, counts its weight, stores its entry',
    });
    tables.grantUpload(role);
    credentialsKey.grantDecrypt(role);
    this.logGroup.grantWrite(role);

    const environment: Environment = {
      UID_QUOTA: String(settings.uidQuota),
      IP_QUOTA: String(settings.ipQuota),
      WINDOW_SECONDS: String(settings.windowSeconds),
      REQUIRE_LOCALE: String(settings.requireLocale),
      CREDENTIALS_KEY_ARN: credentialsKey.arn,
      ...(entryRetentionDays !== undefined && { ENTRY_RETENTION_DAYS: String(entryRetentionDays) }),
    };
    this.lambda = new LambdaFunction(this, 'Function', {
      description: 'Receives signed AI logs and stores them',
      runtime: RUNTIME,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      // The function gives up on its dependencies after 5 s; the rest is for a cold start.
      timeout: Duration.seconds(10),
      code: uploadCode(),
      handler: BUNDLE_HANDLER,
      role,
      environment: {
        ...tableEnvironment(tables.names),
        ...environment,
        POWERTOOLS_SERVICE_NAME: Stack.of(this).stackName,
      },
      loggingFormat: LoggingFormat.JSON,
      logGroup: this.logGroup,
      tracing: Tracing.ACTIVE,
      // Earlier versions stay, to go back to.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
    });
    Validations.of(this.lambda).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'It is only ever called by a caller that waits for the answer; no event can be left over.',
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray knows no resources: PutTraceSegments and PutTelemetryRecords can only be allowed on all or none.',
    });
  }
}
