import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  DomainName,
  EndpointType,
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
import type { Settings } from '../settings.ts';
import { addGatewayResponses } from './addGatewayResponses.ts';

/**
 * One line per request. It holds no header and no error message: the gateway's messages can quote an Authorization header,
 * and a client may put its secrets in the wrong one.
 */
export const accessLog = {
  requestId: AccessLogField.contextRequestId(),
  extendedRequestId: AccessLogField.contextExtendedRequestId(),
  traceId: AccessLogField.contextXrayTraceId(),
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

/** What the API is made of. */
interface ApiProps {
  readonly settings: Settings;
  readonly upload: IFunction;
  readonly removalPolicy: RemovalPolicy;
}

/** The public face: one path with one method, and every answer in the envelope, whoever gives it. */
export class Api extends Construct {
  /** What stands before the path in the URL, without a slash at its end. */
  readonly baseUrl: string;
  /** What a DNS record of the domain name must point to; undefined where there is no domain name. */
  readonly domainTarget: string | undefined;
  readonly stage: Stage;
  /** Where the gateway tells of every request, in the fields of `accessLog`. */
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, { settings, upload, removalPolicy }: ApiProps) {
    super(scope, id);
    const { region, stackName, urlSuffix } = Stack.of(this);
    this.logGroup = new LogGroup(this, 'AccessLogs', { retention: settings.logRetentionDays, removalPolicy });
    const domain = this.#domainOf(settings);
    const api = new RestApi(this, 'RestApi', {
      restApiName: stackName,
      disableExecuteApiEndpoint: domain !== undefined,
      description: 'Receives signed AI logs',
      endpointTypes: [EndpointType.REGIONAL],
      // Hands every body to the function as base64: what was signed is bytes, and as text the gateway would change some.
      binaryMediaTypes: ['*/*'],
      // Without a role to log with, of which an account has one per region, a new account rejects the stage. Every stack
      // sets an equal one, the last counts; it stays when its stack goes, because the other APIs go on logging with it.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: settings.stage,
        throttlingRateLimit: settings.apiRateLimit,
        throttlingBurstLimit: settings.apiBurstLimit,
        tracingEnabled: true,
        metricsEnabled: true,
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
        accessLogDestination: new LogGroupLogDestination(this.logGroup),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLog)),
      },
    });
    // Ends in a slash, so that what is put behind it finds no path: `baseUrl` is the one to give to a team.
    api.node.tryRemoveChild('Endpoint');
    this.baseUrl = domain
      ? `https://${settings.domainName}`
      : `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${settings.stage}`;
    this.domainTarget = domain?.domainNameAliasDomainName;
    this.stage = api.deploymentStage;
    domain?.addBasePathMapping(api);

    const resource = api.root.resourceForPath(UPLOAD_PATH);
    resource.addMethod(
      'POST',
      // Longer than the function may take, so that its own timeout comes first and is seen in its metrics.
      new LambdaIntegration(upload, { timeout: Duration.seconds(15), allowTestInvoke: false }),
    );
    addGatewayResponses(api, resource);
    acknowledgeFindings(api, settings);
  }

  /** The domain name of the API, where the settings give one. */
  #domainOf({ domainName, certificateArn }: Settings): DomainName | undefined {
    if (domainName === undefined || certificateArn === undefined) return undefined;
    return new DomainName(this, 'Domain', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      // At least that: TLS 1.3 is spoken too.
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
  }
}

function acknowledgeFindings(api: RestApi, { waf }: Settings): void {
  if (!waf) {
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG3',
      reason:
        'Every request is authenticated and weighed per IP and UID; the stage throttle bounds what reaches the function.',
    });
  }
  Validations.of(api).acknowledge(
    {
      id: 'AwsSolutions-APIG2',
      reason: 'The function validates: a signature is checked over the raw bytes before anything in them is believed.',
    },
    {
      id: 'AwsSolutions-APIG4',
      reason: 'The contract prescribes HMAC signatures over the body, which no authorizer is given.',
    },
    { id: 'AwsSolutions-COG4', reason: 'Callers are bots with API keys; there are no users to sign in with Cognito.' },
    {
      id: 'AwsSolutions-APIG6',
      reason:
        'Execution logs can hold headers, and ACCESS-PASSPHRASE is one. The access log tells status, cause and times.',
    },
    {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      reason: 'The role is that of all APIs in the account: to narrow it to this one would silence the others.',
    },
  );
}
