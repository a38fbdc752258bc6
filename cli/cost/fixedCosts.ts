import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MetricName } from '../../functions/metrics.ts';
import { createApp } from '../../infra/app.ts';
import { errorGroups } from '../../infra/monitoring/errorAlarms.ts';
import { readSettings, WrongSettings } from '../../infra/readSettings.ts';
import type { Settings } from '../../infra/settings.ts';
import { Failure } from '../terminal/failure.ts';
import type { FixedCosts } from './estimateCost.ts';

interface Template {
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: Record<string, unknown> }>;
}

/**
 * The metrics of every run of the sequencer in functions/sequencer/handler.ts: those of a deployment without uploads.
 */
export const idleMetrics: readonly MetricName[] = [
  'Accepted',
  'TlogAppended',
  'Stragglers',
  'WitnessQuorumMissed',
  'TlogLag',
  'TlogSize',
];

/** The metrics that uploads add while no part of the service fails. */
const uploadMetrics: readonly MetricName[] = ['Rejected', 'Duplicate', 'ColdStart', 'Latency'];

/** The codes of errors that a team can cause, each of which is a metric. */
const teamErrors = Object.values(errorGroups).flatMap(({ codes }): readonly string[] => codes);

function countMetrics(part: unknown): number {
  if (part === null || typeof part !== 'object') return 0;
  const inner = Object.values(part).reduce((sum: number, value) => sum + countMetrics(value), 0);
  return inner + ('MetricName' in part ? 1 : 0);
}

/** Returns the context of a deployment: that of cdk.json, and the settings that are given. */
function contextOf(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const cdkJson = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));
  return { ...(cdkJson.context as object), ...given };
}

/** Runs some work that reads settings. @throws Failure if a setting is wrong */
function withSettings<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof WrongSettings)) throw cause;
    throw new Failure('usage', cause.message, { cause });
  }
}

/** Returns the settings of a deployment. @throws Failure if a setting is wrong */
export const settingsOf = (given: Readonly<Record<string, unknown>>): Settings =>
  withSettings(() => readSettings(contextOf(given)));

/** The templates of this process, by their settings. To make one takes seconds. */
const templates = new Map<string, Template>();

/** Returns the template of a deployment with these settings. @throws Failure if a setting is wrong */
function synthesizeTemplate(given: Readonly<Record<string, unknown>>): Template {
  const known = templates.get(JSON.stringify(given));
  if (known) return known;
  const outdir = mkdtempSync(join(tmpdir(), 'cdk.out-'));
  try {
    // Without the rules of CloudFormation, which take seconds to load: nothing is deployed.
    const props = { context: contextOf(given), outdir, builtinCloudFormationValidation: false };
    const assembly = withSettings(() => createApp(props).synth());
    const [{ template }] = assembly.stacks as unknown as [{ template: Template }];
    templates.set(JSON.stringify(given), template);
    return template;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/**
 * Counts the parts of a deployment that cost money without being used, in the template that would be deployed.
 * @param context settings, as `cdk deploy -c` takes them
 * @throws Failure if a setting is wrong
 */
export function countFixedCosts(context: Readonly<Record<string, unknown>>): FixedCosts {
  const template = synthesizeTemplate(context);
  const resources = Object.values(template.Resources);
  const all = (type: string) => resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties);
  const watched = all('AWS::CloudWatch::Alarm').map((alarm) => {
    const isBand = JSON.stringify(alarm).includes('ANOMALY_DETECTION_BAND');
    // A band is billed as two more metrics: its upper and its lower bound.
    return countMetrics(alarm) + (isBand ? 2 : 0);
  });
  const firewalls = all('AWS::WAFv2::WebACL');
  const keys = all('AWS::KMS::Key');
  return {
    keys: keys.length,
    rotatingKeys: keys.filter(({ EnableKeyRotation }) => EnableKeyRotation === true).length,
    alarmMetrics: watched.reduce((sum, count) => sum + count, 0),
    idleMetrics: idleMetrics.length,
    uploadMetrics: uploadMetrics.length + teamErrors.length,
    dashboards: all('AWS::CloudWatch::Dashboard').length,
    firewalls: firewalls.length,
    firewallRules: firewalls.flatMap(({ Rules }) => Rules as unknown[]).length,
  };
}
