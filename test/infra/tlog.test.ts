import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { readSequencerConfig } from '../../functions/sequencer/config.ts';
import { outputParts, outputs, readOutputParts } from '../../infra/outputs.ts';
import { newWitness } from '../c2sp/keys.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { allowed, existingKey as existing, nameOf, policy, policyFile, type Resource, synth } from './synth.ts';

const publicDomain = {
  tlogDomainName: 'tlog.example.com',
  tlogCertificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012',
};
const dev = synth();
const prod = synth({ stage: 'prod', witnesses: policyFile }, { bundles: true });
const origin = prod.artifact.template.Outputs[outputs.tlogOrigin].Value;

type Statement = Record<'Sid' | 'Effect' | 'Action' | 'Condition' | 'Resource' | 'NotResource' | 'Principal', unknown>;
const statementsOf = ({ Properties }: Resource): Statement[] => Properties.PolicyDocument.Statement;
const allowing = (statements: readonly Statement[], action: string) =>
  statements.filter(({ Action }) => [Action].flat().includes(action));

describe('the role of the sequencer', () => {
  const statements = statementsOf(prod.policyOf('TlogSequencerRole'));

  test('allows exactly what a run needs', () => {
    expect(allowed(prod.policyOf('TlogSequencerRole'))).toEqual([
      'Allow logs:CreateLogStream TlogSequencerLogs.Arn',
      'Allow logs:PutLogEvents TlogSequencerLogs.Arn',
      'Allow dynamodb:Query TablesAiLogs.Arn/index/byArrival',
      'Allow dynamodb:DescribeTable TablesAiLogs.Arn',
      'Allow dynamodb:GetItem TablesReceiptKeys.Arn',
      'Allow dynamodb:PutItem TablesReceiptKeys.Arn',
      'Allow s3:GetObject TlogFilesBucket.Arn/*',
      'Allow s3:PutObject TlogFilesBucket.Arn/*',
      'Allow s3:ListBucket TlogFilesBucket.Arn',
      'Allow kms:Sign TlogCheckpointKey1Key.Arn',
      'Allow kms:GetPublicKey TlogCheckpointKey1Key.Arn',
      'Allow kms:GenerateDataKeyPairWithoutPlaintext TlogReceiptSealingKey.Arn',
    ]);
  });

  test('signs whole messages with Ed25519, and makes keys for receipts of this log only', () => {
    expect(allowing(statements, 'kms:Sign')[0]?.Condition).toEqual({
      StringEquals: { 'kms:SigningAlgorithm': 'ED25519_SHA_512', 'kms:MessageType': 'RAW' },
    });
    expect(allowing(statements, 'kms:GenerateDataKeyPairWithoutPlaintext')[0]?.Condition).toEqual({
      StringEquals: {
        'kms:EncryptionContext:purpose': 'receipts',
        'kms:EncryptionContext:origin': origin,
        'kms:DataKeyPairSpec': 'ECC_NIST_EDWARDS25519',
      },
    });
  });
});

test('the upload function reads only the receipt keys of this log, and decrypts only for receipts of this log', () => {
  const statements = statementsOf(prod.policyOf('UploadRole'));
  const onLog = allowing(statements, 'dynamodb:GetItem').filter(({ Resource }) => !Array.isArray(Resource));
  expect(onLog.map(({ Resource, Condition }) => [nameOf(Resource), Condition])).toEqual([
    ['TablesReceiptKeys.Arn', { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [expect.anything()] } }],
  ]);
  const decrypts = allowing(statements, 'kms:Decrypt').map(({ Resource, Condition }) => [nameOf(Resource), Condition]);
  expect(decrypts).toContainEqual([
    'TlogReceiptSealingKey.Arn',
    {
      StringEquals: {
        'kms:EncryptionContext:purpose': 'receipts',
        'kms:EncryptionContext:origin': origin,
      },
    },
  ]);
  expect(JSON.stringify(statements)).not.toContain('CheckpointKey');
});

