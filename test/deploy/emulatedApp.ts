import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { createApp } from '../../infra/app.ts';

/*
 * The CDK app for the emulator, which has no alarms on metric math: they watch a metric that does not exist instead.
 * test/infra/monitoring checks their definitions in the template.
 */
for (const alarm of createApp().node.findAll()) {
  if (!(alarm instanceof CfnAlarm) || alarm.metrics === undefined) continue;
  alarm.addPropertyDeletionOverride('Metrics');
  for (const [name, value] of Object.entries({
    Namespace: 'Emulated',
    MetricName: 'None',
    Statistic: 'Sum',
    Period: 300,
  })) {
    alarm.addPropertyOverride(name, value);
  }
}
