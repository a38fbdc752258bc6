import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, test } from 'vitest';
import { gatewayResponses, methodNotAllowed, render } from '../../../infra/api/gatewayResponses.ts';
import { domain, nameOf, synth } from '../synth.ts';

const { one, all, lambda } = synth({ apiRateLimit: '170' });

/** Fills in a template as the gateway does. */
const fill = (template: string, requestTime: number) =>
  template.replaceAll('$context.requestTimeEpoch', String(requestTime)).replaceAll('$context.path', '/a/b');

describe('API', () => {
  test('is regional, takes every body as bytes, and requires TLS 1.2 with forward secrecy and a Host as in TLS', () => {
    expect(one('AWS::ApiGateway::RestApi').Properties).toMatchObject({
      Name: 'AiLogUpload-dev',
      BinaryMediaTypes: ['*/*'],
      EndpointConfiguration: { Types: ['REGIONAL'], IpAddressType: 'dualstack' },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
  });

  test('has one path, with POST for the function and an error for other methods', () => {
    expect(all('AWS::ApiGateway::Resource').map(({ Properties }) => Properties.PathPart)).toEqual([
      'capi',
      'v2',
      'order',
      'uploadAiLog',
    ]);
    expect(all('AWS::ApiGateway::Method').map(({ Properties }) => Properties.HttpMethod)).toEqual(['POST', 'ANY']);
    const { Integration } = one('AWS::ApiGateway::Method', { HttpMethod: 'POST' }).Properties;
    const { Timeout } = lambda('Upload').Properties;
    expect(Integration).toMatchObject({ Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' });
    expect(Integration.TimeoutInMillis).toBeGreaterThan(Timeout * 1000);
    // Nor may the test button of the console call the function.
    expect(JSON.stringify(all('AWS::Lambda::Permission'))).not.toContain('test-invoke-stage');
  });

  test('other methods get a 405 in the envelope, with any body', () => {
    const { Integration, MethodResponses } = one('AWS::ApiGateway::Method', { HttpMethod: 'ANY' }).Properties;
    expect(Integration).toMatchObject({
      Type: 'MOCK',
      ContentHandling: 'CONVERT_TO_TEXT',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode":405}' },
      IntegrationResponses: [
        {
          StatusCode: '405',
          ContentHandling: 'CONVERT_TO_TEXT',
          ResponseParameters: { 'method.response.header.Allow': "'POST'" },
        },
      ],
    });
    expect(MethodResponses).toEqual([
      { StatusCode: '405', ResponseParameters: { 'method.response.header.Allow': true } },
    ]);
    const template = Integration.IntegrationResponses[0].ResponseTemplates['application/json'];
    expect(fill(template, 42)).toBe(render(methodNotAllowed, 42, '/a/b').body);
  });

  test('has the throttle of the settings, but no tracing, no detailed metrics and no execution logs', () => {
    const { TracingEnabled, ...properties } = one('AWS::ApiGateway::Stage').Properties;
    expect(TracingEnabled).toBeUndefined();
    expect(properties).toMatchObject({
      StageName: 'dev',
      MethodSettings: [
        {
          ResourcePath: '/*',
          HttpMethod: '*',
          ThrottlingRateLimit: 170,
          ThrottlingBurstLimit: 5000,
          MetricsEnabled: false,
          LoggingLevel: 'OFF',
          DataTraceEnabled: false,
        },
      ],
    });
  });

  test('logs one line of JSON per request, without headers and gateway messages', () => {
    const { AccessLogSetting } = one('AWS::ApiGateway::Stage').Properties;
    expect(nameOf(AccessLogSetting.DestinationArn)).toMatch(/:log-group:ApiAccessLogs$/);
    const logged: string[] = Object.values(JSON.parse(AccessLogSetting.Format));
    expect(logged).toContain('$context.requestId');
    expect(logged.filter((field) => !/^\$context\.[A-Za-z.]+$/.test(field))).toEqual([]);
    expect(logged.filter((field) => /message|header|userAgent|authorize/i.test(field))).toEqual([]);
  });
});

test('a domain name serves all paths with the TLS policy of the API, beside the default URL, which teams may have', () => {
  const { one, outputs } = synth(domain);
  const { SecurityPolicy, EndpointAccessMode } = one('AWS::ApiGateway::RestApi').Properties;
  expect(one('AWS::ApiGateway::DomainName').Properties).toMatchObject({
    DomainName: domain.domainName,
    RegionalCertificateArn: domain.certificateArn,
    EndpointConfiguration: { Types: ['REGIONAL'], IpAddressType: 'dualstack' },
    SecurityPolicy,
    EndpointAccessMode,
  });
  expect(one('AWS::ApiGateway::BasePathMapping').Properties.BasePath).toBeUndefined();
  expect(one('AWS::ApiGateway::RestApi').Properties.DisableExecuteApiEndpoint).toBeUndefined();
  expect(outputs).toMatchObject({
    BaseUrl: 'https://logs.example.com',
    DomainTarget: 'ApiDomain.RegionalDomainName',
  });
});

describe('gateway responses', () => {
  test('exist for every response type', () => {
    const types = Object.values(ResponseType).map(({ responseType }) => responseType);
    expect(Object.keys(gatewayResponses).sort()).toEqual(types.sort());
    expect(all('AWS::ApiGateway::GatewayResponse')).toHaveLength(types.length);
  });

  test.each([
    ['MISSING_AUTHENTICATION_TOKEN', 404, '404', {}],
    ['INVALID_SIGNATURE', 404, '404', {}],
    ['EXPIRED_TOKEN', 404, '404', {}],
    ['RESOURCE_NOT_FOUND', 404, '404', {}],
    ['UNSUPPORTED_MEDIA_TYPE', 405, '405', { Allow: 'POST' }],
    ['REQUEST_TOO_LARGE', 413, '413', {}],
    ['THROTTLED', 429, '429', { 'Retry-After': '1' }],
    ['QUOTA_EXCEEDED', 429, '429', { 'Retry-After': '1' }],
    ['WAF_FILTERED', 403, '403', {}],
    ['ACCESS_DENIED', 403, '403', {}],
    ['UNAUTHORIZED', 403, '403', {}],
    ['INVALID_API_KEY', 403, '403', {}],
    ['BAD_REQUEST_BODY', 400, '400', {}],
    ['BAD_REQUEST_PARAMETERS', 400, '400', {}],
    ['DEFAULT_4XX', 400, '400', {}],
    ['INTEGRATION_FAILURE', 503, '40015', { 'Retry-After': '1' }],
    ['INTEGRATION_TIMEOUT', 503, '40015', { 'Retry-After': '1' }],
    ['DEFAULT_5XX', 503, '40015', { 'Retry-After': '1' }],
    ['API_CONFIGURATION_ERROR', 503, '40015', { 'Retry-After': '1' }],
    ['AUTHORIZER_CONFIGURATION_ERROR', 500, '40015', {}],
    ['AUTHORIZER_FAILURE', 500, '40015', {}],
  ] as const)('%s is %d, code %s, in the envelope, at the gateway and locally', (type, status, code, headers) => {
    const local = render(gatewayResponses[type], 1_750_000_000_000, '/a/b');
    const { StatusCode, ResponseParameters, ResponseTemplates } = one('AWS::ApiGateway::GatewayResponse', {
      ResponseType: type,
    }).Properties;

    expect(local.status).toBe(status);
    expect(local.headers).toEqual({ 'Content-Type': 'application/json', ...headers });
    expect(JSON.parse(local.body)).toEqual({
      code,
      msg: expect.stringMatching(/^[^{}]+$/),
      requestTime: 1_750_000_000_000,
      data: null,
    });
    expect(StatusCode).toBe(String(status));
    expect(ResponseParameters).toEqual(
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, `'${value}'`]),
      ),
    );
    expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
    expect(fill(ResponseTemplates['application/json'], 1_750_000_000_000)).toBe(local.body);
  });

  test('the error for an unknown path names the upload path', () => {
    const { body } = render(gatewayResponses.MISSING_AUTHENTICATION_TOKEN, 0, '/prod//capi/v2/order/uploadAiLog');
    expect(JSON.parse(body).msg).toMatch(
      /^Unknown path \/prod\/\/capi\S+: use POST \/capi\/v2\/order\/uploadAiLog after the base URL /,
    );
  });

  test('the templates substitute no variable whose value the gateway does not keep percent-encoded', () => {
    for (const { Properties } of all('AWS::ApiGateway::GatewayResponse')) {
      const variables = String(Properties.ResponseTemplates['application/json']).match(/\$[\w.]+/g) ?? [];
      expect(['$context.path', '$context.requestTimeEpoch']).toEqual(expect.arrayContaining(variables));
    }
  });
});
