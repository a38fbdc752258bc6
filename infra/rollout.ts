import { Validations } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Alias, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** How a new version of the function comes before the teams: behind an alias, and step by step where the settings say so. */
export class Rollout extends Construct {
  /** What the API calls: the version that is live. */
  readonly live: IFunction;
  readonly #canary: LambdaDeploymentGroup | undefined;

  constructor(scope: Construct, id: string, { settings, lambda }: { settings: Settings; lambda: LambdaFunction }) {
    super(scope, id);
    // The casts: the library's types differ in whether an optional property may be there and undefined.
    const alias = new Alias(this, 'Live', { aliasName: 'live', version: lambda.currentVersion as IVersion });
    this.live = alias as IFunction;
    if (!settings.canary) return;
    this.#canary = new LambdaDeploymentGroup(this, 'Canary', {
      alias,
      // A tenth of the requests for 5 minutes, then all of them.
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    });
    Validations.of(this.#canary).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason:
        'What CodeDeploy needs to shift an alias is for AWS to say; it is the narrower of the two policies it gives.',
    });
  }

  /** Has a new version taken back, all of its traffic at once, when one of these goes off while it is coming in. */
  rollBackOn(alarms: readonly Alarm[]): void {
    for (const alarm of alarms) this.#canary?.addAlarm(alarm);
  }
}
