import { fileURLToPath } from 'node:url';
import { AssetHashType } from 'aws-cdk-lib';
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
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acceptFindings, NO_TRACES } from '../acceptFindings.ts';
import { removalPolicyOf } from '../removalPolicy.ts';
import type { Settings } from '../settings.ts';
import { BUNDLE_HANDLER, buildBundle, SOURCES, writeBundle } from './bundle.ts';
import { roleName } from './keyUses.ts';

const RUNTIME = Runtime.NODEJS_24_X;
type Files = Readonly<Record<string, string>>;

/** The bundles that are built: every stage of an app has the same. */
const built = new Map<keyof typeof SOURCES, ReturnType<typeof buildBundle>>();

/**
 * Builds a bundle without source map, which would make the import 25 % slower. Its hash tells if it must be deployed.
 */
function bundledCode(name: keyof typeof SOURCES, files: Files): AssetCode {
  const tryBundle = (outDir: string) => {
    const bundle = built.get(name) ?? buildBundle(SOURCES[name], false);
    built.set(name, bundle);
    writeBundle(new Map([...bundle, ...Object.entries(files)]), outDir);
    return true;
  };
  // Each function has its own folder: for the same folder, CDK would reuse the first bundle.
  return Code.fromAsset(fileURLToPath(new URL(`../../functions/${name}`, import.meta.url)), {
    assetHashType: AssetHashType.OUTPUT,
    // CDK requires an image, but never uses it: local bundling always succeeds or throws.
    bundling: { image: RUNTIME.bundlingImage, local: { tryBundle } },
  });
}

interface OwnProps extends Omit<FunctionProps, 'runtime' | 'code' | 'handler'> {
  readonly purpose: string;
  readonly files?: Files;
  readonly settings: Settings;
}

/** Creates the function of a folder of functions/, with a log group and a role that allows only to log. */
export function createFunction(
  scope: Construct,
  name: keyof typeof SOURCES,
  { purpose, settings, files = {}, ...props }: OwnProps,
) {
  const removalPolicy = removalPolicyOf(settings);
  const logGroup = new LogGroup(scope, 'Logs', { retention: settings.logRetentionDays, removalPolicy });
  const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
  const role = new Role(scope, 'Role', { roleName: roleName(scope, name), assumedBy, description: purpose });
  logGroup.grantWrite(role);
  const lambda = new LambdaFunction(scope, 'Function', {
    runtime: RUNTIME,
    architecture: Architecture.ARM_64,
    code: bundledCode(name, files),
    handler: BUNDLE_HANDLER,
    role,
    loggingFormat: LoggingFormat.JSON,
    // The start and the report of a successful run say nothing that the function's own line and the metrics do not.
    systemLogLevelV2: SystemLogLevel.WARN,
    logGroup,
    ...props,
  });
  acceptFindings(lambda, { 'Serverless-LambdaTracing': NO_TRACES });
  return { lambda, role };
}