test('both functions have the same log and the same key of receipts', () => {
  const [upload, sequencer] = [prod.environmentOf('Upload'), prod.environmentOf('TlogSequencer')];
  for (const name of ['TLOG_ORIGIN', 'RECEIPT_KEY', 'RECEIPT_KEYS_TABLE', 'AI_LOGS_TABLE', 'RECEIPT_SEALING_KEY_ARN']) {
    expect(sequencer[name]).toBe(upload[name]);
  }
  const { S3Key } = prod.lambda('TlogSequencer').Properties.Code;
  const WITNESSES_FILE = join(prod.folder, `asset.${S3Key.replace('.zip', '')}`, sequencer.WITNESSES_FILE as string);
  expect(readSequencerConfig({ ...sequencer, WITNESSES_FILE })).toMatchObject({
    origin: nameOf(origin),
    bucket: 'TlogFilesBucket',
    checkpointKeyArns: ['TlogCheckpointKey1Key.Arn'],
    receiptKey: 1,
    witnesses: { quorum: { members: ['w'] } },
  });
});

test('the name of a log is its own by default: it has the account, the region and the stage, and a domain changes nothing', () => {
  const originOf = (stack: typeof dev) => stack.environmentOf('Upload').TLOG_ORIGIN;
  expect(originOf(dev)).toBe('ai-log-upload/AWS::AccountId/AWS::Region/dev');
  const domain = { domainName: 'logs.example.com', certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/1' };
  expect(originOf(synth(domain))).toBe(originOf(dev));
});

test.each([
  ['Upload', { receiptKey: '2' }, { RECEIPT_KEY: '2' }],
  ['TlogSequencer', { receiptKey: '2' }, { RECEIPT_KEY: '2' }],
  ['TlogSequencer', { entryRetentionDays: '30' }, { ENTRY_RETENTION_DAYS: '30' }],
] as const)('%s has %j in its environment', (name, settings, variables) => {
  expect(synth(settings).environmentOf(name)).toMatchObject(variables);
});

test('each function has its own code', () => {
  const codeOf = (name: 'Upload' | 'TlogSequencer') => {
    const { S3Key } = prod.lambda(name).Properties.Code;
    return readFileSync(join(prod.folder, `asset.${S3Key.replace('.zip', '')}`, 'index.js'), 'utf8');
  };
  expect(codeOf('Upload')).toContain('AI-LOG-RECEIPT');
  expect(codeOf('Upload')).not.toContain('TLOG_BUCKET');
  expect(codeOf('TlogSequencer')).toContain('TLOG_BUCKET');
  expect(codeOf('TlogSequencer')).not.toContain('AI-LOG-RECEIPT');
});

test('the sequencer runs every minute, one at a time, and a failed run is not repeated', () => {
  const { Properties } = prod.lambda('TlogSequencer');
  expect(Properties).toMatchObject({
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Architectures: ['arm64'],
    Timeout: 900,
    ReservedConcurrentExecutions: 1,
    LoggingConfig: {
      LogFormat: 'JSON',
      SystemLogLevel: 'WARN',
      LogGroup: { Ref: expect.stringMatching(/^TlogSequencerLogs/) },
    },
    Environment: { Variables: { SERVICE_NAME: 'AiLogUpload-prod' } },
  });
  expect(prod.one('AWS::Events::Rule').Properties).toMatchObject({
    ScheduleExpression: 'rate(1 minute)',
    State: 'ENABLED',
    Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } }],
  });
  expect(prod.one('AWS::Lambda::EventInvokeConfig').Properties).toMatchObject({
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  });
});

test.each([
  ['10', undefined],
  ['100', undefined],
  ['101', 1],
])(
  'accountConcurrency=%s: the sequencer reserves %s, because AWS rejects a stack that reserves the last 100',
  (accountConcurrency, reserved) => {
    expect(synth({ accountConcurrency }).lambda('TlogSequencer').Properties.ReservedConcurrentExecutions).toBe(
      reserved,
    );
  },
);

