import { Stack } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { acceptFindings } from '../acceptFindings.ts';
import type { Settings } from '../settings.ts';
import { createAlarms } from './alarms.ts';
import { createDashboard } from './dashboard.ts';
import type { Watched } from './metrics.ts';
import { saveQueries } from './queries.ts';
import { tlogAlarms } from './tlogAlarms.ts';
import { createFewerUploads, rollbackAlarms, uploadAlarms } from './uploadAlarms.ts';

/** The monitoring of a deployment: alarms that send email, a dashboard, and saved queries. */
export class Monitoring extends Construct {
  readonly topicArn: string;
  /** The alarms that roll back a new version. They react within minutes, and no team can set them off. */
  readonly rollbackAlarms: readonly Alarm[];

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const alarms = new Construct(this, 'Alarms');
    this.rollbackAlarms = createAlarms(alarms, rollbackAlarms(alarms, watched));
    const others = createAlarms(alarms, { ...uploadAlarms(alarms, watched), ...tlogAlarms(alarms, watched) });
    const all = [...this.rollbackAlarms, ...others, createFewerUploads(alarms)];
    const topic = this.#topic(watched.settings);
    this.topicArn = topic.topicArn;
    for (const alarm of all) {
      alarm.addAlarmAction(new SnsAction(topic));
      // A second mail tells the person who was woken that the alarm is over.
      alarm.addOkAction(new SnsAction(topic));
    }
    createDashboard(new Construct(this, 'Dashboard'), watched, all);
    saveQueries(new Construct(this, 'Queries'), watched);
  }

  #topic({ alarmEmail }: Settings): Topic {
    const topic = new Topic(this, 'Topic', { displayName: Stack.of(this).stackName, enforceSSL: true });
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (alarmEmail !== undefined) {
      topic.addSubscription(new EmailSubscription(alarmEmail));
      const reason = 'Nobody would read a queue of undelivered emails; the dashboard shows the same alarms.';
      acceptFindings(topic, { 'Serverless-SNSRedrivePolicy': reason });
    }
    return topic;
  }
}
