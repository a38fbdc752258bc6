import { createServer } from 'node:http';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { afterAll, expect, test } from 'vitest';
import { listen } from '../../cli/local/serve.ts';
import { publicReads } from '../../functions/sequencer/publicReads.ts';

/** CloudWatch, in its own wire format. It knows what was served in each five minutes, by their start in seconds. */
const served: Record<number, Record<string, number>> = { 1763121000: { Requests: 7, BytesDownloaded: 8_000 } };
let queries: { StartTime: number; EndTime: number; MetricDataQueries: Query[] }[] = [];
interface Query {
  readonly Id: string;
  readonly MetricStat: { readonly Metric: { MetricName: string; Dimensions: object[] }; readonly Period: number };
}
const server = createServer(async (request, response) => {
  const query = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
  queries.push(query);
  const results = query.MetricDataQueries.map(({ Id, MetricStat: { Metric } }: Query) => ({
    Id,
    Values: [served[query.StartTime]?.[Metric.MetricName] ?? []].flat(),
  }));
  response.setHeader('Content-Type', 'application/x-amz-json-1.0').end(JSON.stringify({ MetricDataResults: results }));
});
const endpoint = await listen(server, 0);
const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
const read = publicReads(new CloudWatchClient({ endpoint, region: 'us-east-1', credentials }), 'E1');
afterAll(() => {
  server.close();
});

test('reads the sums of the five minutes before the last, in the first minute of others', async () => {
  expect(await read(1_763_121_659_999)).toEqual({ PublicRequests: 7, PublicBytes: 8000 });
  expect(queries).toMatchObject([{ StartTime: 1_763_121_000, EndTime: 1_763_121_300 }]);
  expect(queries[0]?.MetricDataQueries[0]?.MetricStat).toMatchObject({
    Metric: {
      Dimensions: [
        { Name: 'DistributionId', Value: 'E1' },
        { Name: 'Region', Value: 'Global' },
      ],
    },
    Period: 300,
  });
});

test('reads nothing in the other minutes, and 0 where nobody read', async () => {
  queries = [];
  expect(await read(1_763_121_660_000)).toEqual({});
  expect(queries).toEqual([]);
  expect(await read(1_763_121_900_000)).toEqual({ PublicRequests: 0, PublicBytes: 0 });
});
