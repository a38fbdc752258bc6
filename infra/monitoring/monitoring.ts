import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Api } from '../api/api.ts';
import type { Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import type { UploadFunction } from '../uploadFunction.ts';
import { Alarms } from './alarms.ts';
import { UploadDashboard } from './dashboard.ts';
import { Queries } from './queries.ts';

/** What is watched: the parts of a deployment, and the settings that say what is right for them. */
export interface Watched {
  readonly settings: Settings;
  readonly upload: UploadFunction;
  readonly api: Api;
  readonly tables: Tables;
}

/** How a deployment is watched: alarms that mail, a dashboard, and queries for what to ask next. */
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

  /** Where alarms go. Unencrypted: CloudWatch cannot use the key that AWS keeps for it, and an alarm is no secret. */
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
        reason: 'A mail is handed over once; a queue of mails that were not would be read by nobody.',
      });
    }
    return topic;
  }
}
