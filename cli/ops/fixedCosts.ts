import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiErrors } from '../../functions/errors.ts';
import { createApp } from '../../infra/app.ts';
import type { FixedCosts } from './estimateCost.ts';

interface Template {
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: Record<string, unknown> }>;
}

/** What the function counts (functions/upload/middleware/logRequest.ts), besides its errors by code, of which each is a metric too. */
export const emittedMetrics = [
  'Accepted',
  'Rejected',
  'Duplicate',
  'ColdStart',
  'Latency',
  'SystemError',
  'Unavailable',
];
const errorCodes = new Set(Object.values(apiErrors).map(({ code }) => code));

/** How many metrics a part of a template names. */
function countMetrics(part: unknown): number {
  if (part === null || typeof part !== 'object') return 0;
  const inner = Object.values(part).reduce((sum: number, value) => sum + countMetrics(value), 0);
  return inner + ('MetricName' in part ? 1 : 0);
}

/**
 * What of a deployment costs without being used, counted in the template that it would be deployed from.
 * @param context settings, as `cdk deploy -c` takes them
 * @throws WrongSettings
 */
export function fixedCostsOf(context: Readonly<Record<string, unknown>>): FixedCosts {
  const cdkJson = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));
  const assembly = createApp({
    context: { ...(cdkJson.context as object), ...context },
    outdir: mkdtempSync(join(tmpdir(), 'cdk.out-')),
  }).synth();
  const [{ template }] = assembly.stacks as unknown as [{ template: Template }];
  const resources = Object.values(template.Resources);
  const all = (type: string) => resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties);
  const watched = all('AWS::CloudWatch::Alarm').map((alarm) => {
    const isBand = JSON.stringify(alarm).includes('ANOMALY_DETECTION_BAND');
    // A band is paid for as two metrics more: its upper and its lower end.
    return countMetrics(alarm) + (isBand ? 2 : 0);
  });
  const firewalls = all('AWS::WAFv2::WebACL');
  return {
    keys: all('AWS::KMS::Key').length,
    alarmMetrics: watched.reduce((sum, count) => sum + count, 0),
    metrics: emittedMetrics.length + errorCodes.size + all('AWS::Logs::MetricFilter').length,
    dashboards: all('AWS::CloudWatch::Dashboard').length,
    firewalls: firewalls.length,
    firewallRules: firewalls.flatMap(({ Rules }) => Rules as unknown[]).length,
  };
}
