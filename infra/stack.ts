import { Annotations, CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Analytics } from './analytics/analytics.ts';
import { Api } from './api/api.ts';
import { Firewall } from './api/firewall.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { outputParts, outputs } from './outputs.ts';
import { textsOf } from './readSettings.ts';
import { Rollout } from './rollout.ts';
import { keepsData, readWitnesses, type Settings } from './settings.ts';
import { Staff } from './staff.ts';
import { CredentialsKey } from './storage/credentialsKey.ts';
import { Tables } from './storage/tables.ts';
import type { TableId } from './tables.ts';
import { Tlog } from './tlog/tlog.ts';
import { UploadFunction } from './uploadFunction.ts';

/** One deployment. CloudFormation chooses the physical names, so that an account can hold any number of deployments. */
export class UploadStack extends Stack {
  constructor(scope: Construct, settings: Settings) {
    super(scope, `AiLogUpload-${settings.stage}`, {
      description: `AI log upload service, ${settings.stage}`,
      terminationProtection: keepsData(settings),
      tags: { Project: 'AiLogUpload', Stage: settings.stage },
    });
    if (keepsData(settings) && settings.alarmEmail === undefined) {
      Annotations.of(this).addWarningV2(
        'AiLogUpload:noAlarmEmail',
        `Stage ${settings.stage} keeps its data, and nobody gets its alarms: set alarmEmail in cdk.json, such as "alarmEmail": "ops@example.com".`,
      );
    }
    const tables = new Tables(this, 'Tables', { settings });
    const credentialsKey = new CredentialsKey(this, 'CredentialsKey', { settings });
    const tlog = new Tlog(this, 'Tlog', { settings, tables });
    const upload = new UploadFunction(this, 'Upload', { settings, tables, credentialsKey, tlog });
    const analytics = new Analytics(this, 'Analytics', { settings, tables });
    const { indexer, outputs: ofAnalytics } = analytics;
    const rollout = new Rollout(this, 'Rollout', { settings, lambda: upload.lambda });
    const api = new Api(this, 'Api', { settings, upload: rollout.live });

    if (settings.waf) new Firewall(this, 'Firewall', { settings, stageArn: api.stage.stageArn });
    const monitoring = new Monitoring(this, 'Monitoring', { settings, upload, api, tables, indexer });
    rollout.rollBackOn(monitoring.rollbackAlarms);
    tlog.sequencer.startAfter(api.stage);

    const lambdas = [upload.lambda, tlog.sequencer.lambda, ...(indexer ? [indexer.lambda] : [])];
    const staff = new Staff(this, 'Staff', {
      tables: tables.names,
      credentialsKey: credentialsKey.arn,
      receiptSealingKey: tlog.receiptSealingKey.arn,
      checkpointKeys: tlog.checkpointKeys.map(({ arn }) => arn),
      tlogBucket: tlog.bucket.name,
      rowBucket: ofAnalytics.bucket as string,
      failureQueue: analytics.failureQueueArn,
      distribution: tlog.public?.distributionArn,
      database: ofAnalytics.database,
      functions: lambdas.map(({ functionName }) => functionName),
      logGroups: [...lambdas, api].map(({ logGroup }) => logGroup.logGroupName),
    });

    const output = (key: string, value: string | undefined) => value && new CfnOutput(this, key, { value });
    output(outputs.baseUrl, api.baseUrl);
    output(outputs.domainTarget, api.domainTarget);
    for (const tableId of Object.keys(tables.names) as TableId[])
      output(outputs.tables[tableId], tables.names[tableId]);
    output(outputs.uploadFunction, upload.lambda.functionName);
    output(outputs.sequencerFunction, tlog.sequencer.lambda.functionName);
    output(outputs.uploadLogGroup, upload.lambda.logGroup.logGroupName);
    output(outputs.sequencerLogGroup, tlog.sequencer.lambda.logGroup.logGroupName);
    output(outputs.apiLogGroup, api.logGroup.logGroupName);
    output(outputs.credentialsKeyArn, credentialsKey.arn);
    output(outputs.receiptSealingKeyArn, tlog.receiptSealingKey.arn);
    output(outputs.tlogOrigin, tlog.origin);
    output(outputs.tlogBucket, tlog.bucket.name);
    output(outputs.tlogUrl, tlog.public?.url);
    output(outputs.tlogDomainTarget, tlog.public?.domainTarget);
    output(outputs.checkpointKeyArns, tlog.checkpointKeys.map(({ arn }) => arn).join(','));
    const policy = settings.witnesses && readWitnesses(settings.witnesses);
    for (const [key, value] of outputParts(outputs.witnesses, policy ?? '')) output(key, value);
    for (const [key, value] of outputParts(outputs.settings, JSON.stringify(textsOf(settings)))) output(key, value);
    for (const [part, key] of Object.entries(outputs.analytics)) output(key, ofAnalytics[part]);
    for (const [role, arn] of Object.entries(staff.arns))
      output(outputs.staff[role as keyof typeof outputs.staff], arn);
    output(outputs.alarmTopicArn, monitoring.topicArn);
  }
}
