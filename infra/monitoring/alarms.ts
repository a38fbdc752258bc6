import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AnomalyDetectionAlarm,
  ComparisonOperator,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { capacityAlarms } from './capacityAlarms.ts';
import { createAlarms } from './createAlarms.ts';
import { errorAlarms } from './errorAlarms.ts';
import { failureAlarms } from './failureAlarms.ts';
import { metrics } from './metrics.ts';
import { rollbackAlarms } from './rollbackAlarms.ts';
import { tlogAlarms } from './tlogAlarms.ts';
import type { Watched } from './watched.ts';

/** All alarms of a deployment. Each one notifies the topic. */
export class Alarms extends Construct {
  /** The alarms that roll back a new version. They react within minutes, and nothing that one team sends sets them off. */
  readonly rollback: readonly Alarm[];
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, { watched, topic }: { watched: Watched; topic: ITopic }) {
    super(scope, id);
    const failures = createAlarms(this, failureAlarms(this, watched));
    this.rollback = createAlarms(this, rollbackAlarms(this, watched));
    this.all = [
      ...failures,
      ...this.rollback,
      ...createAlarms(this, capacityAlarms(this, watched)),
      ...createAlarms(this, tlogAlarms(this, watched)),
      ...(watched.settings.trafficAlarms ? [...createAlarms(this, errorAlarms(this)), this.#fewerUploads()] : []),
    ];
    for (const alarm of this.all) alarm.addAlarmAction(new SnsAction(topic));
  }

  /** Goes off when uploads fall below the range that CloudWatch has learned for this time of the week. */
  #fewerUploads(): Alarm {
    return new AnomalyDetectionAlarm(this, 'FewerUploads', {
      alarmDescription:
        'Far fewer logs are accepted than usual at this time: teams cannot reach the service, or all of them are rejected.',
      metric: new MathExpression({
        expression: 'FILL(accepted, 0)',
        usingMetrics: { accepted: metrics(this).service('Accepted', 15) },
        label: 'Accepted',
        period: Duration.minutes(15),
      }),
      stdDevs: 3,
      evaluationPeriods: 2,
      comparisonOperator: ComparisonOperator.LESS_THAN_LOWER_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
