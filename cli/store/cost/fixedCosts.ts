import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MetricName } from '../../../functions/metrics.ts';
import { createApp } from '../../../infra/app.ts';
import { errorGroups } from '../../../infra/monitoring/errorAlarms.ts';
import { readSettings, WrongSettings } from '../../../infra/readSettings.ts';
import type { Settings } from '../../../infra/settings.ts';
import { Failure } from '../../shell/terminal/failure.ts';

interface Template {
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: Record<string, unknown> }>;
}

/** The metrics of every run of the sequencer: those of a deployment without uploads. */
export const idleMetrics: readonly MetricName[] = [
  'Accepted',
  'TlogAppended',
  'Stragglers',
  'WitnessFailed',
  'WitnessQuorumMissed',
  'TlogLag',
  'TlogSize',
];

/** The metrics of the indexer: those of a nightly run, and what batches add. */
const indexerMetrics: readonly MetricName[] = ['RowsIndexed', 'EntriesPoisoned'];

/** The metrics that uploads add while no part of the service fails. */
const uploadMetrics: readonly MetricName[] = ['Rejected', 'Duplicate', 'ColdStart', 'Latency'];

/** The codes of errors that a team can cause, each of which is a metric. */
const teamErrors = Object.values(errorGroups).flatMap(({ codes }): readonly string[] => codes);

function countMetrics(part: unknown): number {
  if (part === null || typeof part !== 'object') return 0;
  const inner = Object.values(part).reduce((sum: number, value) => sum + countMetrics(value), 0);
  return inner + ('MetricName' in part ? 1 : 0);
}

const cdkJson = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'));

/** Returns the context of a deployment: that of cdk.json, and the settings that are given. */
const contextOf = (given: Readonly<Record<string, unknown>>) => ({ ...cdkJson.context, ...given });

/** Returns the settings of a deployment. @throws Failure if a setting is wrong */
export function settingsOf(given: Readonly<Record<string, unknown>>): Settings {
  try {
    return readSettings(contextOf(given));
  } catch (cause) {
    if (!(cause instanceof WrongSettings)) throw cause;
    throw new Failure('usage', cause.message, { cause });
  }
}

/** The templates of this process, by their settings. To make one takes seconds. */
const templates = new Map<string, Template>();

/** Returns the template of a deployment with these settings. @throws Failure if a setting is wrong */
function synthesizeTemplate(given: Readonly<Record<string, unknown>>): Template {
  const known = templates.get(JSON.stringify(given));
  if (known) return known;
  settingsOf(given);
  const outdir = mkdtempSync(join(tmpdir(), 'cdk.out-'));
  try {
    // Without the rules of CloudFormation, which take seconds to load: nothing is deployed.
    const props = { context: contextOf(given), outdir, builtinCloudFormationValidation: false };
    const [{ template }] = createApp(props).synth().stacks as unknown as [{ template: Template }];
    templates.set(JSON.stringify(given), template);
    return template;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** The parts of a deployment that cost money without being used, by their number. */
export type FixedCosts = ReturnType<typeof countFixedCosts>;

/** Counts them in the template for settings, as `cdk deploy -c` takes them. @throws Failure if a setting is wrong */
export function countFixedCosts(context: Readonly<Record<string, unknown>>) {
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
  const indexers = all('AWS::Lambda::EventSourceMapping').length;
  return {
    keys: keys.length,
    /** The keys among them whose material is replaced every year. */
    rotatingKeys: keys.filter(({ EnableKeyRotation }) => EnableKeyRotation === true).length,
    alarmMetrics: watched.reduce((sum, count) => sum + count, 0),
    idleMetrics: idleMetrics.length + indexers * indexerMetrics.length,
    /** With every error that a team can cause. */
    uploadMetrics: uploadMetrics.length + teamErrors.length,
    dashboards: all('AWS::CloudWatch::Dashboard').length,
    firewalls: firewalls.length,
    firewallRules: firewalls.flatMap(({ Rules }) => Rules as unknown[]).length,
    /** 1 with the setting `analytics`, otherwise 0. */
    indexers,
    /** 1 with the setting `tlogPublic`, otherwise 0. */
    distributions: all('AWS::CloudFront::Distribution').length,
  };
}
