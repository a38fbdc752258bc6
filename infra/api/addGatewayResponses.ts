import {
  ContentHandling,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { gatewayResponses, methodNotAllowed, toTemplate } from './gatewayResponses.ts';

const fixedHeaders = (headers: Readonly<Record<string, string>> = {}, prefix = '') =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [prefix + name, `'${value}'`]));

/** Rejects all methods that the resource does not define, with a mock integration instead of the function. */
export function rejectOtherMethods(resource: IResource): void {
  const { status, body } = toTemplate(methodNotAllowed);
  resource.addMethod(
    'ANY',
    new MockIntegration({
      // All bodies are binary here, and the mock cannot read the status code from a binary template.
      contentHandling: ContentHandling.CONVERT_TO_TEXT,
      // Other media types end as UNSUPPORTED_MEDIA_TYPE, for which the gateway response is the same 405.
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: { 'application/json': JSON.stringify({ statusCode: Number(status) }) },
      integrationResponses: [
        {
          statusCode: status,
          // As above: with an Accept header the gateway would treat the response as binary and fail.
          contentHandling: ContentHandling.CONVERT_TO_TEXT,
          responseParameters: fixedHeaders(methodNotAllowed.headers, 'method.response.header.'),
          responseTemplates: { 'application/json': body },
        },
      ],
    }),
    { methodResponses: [{ statusCode: status, responseParameters: { 'method.response.header.Allow': true } }] },
  );
}

/** Adds `gatewayResponses` to the API, so that errors of the gateway itself have the envelope too. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, error] of Object.entries(gatewayResponses)) {
    const { status, body } = toTemplate(error);
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: status,
      responseHeaders: fixedHeaders(error.headers),
      templates: { 'application/json': body },
    });
  }
}
