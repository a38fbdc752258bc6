import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { TableId } from '../functions/tables.ts';
import { Api } from './api/api.ts';
import { Firewall } from './api/firewall.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { outputs } from './outputs.ts';
import { Rollout } from './rollout.ts';
import { keepsData, type Settings } from './settings.ts';
import { CredentialsKey } from './storage/credentialsKey.ts';
import { Tables } from './storage/tables.ts';
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
    // A deployment that fails at first removes what it made, so that the next one starts afresh. It leaves the tables,
    // whose protection would stop the removal: docs/runbook/failed-deployment.md.
    const removalPolicy = keepsData(settings) ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

    const tables = new Tables(this, 'Tables', { settings });
    const credentialsKey = new CredentialsKey(this, 'CredentialsKey', { settings, removalPolicy });
    const tlog = new Tlog(this, 'Tlog', { settings, tables, removalPolicy });
    const upload = new UploadFunction(this, 'Upload', { settings, tables, credentialsKey, tlog, removalPolicy });
    const rollout = new Rollout(this, 'Rollout', { settings, lambda: upload.lambda });
    const api = new Api(this, 'Api', { settings, upload: rollout.live, removalPolicy });

    if (settings.waf) new Firewall(this, 'Firewall', { settings, stageArn: api.stage.stageArn });
    const monitoring = new Monitoring(this, 'Monitoring', { settings, upload, api, tables });
    rollout.rollBackOn(monitoring.rollbackAlarms);
    tlog.sequencer.startAfter(api.stage);

    new CfnOutput(this, outputs.baseUrl, { value: api.baseUrl });
    if (api.domainTarget) new CfnOutput(this, outputs.domainTarget, { value: api.domainTarget });
    for (const tableId of Object.keys(tables.names) as TableId[]) {
      new CfnOutput(this, outputs.tables[tableId], { value: tables.names[tableId] });
    }
    new CfnOutput(this, outputs.uploadFunction, { value: upload.lambda.functionName });
    new CfnOutput(this, outputs.sequencerFunction, { value: tlog.sequencer.name });
    new CfnOutput(this, outputs.uploadLogGroup, { value: upload.logGroup.logGroupName });
    new CfnOutput(this, outputs.sequencerLogGroup, { value: tlog.sequencer.logGroupName });
    new CfnOutput(this, outputs.apiLogGroup, { value: api.logGroup.logGroupName });
    new CfnOutput(this, outputs.credentialsKeyArn, { value: credentialsKey.arn });
    new CfnOutput(this, outputs.receiptSealingKeyArn, { value: tlog.receiptSealingKey.arn });
    new CfnOutput(this, outputs.tlogOrigin, { value: tlog.origin });
    new CfnOutput(this, outputs.tlogBucket, { value: tlog.bucket.name });
    new CfnOutput(this, outputs.checkpointKeyArns, { value: tlog.checkpointKeys.map(({ arn }) => arn).join(',') });
    if (settings.witnesses !== undefined) new CfnOutput(this, outputs.witnesses, { value: settings.witnesses });
    new CfnOutput(this, outputs.alarmTopicArn, { value: monitoring.topicArn });
  }
}
