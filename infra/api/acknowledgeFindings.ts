import { Validations } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Settings } from '../settings.ts';

/** Acknowledges the cdk-nag findings on the API, each with the reason why the rule does not apply. */
export function acknowledgeFindings(api: RestApi, { waf }: Settings): void {
  if (!waf) {
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG3',
      reason:
        'Every request is authenticated and counted per IP and UID; the throttle of the stage limits the calls of the function.',
    });
  }
  Validations.of(api).acknowledge(
    {
      id: 'AwsSolutions-APIG2',
      reason: 'The function validates requests: it checks the signature over the raw bytes before it parses them.',
    },
    {
      id: 'AwsSolutions-APIG4',
      reason: 'The contract requires an HMAC signature over the body, and an authorizer does not receive the body.',
    },
    {
      id: 'AwsSolutions-COG4',
      reason: 'Callers are bots with API keys; there are no users who could sign in with Cognito.',
    },
    {
      id: 'AwsSolutions-APIG6',
      reason:
        'Execution logs can contain headers, and ACCESS-PASSPHRASE is one. The access log has status, error type and latency.',
    },
    {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      reason: 'All APIs in the account share this role: limited to this API, it would stop the logs of the others.',
    },
  );
}
