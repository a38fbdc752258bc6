import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../functions/upload/config.ts';
import { outputs, readOutputParts } from '../../infra/outputs.ts';
import { blockOf } from '../../infra/readSettings.ts';
import { allowed, domain, nameOf, synth } from './synth.ts';

const dev = synth();
const prod = synth({
  stage: 'prod',
  uidQuota: '500',
  ipQuota: '600',
  windowSeconds: '20',
  requireLocale: 'false',
  reservedConcurrency: '50',
  logRetentionDays: '731',
  entryRetentionDays: '400',
});

describe('permissions', () => {
  test('the role of the function allows exactly what an upload needs', () => {
    const policies = dev.all('AWS::IAM::Policy').map(({ Properties }) => Properties.Roles.map(nameOf));

    expect(policies.sort()).toEqual([['TlogSequencerRole'], ['UploadRole']]);
    expect(allowed(dev.policyOf('UploadRole'))).toEqual([
      'Allow logs:CreateLogStream UploadLogs.Arn',
      'Allow logs:PutLogEvents UploadLogs.Arn',
      'Allow dynamodb:BatchGetItem TablesAllowlist.Arn',
      'Allow dynamodb:BatchGetItem TablesApiKeys.Arn',
      'Allow dynamodb:GetItem TablesAllowlist.Arn',
      'Allow dynamodb:GetItem TablesApiKeys.Arn',
      'Allow dynamodb:UpdateItem TablesWeights.Arn',
      'Allow dynamodb:PutItem TablesAiLogs.Arn',
      'Allow dynamodb:GetItem TablesReceiptKeys.Arn',
      'Allow kms:Decrypt CredentialsKey.Arn',
      'Allow kms:Decrypt TlogReceiptSealingKey.Arn',
    ]);
  });

  test.each(['Upload', 'TlogSequencer'])('only Lambda can assume the role of %s', (name) => {
    expect(dev.part(`${name}Role`).Properties.AssumeRolePolicyDocument.Statement).toEqual([
      { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
    ]);
  });

  test('decryption requires an access key and a UID in the encryption context', () => {
    const statement = dev
      .policyOf('UploadRole')
      .Properties.PolicyDocument.Statement.find(({ Action }: { Action: unknown }) => Action === 'kms:Decrypt');
    expect(statement.Condition).toEqual({
      Null: { 'kms:EncryptionContext:accessKey': 'false', 'kms:EncryptionContext:uid': 'false' },
    });
  });

  // CDK's function that empties the bucket of a dev stage names its policy with Fn::Sub.
  test('only the role of the gateway has a managed policy, and no role has an inline policy', () => {
    const managed = dev.all('AWS::IAM::Role').flatMap(({ Properties }) => {
      expect(Properties.Policies).toBeUndefined();
      return (Properties.ManagedPolicyArns ?? []).filter((arn: object) => !('Fn::Sub' in arn)).map(nameOf);
    });
    expect(managed).toEqual(['arn:AWS::Partition:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs']);
  });

  test('only POST on the upload path of this API and stage can invoke the function', () => {
    const { Principal, Action, SourceArn } = dev.one('AWS::Lambda::Permission', {
      Principal: 'apigateway.amazonaws.com',
    }).Properties;
    expect([Principal, Action]).toEqual(['apigateway.amazonaws.com', 'lambda:InvokeFunction']);
    expect(nameOf(SourceArn)).toBe(
      'arn:AWS::Partition:execute-api:AWS::Region:AWS::AccountId:ApiRestApi/ApiRestApiDeploymentStagedev' +
        '/POST/capi/v2/order/uploadAiLog',
    );
  });
});

describe('function', () => {
  test('has the expected runtime, size and logging, and no tracing', () => {
    const { TracingConfig, ...properties } = dev.lambda('Upload').Properties;
    expect(TracingConfig).toBeUndefined();
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: 1024,
      Timeout: 10,
      LoggingConfig: {
        LogFormat: 'JSON',
        SystemLogLevel: 'WARN',
        LogGroup: { Ref: expect.stringMatching(/^UploadLogs/) },
      },
    });
  });

  test('readConfig reads the settings back from the environment', () => {
    expect(readConfig(prod.environmentOf('Upload'))).toEqual({
      tables: {
        allowlist: 'TablesAllowlist',
        apiKeys: 'TablesApiKeys',
        weights: 'TablesWeights',
        aiLogs: 'TablesAiLogs',
        receiptKeys: 'TablesReceiptKeys',
      },
      uidQuota: 500,
      ipQuota: 600,
      windowSeconds: 20,
      requireLocale: false,
      entryRetentionDays: 400,
      credentialsKey: { arn: 'CredentialsKey.Arn' },
      origin: 'ai-log-upload/AWS::AccountId/AWS::Region/prod',
      receiptKey: 1,
      receiptSealingKey: { arn: 'TlogReceiptSealingKey.Arn' },
      serviceName: 'AiLogUpload-prod',
      logLevel: 'INFO',
    });
  });

  test('entries are kept forever unless entryRetentionDays is set', () => {
    expect(dev.environmentOf('Upload')).not.toHaveProperty('ENTRY_RETENTION_DAYS');
  });

  test('concurrency is reserved only if reservedConcurrency is set', () => {
    expect(prod.lambda('Upload').Properties.ReservedConcurrentExecutions).toBe(50);
    expect(dev.lambda('Upload').Properties.ReservedConcurrentExecutions).toBeUndefined();
  });

  test('the asset contains only the bundle and is the same for every stage', () => {
    const bundled = (stage: string) => synth({ stage }, { bundles: true });
    const { S3Key } = bundled('dev').lambda('Upload').Properties.Code;
    const asset = join(bundled('dev').folder, `asset.${S3Key.replace('.zip', '')}`);
    expect(readdirSync(asset)).toEqual(['index.js', 'package.json']);
    expect(bundled('prod').lambda('Upload').Properties.Code.S3Key).toBe(S3Key);
  });
});

