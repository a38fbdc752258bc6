import { readFileSync } from 'node:fs';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnKey } from 'aws-cdk-lib/aws-kms';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { createApp } from '../../infra/app.ts';

/*
 * The CDK app for the emulator. It has no alarms on metric math, so they watch a metric that does not exist instead,
 * and no saved queries: test/infra/monitoring checks both in the template. It cannot empty buckets, because the
 * function that CDK deploys for that needs HTTPS. It does not know `aws:PrincipalArn`, so the policies of keys would
 * deny their functions. The argument is a file with the `stages` that an operator writes into cdk.json.
 */
const stages = JSON.parse(readFileSync(process.argv[2] as string, 'utf8'));
for (const construct of createApp({ postCliContext: { stages } }).node.findAll()) {
  if (construct.node.id === 'AutoDeleteObjectsCustomResource' || construct instanceof CfnQueryDefinition)
    construct.node.scope?.node.tryRemoveChild(construct.node.id);
  if (construct instanceof CfnKey) {
    const AWS = 'arn:aws:iam::000000000000:root';
    const everything = { Effect: 'Allow', Principal: { AWS }, Action: 'kms:*', Resource: '*' };
    construct.addPropertyOverride('KeyPolicy.Statement', [everything]);
  }
  if (!(construct instanceof CfnAlarm) || construct.metrics === undefined) continue;
  construct.addPropertyDeletionOverride('Metrics');
  construct.addPropertyDeletionOverride('ThresholdMetricId');
  for (const [name, value] of Object.entries({
    Namespace: 'Emulated',
    MetricName: 'None',
    Statistic: 'Sum',
    Period: 300,
    Threshold: 1,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
  })) {
    construct.addPropertyOverride(name, value);
  }
}
