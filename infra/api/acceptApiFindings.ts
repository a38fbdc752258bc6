import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { acceptFindings } from '../acceptFindings.ts';
import type { Settings } from '../settings.ts';

const PUSH_LOGS = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/** Accepts the findings on the API, each with the reason why the rule does not apply. */
export const acceptApiFindings = (api: RestApi, { waf }: Settings): void =>
  acceptFindings(api, {
    ...(!waf && {
      'AwsSolutions-APIG3':
        'Every request is authenticated and counted per IP and UID; the throttle of the stage limits the calls of the function.',
    }),
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