describe('stack', () => {
  test('has the outputs of outputs.ts', () => {
    const { tables, analytics, staff, ...others } = outputs;
    const { domainTarget, witnesses, tlogUrl, tlogDomainTarget, ...always } = others;
    const keys = [...Object.values(always), ...Object.values(tables), ...Object.values(staff)];
    keys.push(analytics.bucket, analytics.failureQueue);
    expect(Object.keys(dev.outputs).sort()).toEqual(keys.sort());
    expect(Object.keys(synth(domain).outputs).sort()).toEqual([...keys, domainTarget].sort());
    expect(dev.outputs[outputs.baseUrl]).toBe('https://ApiRestApi.execute-api.AWS::Region.AWS::URLSuffix/dev');
  });

  test('has its settings in outputs, from which cdk.json gets them back', () => {
    const texts = JSON.parse(readOutputParts(outputs.settings, (key) => prod.outputs[key]) as string);
    expect(texts).toMatchObject({ stage: 'prod', waf: 'true', tlogLockDays: '365', checkpointKeys: '1' });
    expect(blockOf(texts)).toEqual({
      uidQuota: 500,
      ipQuota: 600,
      windowSeconds: 20,
      requireLocale: false,
      reservedConcurrency: 50,
      logRetentionDays: 731,
      entryRetentionDays: 400,
    });
  });

  test.each([
    ['dev', dev, 30],
    ['prod', prod, 731],
  ])('%s: all log groups have the retention of the stage', (_, { all }, days) => {
    const logs = all('AWS::Logs::LogGroup').map(({ Properties }) => Properties.RetentionInDays);
    expect(logs).toEqual(Array(3).fill(days));
  });

  test('no resource has a fixed physical name, so an account can hold several deployments', () => {
    const names = Object.values(dev.resources).flatMap(({ Type, Properties }) =>
      Object.entries(Properties)
        .filter(([name, value]) => /^(Table|Function|LogGroup|Alias)Name$/.test(name) && typeof value === 'string')
        .map(([name]) => `${Type} ${name}`),
    );
    expect(names).toEqual([]);
    expect([dev.artifact.stackName, prod.artifact.stackName]).toEqual(['AiLogUpload-dev', 'AiLogUpload-prod']);
  });

  test('the console says what each resource is for', () => {
    const descriptions = Object.values(prod.resources).flatMap(({ Properties }) =>
      ['Description', 'AlarmDescription'].flatMap((name) => (name in Properties ? [Properties[name]] : [])),
    );
    expect(descriptions.length).toBeGreaterThan(20);
    expect(descriptions.filter((text) => !/^[A-Z\d].{15,}/.test(text))).toEqual([]);
    expect([dev, prod].map(({ artifact }) => artifact.template.Description)).toEqual([
      'AI log upload service, dev',
      'AI log upload service, prod',
    ]);
  });

  const always = ['AWS::ApiGateway::Account Retain Retain', 'AWS::IAM::Role Retain Retain'];
  always.push('AWS::Lambda::Version RetainExceptOnCreate Retain', 'AWS::SQS::Queue Delete Delete');
  const others = ['AWS::KMS::Key', 'AWS::Logs::LogGroup', 'AWS::S3::Bucket'];
  test.each([
    [
      'dev: what it creates is deleted with it, but for what other stacks use and the code of earlier versions',
      dev,
      ['AWS::DynamoDB::GlobalTable', 'Custom::S3AutoDeleteObjects', ...others].map((type) => `${type} Delete Delete`),
    ],
    [
      'prod: what it creates is kept, but a first deployment that fails leaves only the tables, which are protected',
      prod,
      [
        'AWS::DynamoDB::GlobalTable Retain Retain',
        ...[...others, 'AWS::S3::BucketPolicy'].map((type) => `${type} RetainExceptOnCreate Retain`),
      ],
    ],
  ])('%s', (_, { resources }, expected) => {
    const policies = Object.values(resources).flatMap(({ Type, DeletionPolicy, UpdateReplacePolicy }) =>
      DeletionPolicy === undefined ? [] : [`${Type} ${DeletionPolicy} ${UpdateReplacePolicy}`],
    );
    expect([...new Set(policies)].sort()).toEqual([...always, ...expected].sort());
  });

  test('the sequencer starts after the stage of the API, so a first deployment that fails has written no file', () => {
    const { DependsOn } = prod.one('AWS::Events::Rule');
    const [stage] = Object.entries(prod.resources).find(([, { Type }]) => Type === 'AWS::ApiGateway::Stage') ?? [];
    expect(DependsOn).toEqual([stage]);
  });

  test('prod is protected from deletion, dev is not', () => {
    expect(prod.artifact.terminationProtection).toBe(true);
    expect(dev.artifact.terminationProtection).toBe(false);
  });

  test.each([
    ['keeps its data, and has no alarmEmail', { stage: 'live', disposable: 'false' }, 1],
    ['has both', { stage: 'live', disposable: 'false', alarmEmail: 'ops@example.com' }, 0],
    ['is disposable', { stage: 'live' }, 0],
  ])('a deployment says that nobody gets alarms if the stage %s', (_, settings, warnings) => {
    const said = synth(settings).artifact.messages.filter(({ level }) => level === 'warning');
    expect(said.map(({ entry }) => entry.data)).toEqual(
      Array(warnings).fill(
        expect.stringMatching(/^Stage live keeps its data, and nobody gets its alarms: set alarmEmail/),
      ),
    );
  });

  test('has tags', () => {
    expect(prod.artifact.tags).toEqual({ Project: 'AiLogUpload', Stage: 'prod' });
  });
});
