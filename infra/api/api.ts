import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  type CfnDomainName,
  type CfnRestApi,
  DomainName,
  EndpointAccessMode,
  EndpointType,
  IpAddressType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
  type Stage,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { acceptFindings, NO_TRACES } from '../acceptFindings.ts';
import { removalPolicyOf } from '../removalPolicy.ts';
import { BURST_LIMIT, type Settings } from '../settings.ts';
import { addGatewayResponses, rejectOtherMethods } from './addGatewayResponses.ts';

/**
 * The fields of the gateway's log lines, one per request, without headers and error messages: the messages can quote an
 * Authorization header, and a client may put its secrets in the wrong header.
 */
export const accessLog = {
  requestId: AccessLogField.contextRequestId(),
  extendedRequestId: AccessLogField.contextExtendedRequestId(),
  requestTime: AccessLogField.contextRequestTimeEpoch(),
  ip: AccessLogField.contextIdentitySourceIp(),
  method: AccessLogField.contextHttpMethod(),
  path: AccessLogField.contextPath(),
  protocol: AccessLogField.contextProtocol(),
  status: AccessLogField.contextStatus(),
  responseType: AccessLogField.contextErrorResponseType(),
  responseLength: AccessLogField.contextResponseLength(),
  responseLatency: AccessLogField.contextResponseLatency(),
  integrationStatus: AccessLogField.contextIntegrationStatus(),
  integrationLatency: AccessLogField.contextIntegrationLatency(),
};

/**
 * TLS 1.2 or 1.3 with forward secrecy; STRICT also requires that TLS server name and Host header are the same. The
 * policy of the API counts for its domain name too. Source: API Gateway Developer Guide, "Security policies for REST
 * APIs".
 */
const tls = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

/** Creates the custom domain name of the API; returns undefined if the settings name none. */
function createDomain(scope: Construct, { domainName, certificateArn }: Settings): DomainName | undefined {
  if (domainName === undefined || certificateArn === undefined) return undefined;
  const domain = new DomainName(scope, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    ...tls,
  });
  // `DomainName` has no property for it.
  (domain.node.defaultChild as CfnDomainName).addPropertyOverride(
    'EndpointConfiguration.IpAddressType',
    IpAddressType.DUAL_STACK,
  );
  return domain;
}

const PUSH_LOGS = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';

const acceptApiFindings = (api: RestApi, { waf }: Settings): void =>
  acceptFindings(api, {
    ...(!waf && {
      'AwsSolutions-APIG3':
        'Every request is authenticated and counted per IP and UID; the throttle of the stage limits the calls of the function.',
    }),
    'Serverless-APIGWXrayEnabled': NO_TRACES,
    'AwsSolutions-APIG2':
      'The function validates requests: it checks the signature over the raw bytes before it parses them.',
    'AwsSolutions-APIG4':
      'The contract requires an HMAC signature over the body, and an authorizer does not receive the body.',
    'AwsSolutions-COG4': 'Callers are bots with API keys; there are no users who could sign in with Cognito.',
    'AwsSolutions-APIG6':
      'Execution logs can contain headers, and ACCESS-PASSPHRASE is one. The access log has status, error type and latency.',
    [`AwsSolutions-IAM4[Policy::${PUSH_LOGS}]`]:
      'All APIs in the account share this role: limited to this API, it would stop the logs of the others.',
  });

/** The public API: one path with one method. Every response, the gateway's own included, has the same envelope. */
export class Api extends Construct {
  /** The URL before `/capi/v2/order/uploadAiLog`, without a trailing slash. */
  readonly baseUrl: string;
  /** The target for the DNS record of the custom domain name; undefined without one. */
  readonly domainTarget: string | undefined;
  readonly stage: Stage;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, { settings, upload }: { settings: Settings; upload: IFunction }) {
    super(scope, id);
    const { region, stackName, urlSuffix } = Stack.of(this);
    const removalPolicy = removalPolicyOf(settings);
    this.logGroup = new LogGroup(this, 'AccessLogs', { retention: settings.logRetentionDays, removalPolicy });
    const domain = createDomain(this, settings);
    const api = new RestApi(this, 'RestApi', {
      restApiName: stackName,
      description: 'Receives signed AI logs',
      // Without dualstack, clients that have only IPv6 cannot connect.
      endpointConfiguration: { types: [EndpointType.REGIONAL], ipAddressType: IpAddressType.DUAL_STACK },
      // The signature covers bytes, and the gateway can change bytes it treats as text. So it passes on base64.
      binaryMediaTypes: ['*/*'],
      // In a new account the stage cannot be deployed without a logging role, of which an account has one per region.
      // It is retained with the stack, because other APIs may use it.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: settings.stage,
        throttlingRateLimit: settings.apiRateLimit,
        throttlingBurstLimit: BURST_LIMIT,
        // The detailed metrics per method cost extra. The alarms use those per stage, which are free.
        metricsEnabled: false,
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
        accessLogDestination: new LogGroupLogDestination(this.logGroup),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLog)),
      },
    });
    // `RestApi` has no property for these. Without them the API accepts TLS 1.0, also at its custom domain name.
    Object.assign(api.node.defaultChild as CfnRestApi, tls);
    // The construct's own URL output ends with a slash, which would break a path appended to it. `baseUrl` replaces it.
    api.node.tryRemoveChild('Endpoint');
    this.baseUrl = domain
      ? `https://${settings.domainName}`
      : `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${settings.stage}`;
    this.domainTarget = domain?.domainNameAliasDomainName;
    this.stage = api.deploymentStage;
    domain?.addBasePathMapping(api);

    // Requests with further slashes before the path reach it too: docs/decisions.md#slashes-around-the-path.
    const resource = api.root.resourceForPath(UPLOAD_PATH);
    resource.addMethod(
      'POST',
      // Longer than the timeout of the function, so that the function times out first and its metrics show it.
      new LambdaIntegration(upload, { timeout: Duration.seconds(15), allowTestInvoke: false }),
    );
    rejectOtherMethods(resource);
    addGatewayResponses(api);
    acceptApiFindings(api, settings);
  }
}