describe('the keys', () => {
  test('checkpoints are signed with Ed25519, and the keys of receipts and of credentials rotate', () => {
    for (const { all } of [dev, prod]) {
      const keys = all('AWS::KMS::Key').map(({ Properties: { Description, KeySpec, KeyUsage, EnableKeyRotation } }) => [
        Description,
        KeySpec === undefined ? EnableKeyRotation : [KeySpec, KeyUsage],
      ]);
      expect(keys).toEqual([
        ['Encrypts the credentials of API keys', true],
        [expect.any(String), ['ECC_NIST_EDWARDS25519', 'SIGN_VERIFY']],
        ['Seals the keys that sign receipts of uploads', true],
      ]);
    }
  });

  test.each<[settings: string, keys: string[], made: number]>([
    ['1', ['TlogCheckpointKey1Key.Arn'], 1],
    ['1,2', ['TlogCheckpointKey1Key.Arn', 'TlogCheckpointKey2Key.Arn'], 2],
    // The first key stays, so that a step back makes no other key under its id.
    ['2', ['TlogCheckpointKey2Key.Arn'], 2],
    [`${existing},2`, [existing, 'TlogCheckpointKey2Key.Arn'], 2],
    [existing, [existing], 0],
  ])(
    'checkpointKeys=%s: the sequencer signs with these keys, and the stack makes those without an ARN',
    (keys, arns, made) => {
      const stack = synth({ checkpointKeys: keys });
      const statements = statementsOf(stack.policyOf('TlogSequencerRole'));
      for (const action of ['kms:Sign', 'kms:GetPublicKey']) {
        const resources = allowing(statements, action).flatMap(({ Resource }) => [Resource].flat().map(nameOf));
        expect(resources.sort()).toEqual(arns.toSorted());
      }
      expect(stack.environmentOf('TlogSequencer').CHECKPOINT_KEY_ARNS).toBe(arns.join(','));
      expect(stack.outputs[outputs.checkpointKeyArns]).toBe(arns.join(','));
      const signing = Object.entries(stack.resources).filter(([, { Properties }]) => Properties?.KeySpec !== undefined);
      expect(signing.map(([id]) => id.slice(0, -11))).toEqual(
        Array.from({ length: made }, (_, index) => `TlogCheckpointKey${index + 1}`),
      );
    },
  );
});

