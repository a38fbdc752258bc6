import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Alias, type IFunction, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acceptFindings } from './acceptFindings.ts';
import type { Settings } from './settings.ts';

/** The rollout of new versions of the upload function: through an alias, and as a canary if the settings say so. */
export class Rollout extends Construct {
  readonly live: IFunction;
  readonly #canary: LambdaDeploymentGroup | undefined;

  constructor(scope: Construct, id: string, { settings, lambda }: { settings: Settings; lambda: LambdaFunction }) {
    super(scope, id);
    // Every stage has it, so that it is tested before prod. A canary would make deployments of dev 5 minutes longer.
    // The library's types disagree on whether an optional property can be undefined, so they are cast.
    const alias = new Alias(this, 'Live', { aliasName: 'live', version: lambda.currentVersion as IVersion });
    this.live = alias as IFunction;
    if (!settings.canary) return;
    this.#canary = new LambdaDeploymentGroup(this, 'Canary', {
      alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    });
    acceptFindings(this.#canary, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
        'AWS maintains the permissions that CodeDeploy needs to shift an alias. This is the narrower of its two policies.',
    });
  }

  /** Rolls a new version back, with all traffic at once, if one of these alarms goes off during its canary. */
  rollBackOn(alarms: readonly Alarm[]): void {
    for (const alarm of alarms) this.#canary?.addAlarm(alarm);
  }
}
