import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** An alarm that goes off when the metric is at or above the threshold for that many periods in a row. */
export interface AlarmDefinition {
  /** The effect on teams, as a sentence. It is the description of the alarm, and so part of its email. */
  readonly impact: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly periods: number;
}

/** Creates an alarm for each definition; the names become construct ids. */
export const createAlarms = (scope: Construct, definitions: Record<string, AlarmDefinition>): Alarm[] =>
  Object.entries(definitions).map(
    ([name, { impact, metric, threshold, periods }]) =>
      new Alarm(scope, name, {
        alarmDescription: impact,
        metric,
        threshold,
        evaluationPeriods: periods,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        // These metrics have no data points while nothing happens.
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }),
  );