describe('the bucket', () => {
  const namesOf = (resource: unknown) => (Array.isArray(resource) ? resource.map(nameOf) : nameOf(resource));
  const denied = (stack: typeof prod) =>
    statementsOf(stack.inTlog('AWS::S3::BucketPolicy'))
      .filter(({ Effect, Sid }) => Effect === 'Deny' && Sid !== undefined)
      .map(({ Sid, Principal, Action, Condition, Resource, NotResource }) => ({
        Sid,
        Principal,
        Action,
        Condition,
        ...(Resource ? { Resource: namesOf(Resource) } : { NotResource: namesOf(NotResource) }),
      }));
  const createOnly = (stage: string) => [
    {
      Sid: 'CreateOnly',
      Principal: { AWS: '*' },
      Action: 's3:PutObject',
      NotResource: `TlogFilesBucket.Arn/ai-log-upload/AWS::AccountId/AWS::Region/${stage}/checkpoint`,
      Condition: { Null: { 's3:if-none-match': 'true' } },
    },
    {
      Sid: 'ReplaceWhatWasRead',
      Principal: { AWS: '*' },
      Action: 's3:PutObject',
      Resource: `TlogFilesBucket.Arn/ai-log-upload/AWS::AccountId/AWS::Region/${stage}/checkpoint`,
      Condition: { Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' } },
    },
  ];

  test('takes new files only, and a checkpoint in place of the one that was read', () => {
    expect(denied(dev)).toEqual(createOnly('dev'));
    expect(denied(prod).slice(0, 2)).toEqual(createOnly('prod'));
  });

  test('is versioned, and every bucket is private, encrypted, and requires TLS 1.2', () => {
    expect(prod.inTlog('AWS::S3::Bucket').Properties.VersioningConfiguration).toEqual({ Status: 'Enabled' });
    const closed = {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
    };
    for (const stack of [prod, dev]) {
      for (const { Properties } of stack.all('AWS::S3::Bucket')) expect(Properties).toMatchObject(closed);
      const policies = stack.all('AWS::S3::BucketPolicy');
      expect(policies).toHaveLength(stack.all('AWS::S3::Bucket').length);
      for (const policy of policies) {
        const denied = statementsOf(policy).filter(({ Effect, Action }) => Effect === 'Deny' && Action === 's3:*');
        expect(denied.map(({ Condition, Principal }) => [Condition, Principal])).toEqual([
          [{ Bool: { 'aws:SecureTransport': 'false' } }, { AWS: '*' }],
          [{ NumericLessThan: { 's3:TlsVersion': 1.2 } }, { AWS: '*' }],
        ]);
      }
    }
  });

  test('prod: nobody deletes its files, and S3 locks them for a year', () => {
    expect(prod.inTlog('AWS::S3::Bucket').Properties).toMatchObject({
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 365 } } },
    });
    expect(denied(prod).slice(2)).toEqual([
      {
        Sid: 'NoDeletion',
        Principal: { AWS: '*' },
        Action: ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:PutObjectLegalHold', 's3:PutObjectRetention'],
        Resource: 'TlogFilesBucket.Arn/*',
      },
      {
        Sid: 'NoExpiry',
        Principal: { AWS: '*' },
        Action: ['s3:DeleteBucket', 's3:PutLifecycleConfiguration'],
        Resource: 'TlogFilesBucket.Arn',
      },
    ]);
  });

  test('a later tlogLockDays does not replace it: Object Lock is on from the start, and locks nothing without it', () => {
    // Those properties of AWS::S3::Bucket that this template has and that require replacement.
    const replacing = ({ Properties }: Resource) => [Properties.BucketName, Properties.ObjectLockEnabled];
    expect(replacing(dev.inTlog('AWS::S3::Bucket'))).toEqual([undefined, true]);
    expect(replacing(synth({ tlogLockDays: '7' }).inTlog('AWS::S3::Bucket'))).toEqual([undefined, true]);
    expect(dev.inTlog('AWS::S3::Bucket').Properties).not.toHaveProperty('ObjectLockConfiguration');
  });

  test('dev: it is deleted with the stack, unless its files are locked', () => {
    expect(dev.all('Custom::S3AutoDeleteObjects')).toHaveLength(2);
    const locked = synth({ tlogLockDays: '7' });
    expect(locked.inTlog('AWS::S3::Bucket').DeletionPolicy).toBe('RetainExceptOnCreate');
    // The function that empties buckets is there as before, with its rights, and leaves a bucket alone whose tag is
    // false.
    const emptying = ({ resources }: typeof prod) => Object.keys(resources).filter((id) => /AutoDelete/.test(id));
    expect(emptying(locked)).toEqual(emptying(dev));
    const tags = (stack: typeof prod) => JSON.stringify(stack.inTlog('AWS::S3::Bucket').Properties.Tags);
    expect([dev, locked].map((stack) => tags(stack))).toEqual(
      ['true', 'false'].map((Value) => JSON.stringify([{ Key: 'aws-cdk:auto-delete-objects', Value }])),
    );
    const grants = (stack: typeof prod) =>
      allowing(statementsOf(stack.inTlog('AWS::S3::BucketPolicy')), 's3:PutBucketPolicy');
    expect(grants(locked)).toEqual(grants(dev));
    expect(denied(locked).map(({ Sid }) => Sid)).toEqual(denied(prod).map(({ Sid }) => Sid));
  });
});

