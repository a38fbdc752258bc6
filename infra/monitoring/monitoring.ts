import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { Alarms } from './alarms.ts';
import { UploadDashboard } from './dashboard.ts';
import { Queries } from './queries.ts';
import type { Watched } from './watched.ts';

/** The monitoring of a deployment: alarms that send email, a dashboard, and saved queries. */
export class Monitoring extends Construct {
  readonly topicArn: string;
  readonly alarms: Alarms;

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const topic = this.#topic(watched.settings);
    this.topicArn = topic.topicArn;
    this.alarms = new Alarms(this, 'Alarms', { watched, topic });
    new UploadDashboard(this, 'Dashboard', { watched, alarms: this.alarms.all });
    if (watched.settings.savedQueries) new Queries(this, 'Queries', watched);
  }

  /** The topic of all alarms. Not encrypted: CloudWatch cannot publish with the AWS managed key, and alarms hold no secrets. */
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
      Validations.of(topic).acknowledge({
        id: 'Serverless-SNSRedrivePolicy',
        reason: 'Nobody would read a queue of undelivered emails; the dashboard shows the same alarms.',
      });
    }
    return topic;
  }
}
