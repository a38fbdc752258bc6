import { type CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';

const PERIOD_MS = 300_000;

/** No run waits longer for figures that only an alarm needs. */
const TIMEOUT_MS = 3000;

/**
 * Returns a function that reads how much of the public log a distribution of CloudFront served in five minutes, in each
 * minute that begins others. CloudFront has its metrics in us-east-1, and no alarm watches those of another region: so
 * the sequencer emits them again. Source: CloudFront Developer Guide, "Types of metrics for CloudFront".
 * @param client of us-east-1
 */
export const publicReads = (client: CloudWatchClient, distributionId: string) => async (now: number) => {
  if (now % PERIOD_MS >= 60_000) return {};
  // The five minutes before the last: the newest figures come minutes late.
  const EndTime = new Date(now - (now % PERIOD_MS) - PERIOD_MS);
  const Dimensions = Object.entries({ DistributionId: distributionId, Region: 'Global' });
  const MetricDataQueries = ['Requests', 'BytesDownloaded'].map((MetricName) => ({
    Id: MetricName.toLowerCase(),
    MetricStat: {
      Metric: {
        Namespace: 'AWS/CloudFront',
        MetricName,
        Dimensions: Dimensions.map(([Name, Value]) => ({ Name, Value })),
      },
      Period: PERIOD_MS / 1000,
      Stat: 'Sum',
    },
  }));
  const command = new GetMetricDataCommand({
    StartTime: new Date(EndTime.getTime() - PERIOD_MS),
    EndTime,
    MetricDataQueries,
  });
  const { MetricDataResults = [] } = await client.send(command, { abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  const [PublicRequests, PublicBytes] = MetricDataQueries.map(
    (query) => MetricDataResults.find(({ Id }) => Id === query.Id)?.Values?.[0] ?? 0,
  );
  return { PublicRequests, PublicBytes };
};
