import { AccessLogField } from 'aws-cdk-lib/aws-apigateway';

/**
 * The fields of the gateway's log lines, of which there is one per request. Headers and error messages are left out:
 * the gateway's messages can quote an Authorization header, and a client may put its secrets in the wrong header.
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
