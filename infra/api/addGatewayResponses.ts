import {
  ContentHandling,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { gatewayResponses, methodNotAllowed, toTemplate } from './gatewayResponses.ts';

/** Header names and values as the gateway maps them: a fixed value stands in single quotes. */
const fixedHeaders = (headers: Readonly<Record<string, string>> = {}, prefix = '') =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [prefix + name, `'${value}'`]));

/** Answers all methods but the path's own, without a call of the function. */
function rejectOtherMethods(path: IResource): void {
  const { status, body } = toTemplate(methodNotAllowed);
  path.addMethod(
    'ANY',
    new MockIntegration({
      // From a body that is taken for binary, as all are here, the mock cannot read the status it is to give.
      contentHandling: ContentHandling.CONVERT_TO_TEXT,
      // Other media types end as UNSUPPORTED_MEDIA_TYPE, which the gateway responses make the same 405.
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: { 'application/json': JSON.stringify({ statusCode: Number(status) }) },
      integrationResponses: [
        {
          statusCode: status,
          responseParameters: fixedHeaders(methodNotAllowed.headers, 'method.response.header.'),
          responseTemplates: { 'application/json': body },
        },
      ],
    }),
    { methodResponses: [{ statusCode: status, responseParameters: { 'method.response.header.Allow': true } }] },
  );
}

/** Has the gateway say in the envelope whatever it rejects by itself: other methods of the path, and all else. */
export function addGatewayResponses(api: RestApi, path: IResource): void {
  rejectOtherMethods(path);
  for (const [type, answer] of Object.entries(gatewayResponses)) {
    const { status, body } = toTemplate(answer);
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: status,
      responseHeaders: fixedHeaders(answer.headers),
      templates: { 'application/json': body },
    });
  }
}