describe('a log of another name', () => {
  const named = synth({ stage: 'prod', witnesses: policyFile, tlogOrigin: 'logs.example.com/ailog' });
  /** The logical ids of what one log has for itself. */
  const ownOf = ({ resources }: typeof prod) =>
    Object.keys(resources).filter((id) => /^Tlog(Files|ReceiptSealingKey)/.test(id));

  test('is another log: it shares no bucket and no sealing key with the one before', () => {
    const next = synth({ stage: 'prod', tlogOrigin: 'logs.example.com/ailog-2' });
    const all = [prod, named, next].flatMap(ownOf);
    expect(ownOf(prod).length).toBeGreaterThan(2);
    expect(new Set(all).size).toBe(3 * ownOf(prod).length);
  });

  test('is served by the same distribution, which keeps its domain and turns to the new bucket; no path is of both', () => {
    const [before, after] = ['logs.example.com/ailog', 'logs.example.com/ailog-2'].map((tlogOrigin) => {
      const { resources, outputs: values } = synth({ stage: 'prod', ...publicDomain, tlogOrigin });
      const parts = Object.entries(resources).filter(([, { Type }]) => Type.startsWith('AWS::CloudFront::'));
      const of = (type: string) =>
        parts.find(([, { Type }]) => Type === `AWS::CloudFront::${type}`) as (typeof parts)[0];
      const [id, { Properties }] = of('Distribution');
      const [{ DomainName, ...origin }] = Properties.DistributionConfig.Origins;
      return {
        parts: parts.map(([name]) => name),
        access: of('OriginAccessControl')[1].Properties,
        // CloudFormation takes an update of these without making another one.
        distribution: { id, ...Properties.DistributionConfig, Origins: origin },
        bucket: nameOf(DomainName),
        url: values[outputs.tlogUrl],
      };
    });
    if (!before || !after) throw new Error('no stack');
    expect(after.parts).toEqual(before.parts);
    expect([after.access, after.distribution]).toEqual([before.access, before.distribution]);
    expect(after.distribution).toMatchObject({ Aliases: ['tlog.example.com'] });
    expect(after.bucket).not.toBe(before.bucket);
    // Caches keep files for a year. The key of a file in the bucket is its path, and begins with the name of the log.
    expect([before.url, after.url]).toEqual([
      'https://tlog.example.com/logs.example.com/ailog',
      'https://tlog.example.com/logs.example.com/ailog-2',
    ]);
  });

  test('has a bucket that is as protected as the first', () => {
    expect(named.inTlog('AWS::S3::Bucket').Properties).toEqual(prod.inTlog('AWS::S3::Bucket').Properties);
    const sids = (one: typeof prod) => statementsOf(one.inTlog('AWS::S3::BucketPolicy')).map(({ Sid }) => Sid);
    expect(sids(named)).toEqual(sids(prod));
    const statements = statementsOf(named.policyOf('TlogSequencerRole'));
    expect(allowing(statements, 's3:PutObject').map(({ Resource }) => nameOf(Resource))).toEqual([
      expect.stringMatching(/^TlogFiles[0-9a-f]{8}Bucket\.Arn\/\*$/),
    ]);
  });

  test('the same name gives the same ids', () => {
    const again = synth({ stage: 'prod', tlogOrigin: 'logs.example.com/ailog', tlogLockDays: '7' });
    expect(ownOf(again)).toEqual(ownOf(named));
  });
});

describe('witnesses', () => {
  test('a policy with eighty witnesses is in outputs that CloudFormation takes, and is read back', () => {
    const lines = Array.from({ length: 80 }, (_, index) => {
      const { key } = newWitness(`w${index}.example.com`);
      return `witness w${index} ${formatVerifierKey(key)} https://w${index}.example.com`;
    });
    const long = `${lines.join('\n')}\ngroup g any w0 w1\nquorum g`;
    const path = join(temporaryFolder(), 'witnesses.policy');
    writeFileSync(path, `${long}\n`);
    const { outputs: values } = synth({ witnesses: path });
    const parts = Object.keys(values).filter((key) => key.startsWith(outputs.witnesses));
    expect(parts.length).toBeGreaterThan(7);
    for (const key of parts) expect(values[key]?.length).toBeLessThanOrEqual(1024);
    expect(readOutputParts(outputs.witnesses, (key) => values[key])).toBe(long);
  });

  test('no part of it begins or ends with white space, which CloudFormation would trim', () => {
    const text = ' \n'.repeat(1000);
    const parts = new Map(outputParts(outputs.witnesses, text));
    for (const part of parts.values()) expect(part.trim()).toBe(part);
    expect(readOutputParts(outputs.witnesses, (key) => parts.get(key))).toBe(text);
    expect(readOutputParts(outputs.witnesses, () => undefined)).toBeUndefined();
  });

  test('the policy is an output, if there is one', () => {
    expect(prod.outputs[outputs.witnesses]).toBe(encodeURIComponent(policy));
    expect(dev.outputs).not.toHaveProperty(outputs.witnesses);
  });
});

