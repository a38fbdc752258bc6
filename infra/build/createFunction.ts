import { fileURLToPath } from 'node:url';
import { AssetHashType, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type AssetCode,
  Code,
  type FunctionProps,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { BUNDLE_HANDLER, buildBundle, SEQUENCER_SOURCES, UPLOAD_SOURCES, writeBundle } from './bundle.ts';

const RUNTIME = Runtime.NODEJS_24_X;

const sources = { upload: UPLOAD_SOURCES, sequencer: SEQUENCER_SOURCES };

/** The bundles that are built: every stage of an app has the same. */
const built = new Map<keyof typeof sources, ReturnType<typeof buildBundle>>();

/** Writes the bundle of a function to a folder. It is built once per process. */
function writeCode(name: keyof typeof sources, outDir: string): true {
  const files = built.get(name) ?? buildBundle(sources[name], { sourceMap: false });
  built.set(name, files);
  writeBundle(files, outDir);
  return true;
}

/**
 * Builds the bundle of a function during synth. The asset hash covers the output, so that the function is only
 * redeployed if its code changes. The source map is left out: zipped, it is three times as large as the code, and it
 * makes the import 25 % slower.
 * @param name the folder of the function in functions/
 */
const bundledCode = (name: keyof typeof sources): AssetCode =>
  // Each function has its own folder: for the same folder, CDK would reuse the first bundle.
  Code.fromAsset(fileURLToPath(new URL(`../../functions/${name}`, import.meta.url)), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK requires an image, but never uses it: local bundling always succeeds or throws.
      image: RUNTIME.bundlingImage,
      local: { tryBundle: (outDir) => writeCode(name, outDir) },
    },
  });

interface OwnProps extends Omit<FunctionProps, 'runtime' | 'code' | 'handler'> {
  /** The description of the role. */
  readonly purpose: string;
  readonly settings: Settings;
  readonly removalPolicy: RemovalPolicy;
}

/**
 * Creates a function of functions/ in a construct, with a log group and a role that allows only to log and to trace.
 * @param name the folder of the function in functions/
 */
export function createFunction(
  scope: Construct,
  name: keyof typeof sources,
  { purpose, settings, removalPolicy, ...props }: OwnProps,
) {
  const logGroup = new LogGroup(scope, 'Logs', { retention: settings.logRetentionDays, removalPolicy });
  const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
  const role = new Role(scope, 'Role', { assumedBy, description: purpose });
  logGroup.grantWrite(role);
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'X-Ray has no resource-level permissions: PutTraceSegments and PutTelemetryRecords require the resource *.',
  });
  const lambda = new LambdaFunction(scope, 'Function', {
    runtime: RUNTIME,
    architecture: Architecture.ARM_64,
    code: bundledCode(name),
    handler: BUNDLE_HANDLER,
    role,
    loggingFormat: LoggingFormat.JSON,
    // The start and the report of a successful run say nothing that the function's own line and the metrics do not.
    systemLogLevelV2: SystemLogLevel.WARN,
    logGroup,
    tracing: Tracing.ACTIVE,
    ...props,
  });
  return { lambda, role, logGroup };
}
