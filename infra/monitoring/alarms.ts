import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** An alarm that goes off when the metric is at or above the threshold for that many periods in a row. */
export interface AlarmDefinition {
  /** The effect on teams, and the first step: sentences of the description, and so of the email. */
  readonly impact: string;
  readonly first: string;
  readonly metric: IMetric;
  readonly threshold?: number;
  readonly periods?: number;
  /** The meaning of a period without data points. By default it is not breaching. */
  readonly missing?: TreatMissingData;
}

export const describeAlarm = ({ impact, first }: Pick<AlarmDefinition, 'impact' | 'first'>): string =>
  `${impact} First step: ${first}`;

export const createAlarms = (scope: Construct, definitions: Record<string, AlarmDefinition>): Alarm[] =>
  Object.entries(definitions).map(
    ([name, { metric, threshold = 1, periods = 1, missing = TreatMissingData.NOT_BREACHING, ...texts }]) =>
      new Alarm(scope, name, {
        alarmDescription: describeAlarm(texts),
        metric,
        threshold,
        evaluationPeriods: periods,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        // Most metrics have no data points while nothing happens.
        treatMissingData: missing,
      }),
  );