describe('the public path', () => {
  const closed = synth({ stage: 'prod', tlogPublic: 'false' });
  const isPublicPart = ({ Type }: Resource) => Type.startsWith('AWS::CloudFront::');

  test('is on where data is kept; off, there is neither a distribution, nor an output, nor a right to read', () => {
    expect(prod.outputs).toHaveProperty(outputs.tlogUrl);
    for (const stack of [dev, closed]) {
      expect(Object.values(stack.resources).filter(isPublicPart)).toEqual([]);
      expect(stack.outputs).not.toHaveProperty(outputs.tlogUrl);
      expect(JSON.stringify(stack.resources)).not.toContain('cloudfront.amazonaws.com');
    }
  });

  test('lets CloudFront read the files, of the account only, and nothing else', () => {
    const toCloudFront = statementsOf(prod.inTlog('AWS::S3::BucketPolicy')).filter(({ Effect, Principal }) => {
      return Effect === 'Allow' && JSON.stringify(Principal).includes('cloudfront');
    });
    const lines = toCloudFront.map(({ Action, Resource, Condition }) => {
      const [[operator, values = {}] = []] = Object.entries(Condition as Record<string, Record<string, unknown>>);
      const [[name, value] = []] = Object.entries(values);
      return [Action, `${operator} ${name} ${nameOf(value)}`, ...[Resource].flat().map(nameOf)];
    });
    const ofAccount = 'ArnLike aws:SourceArn arn:AWS::Partition:cloudfront::AWS::AccountId:distribution/*';
    expect(lines).toEqual([
      ['s3:GetObject', ofAccount, 'TlogFilesBucket.Arn/*'],
      // A missing file is a 404.
      [
        's3:ListBucket',
        ofAccount.replace('distribution/*', 'distribution/TlogPublicDistribution.Id'),
        'TlogFilesBucket.Arn',
      ],
    ]);
  });

  test('serves over HTTPS, signs its reads of the bucket, and never lists it', () => {
    const { DistributionConfig } = prod.one('AWS::CloudFront::Distribution').Properties;
    expect(DistributionConfig).toMatchObject({
      Enabled: true,
      PriceClass: 'PriceClass_100',
      DefaultRootObject: 'checkpoint',
      DefaultCacheBehavior: {
        ViewerProtocolPolicy: 'https-only',
        // Managed-CachingOptimized: neither queries nor headers of readers reach the bucket, and Cache-Control counts.
        CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
        // Managed-CORS-and-SecurityHeadersPolicy.
        ResponseHeadersPolicyId: 'e61eb60c-9c35-4d20-a928-2b84e02af89c',
      },
    });
    const [bucket] = DistributionConfig.Origins;
    expect(nameOf(bucket.DomainName)).toBe('TlogFilesBucket.RegionalDomainName');
    expect(nameOf(bucket.OriginAccessControlId)).toBe('TlogPublicAccess.Id');
    expect(prod.one('AWS::CloudFront::OriginAccessControl').Properties.OriginAccessControlConfig).toMatchObject({
      OriginAccessControlOriginType: 's3',
      SigningBehavior: 'always',
    });
    expect(prod.outputs[outputs.tlogUrl]).toBe(`https://TlogPublicDistribution.DomainName/${nameOf(origin)}`);
  });

  test('can have a domain name, which teams keep if its address changes', () => {
    const { one, outputs: values } = synth({ stage: 'prod', ...publicDomain });
    expect(one('AWS::CloudFront::Distribution').Properties.DistributionConfig).toMatchObject({
      Aliases: ['tlog.example.com'],
      ViewerCertificate: { AcmCertificateArn: publicDomain.tlogCertificateArn, MinimumProtocolVersion: 'TLSv1.2_2021' },
    });
    expect(values[outputs.tlogUrl]).toBe(`https://tlog.example.com/${nameOf(origin)}`);
    expect(values[outputs.tlogDomainTarget]).toBe('TlogPublicDistribution.DomainName');
    expect(prod.outputs).not.toHaveProperty(outputs.tlogDomainTarget);
  });

  test('has a name of its own in each region: all regions of an account share the names of CloudFront', () => {
    const nameIn = (stack: typeof prod) =>
      nameOf(stack.one('AWS::CloudFront::OriginAccessControl').Properties.OriginAccessControlConfig.Name);
    expect(nameIn(prod)).toMatch(/^AiLogUpload-prod-AWS::Region$/);
    const longest = nameIn(synth({ stage: 'prod'.padEnd(20, 'x') })).replace('AWS::Region', 'ap-southeast-1');
    expect(longest.length).toBeLessThanOrEqual(64);
  });
});
