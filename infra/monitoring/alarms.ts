import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  AnomalyDetectionAlarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { shortages } from './capacityAlarms.ts';
import { errorAlarms } from './errorAlarms.ts';
import { failures } from './failureAlarms.ts';
import { metricsOf } from './metrics.ts';
import type { Watched } from './monitoring.ts';

/** One alarm: on when the metric reaches the threshold in that many periods in a row. */
export interface AlarmShape {
  /** What it means to teams, as a sentence. */
  readonly means: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly periods: number;
}

/** The alarms on what goes wrong for teams; those of `rollback` also take a new version back. */
export class Alarms extends Construct {
  /** Tell within minutes that a new version is worse, from its first failures on; no mistake of a team sets them off. */
  readonly rollback: readonly Alarm[];
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, { watched, topic }: { watched: Watched; topic: ITopic }) {
    super(scope, id);
    const create = (shapes: Record<string, AlarmShape>): Alarm[] =>
      Object.entries(shapes).map(
        ([name, { means, metric, threshold, periods }]) =>
          new Alarm(this, name, {
            alarmDescription: means,
            metric,
            threshold,
            evaluationPeriods: periods,
            comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            // Where nothing is counted nothing happened.
            treatMissingData: TreatMissingData.NOT_BREACHING,
          }),
      );
    this.rollback = create(failures(this, watched));
    this.all = [
      ...this.rollback,
      ...create(shortages(this, watched)),
      ...(watched.settings.trafficAlarms ? [...create(errorAlarms(this)), this.#fallOfUploads()] : []),
    ];
    for (const alarm of this.all) alarm.addAlarmAction(new SnsAction(topic));
  }

  /** Uploads below what this time of the week has had so far. */
  #fallOfUploads(): Alarm {
    return new AnomalyDetectionAlarm(this, 'FewerUploads', {
      alarmDescription:
        'Far fewer logs are accepted than is usual at this time: teams do not reach the service, or are all rejected.',
      metric: new MathExpression({
        expression: 'FILL(accepted, 0)',
        usingMetrics: { accepted: metricsOf(this).metric('Accepted', 15) },
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
