import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { blockOf, readSettings as readContext, readStage, textsOf } from '../../infra/readSettings.ts';
import { readWitnesses, settings } from '../../infra/settings.ts';
import { newWitness } from '../c2sp/keys.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { domain, existingKey as key } from './synth.ts';

/** The defaults of a disposable stage. test/project/docs.test.ts compares them with docs/settings.md. */
const defaults = {
  ...Object.fromEntries(Object.entries(settings).map(([name, shape]) => [name, shape.default])),
  disposable: true,
};
const defaultsInProd = {
  ...defaults,
  disposable: false,
  stage: 'prod',
  waf: true,
  canary: true,
  logRetentionDays: 365,
  tlogLockDays: 365,
  tlogPublic: true,
};

/** Reads the settings of a stage, which is disposable unless `stages` says otherwise. */
const readSettings = (context: Record<string, unknown>) =>
  readContext({ stages: { [String(context.stage ?? 'dev')]: { disposable: true } }, ...context });

/** Reads settings that cdk.json has for a stage. */
const inFile = (stage: string, block: object, options = {}) =>
  readSettings({ ...options, stage, stages: { other: { waf: 'no' }, [stage]: block } });

describe('settings', () => {
  test('have defaults', () => {
    expect(readSettings({})).toEqual(defaults);
    expect(inFile('prod', {})).toEqual(defaultsInProd);
  });

  test.each(['live', 'main', 'preprod', 'dev', 'prod-eu'])('keep the data of the stage %s', (stage) => {
    expect(inFile(stage, {})).toEqual({ ...defaultsInProd, stage });
    expect(() => readContext({ stage })).toThrow(`Stage ${stage} has no settings in cdk.json. Write into its context`);
  });

  test('may say that a stage is disposable: in its block, or beside it where there is none', () => {
    expect(inFile('live', { disposable: true })).toEqual({ ...defaults, stage: 'live' });
    expect(readContext({ stage: 'try', disposable: 'true' })).toEqual({ ...defaults, stage: 'try' });
    expect(() => inFile('live', {}, { disposable: 'true' })).toThrow(
      'Setting disposable is given beside cdk.json, and the next deployment would forget it.',
    );
    expect(cdkJson.context.stages).toEqual({ dev: { disposable: true } });
  });

  test('may let one IP address have exactly a tenth of the stage', () => {
    // The flood limit is 2 * 300 * 7 a minute, 70 a second.
    expect(readSettings({ waf: 'true', ipQuota: '300', apiRateLimit: '700' })).toMatchObject({ ipQuota: 300 });
    expect(() => readSettings({ waf: 'true', ipQuota: '300', apiRateLimit: '699' })).toThrow('more than 10 %');
  });

  test("ignore CDK's own context", () => {
    expect(readSettings({ 'aws:cdk:bundling-stacks': ['**'], '@aws-cdk/core:checkSecretUsage': true })).toEqual(
      defaults,
    );
  });

  test.each([
    ['stage', 'load-test-2', 'load-test-2'],
    ['uidQuota', '500', 500],
    ['uidQuota', 500, 500],
    ['windowSeconds', '20', 20],
    ['requireLocale', 'false', false],
    ['requireLocale', false, false],
    ['reservedConcurrency', '0', 0],
    ['logRetentionDays', '365', 365],
    ['warmThroughput', '2000', 2000],
    ['adoptTables', 'Reviews=old-Reviews,Allowlist=old.2', 'Reviews=old-Reviews,Allowlist=old.2'],
    ['credentialsKeyArn', key, key],
    ['checkpointKeys', '1,2', '1,2'],
    ['checkpointKeys', `20,${key}`, `20,${key}`],
    ['tlogOrigin', 'logs.example.com/ailog', 'logs.example.com/ailog'],
    ['alarmEmail', 'ops@example.com', 'ops@example.com'],
  ])('%s %j is read as %j', (name, given, value) => {
    expect(readSettings({ [name]: given })).toEqual({ ...defaults, [name]: value });
  });

  describe('of a stage are in cdk.json', () => {
    test('and others beside them override them, but not where data is kept', () => {
      expect(inFile('dev', { disposable: true, uidQuota: 5, ipQuota: 7 }, { ipQuota: '6' })).toMatchObject({
        uidQuota: 5,
        ipQuota: 6,
      });
      expect(() => inFile('prod', { uidQuota: 5 }, { checkpointKeys: '1,2', uidQuota: '6' })).toThrow(
        new Error(
          ['"checkpointKeys": "1,2"', '"uidQuota": 6']
            .map(
              (line) =>
                `Setting ${line.split('"')[1]} is given beside cdk.json, and the next deployment would forget it. Write into stages.prod of cdk.json: ${line}`,
            )
            .join('\n'),
        ),
      );
    });

    test.each([
      [{ stage: 'prod' }, /^Stage prod has no settings in cdk.json. Write into its context: "stages": \{"prod": \{/],
      [{ stage: 'prod', stages: {} }, /prints what it has\.$/],
      [{ stage: 'prod', stages: { prdo: {} } }, /^Stage prod has no settings in cdk.json, which has those of prdo\. /],
      [{ stage: 'prod', stages: 'prod' }, /^"stages" in cdk.json must have an object of settings for prod/],
      [
        { stages: { dev: 5 } },
        /^"stages" in cdk.json must have an object of settings for dev, such as \{"uidQuota": 500\}\.$/,
      ],
      [{ stages: { dev: { disposable: true, stage: 'prod' } } }, /^Setting stage does not exist: /],
      [{ stages: { dev: { uidQuotas: 5 } } }, /^Setting uidQuotas does not exist \(did you mean uidQuota\?\): /],
      [{ stages: { dev: { uidQuota: 'x' } } }, /^Setting uidQuota is "x": it must be an integer/],
    ])('%j is rejected', (context, message) => {
      expect(() => readContext(context)).toThrow(message);
    });

    test('from which commands read them, with others that are given in their place', () => {
      const context = { 'aws:cdk': true, stages: { prod: { uidQuota: 5, ipQuota: 7 }, dev: { uidQuota: 9 } } };
      const read = readStage('prod', { ipQuota: '6' }, context);
      expect(read).toEqual({ ...defaultsInProd, uidQuota: 5, ipQuota: 6 });
      expect(readStage('test', {}, context)).toEqual({ ...defaultsInProd, stage: 'test' });
    });

    // biome-ignore format: one case a line
    test.each<[string, object]>([
      ['dev', { disposable: true, uidQuota: 5, waf: true, alarmEmail: 'ops@example.com', checkpointKeys: '1,2', tlogPublic: true }],
      ['prod', { waf: false, logRetentionDays: 30, adoptTables: 'ReceiptKeys=old' }],
      ['prod-eu', {}],
    ])('%s %j is what its output gives back', (stage, block) => {
      expect(blockOf(textsOf(inFile(stage, block)))).toEqual(block);
      // A value that is usual in dev is not in prod, and the other way around.
      expect(inFile(stage, blockOf(textsOf(inFile(stage, block))))).toEqual(inFile(stage, block));
    });
  });

  test('given values override the defaults of prod', () => {
    expect(inFile('prod', { waf: false, logRetentionDays: 90 })).toEqual({
      ...defaultsInProd,
      waf: false,
      logRetentionDays: 90,
    });
  });

  test.each([
    [{ domainName: domain.domainName }, 'domainName needs certificateArn: the ARN of an ACM certificate.'],
    [{ certificateArn: domain.certificateArn }, 'certificateArn needs domainName: a domain name in lower case'],
    [{ tlogDomainName: 'tlog.example.com' }, 'tlogDomainName needs tlogCertificateArn: the ARN of an ACM'],
    [
      { tlogCertificateArn: domain.certificateArn.replace('eu-west-1', 'us-east-1') },
      'tlogCertificateArn needs tlogDomainName: a domain name',
    ],
    // CloudFront takes certificates from there only.
    [
      { tlogDomainName: 'tlog.example.com', tlogCertificateArn: domain.certificateArn },
      'it must be the ARN of an ACM certificate in us-east-1.',
    ],
  ])('a domain name needs its certificate, and a certificate its name: not %j alone', (given, message) => {
    expect(() => readSettings(given)).toThrow(message);
    expect(readSettings(domain)).toEqual({ ...defaults, ...domain });
  });

  const [role, id] = ['arn:aws:iam::111122223333:role/a', 'AROA2SOMETHINGLIKETHIS'];
  const integer = (from: number, to: number) => `an integer from ${from} to ${to}`;
  const stage = 'a lower-case letter, then at most 19 of a-z, 0-9 and "-"';
  const keys = 'one key, or two with a comma between them. A key is a number from 1 to 20, or the ARN of a KMS key';
  // biome-ignore format: one case a line
  const rejected: [name: keyof typeof settings, values: readonly unknown[], allowed: string][] = [
    ['stage', ['Prod', '', '1st', 'a-stage-of-21-letters'], stage],
    ['uidQuota', ['0', '1e3', 2.5], integer(1, 5000)],
    ['ipQuota', ['-1', '5001'], integer(1, 5000)],
    ['windowSeconds', ['10s'], integer(1, 20)],
    ['requireLocale', ['no', 'toString'], 'true or false'],
    ['apiRateLimit', ['', null], integer(1, 100_000)],
    ['reservedConcurrency', ['all'], integer(0, 10_000)],
    ['alarmEmail', ['ops'], 'an email address'],
    ['entryRetentionDays', ['forever'], integer(1, 36_500)],
    ['accountConcurrency', ['0'], integer(10, 1_000_000)],
    ['warmThroughput', ['800', '8001'], integer(801, 8000)],
    ['adoptTables', ['AiLogs=no', 'old', 'Logs=old'], settings.adoptTables.allowed],
    ['adoptTables', ['AiLogs=one,AiLogs=two', 'Allowlist=one,ApiKeys=one'], settings.adoptTables.allowed],
    ['checkpointKeys', ['', '0', '21', '1,', '2,2', '1,2,3', `${key}:1`], keys],
    ['tlogOrigin', ['', 'a b', 'Logs', '/logs', 'logs/', 'a//b', 'a/../b', 'l'.repeat(101)], settings.tlogOrigin.allowed],
    ['credentialsKeyArn', ['my-key'], 'the ARN of a KMS key'],
    ['keyRoles', ['', 'role/a', 'arn:aws:iam::111122223333:user/a', `${role},`, `${role},${role}`], settings.keyRoles.allowed],
    ['reviewerRoles', ['', 'Reviewer', 'AROA1', 'AIDA2SOMETHINGLIKETHIS', `${id}:ann`, `${id},`, `${id},${id}`, `${id},${id}:*`], settings.reviewerRoles.allowed],
    ['tlogLockDays', ['0'], integer(1, 36_500)],
    ['tlogPublic', ['paused', 'none'], 'true or false'],
    ['waf', ['on'], 'true or false'],
    ['logRetentionDays', ['10'], settings.logRetentionDays.allowed],
    ['domainName', ['localhost', 'Logs.example.com', 'https://logs.example.com', 'logs.example.com/api'], settings.domainName.allowed],
    ['certificateArn', ['arn:aws:iam::111122223333:server-certificate/x'], settings.certificateArn.allowed],
  ];
  test.each(rejected.flatMap(([name, values, allowed]) => values.map((value) => ({ name, value, allowed }))))(
    '$name $value is rejected',
    ({ name, value, allowed }) => {
      const given =
        name === 'domainName' || name === 'certificateArn' ? { ...domain, [name]: value } : { [name]: value };
      const message = `Setting ${name} is ${JSON.stringify(value)}: it must be ${allowed}.`;
      expect(() => readSettings(given)).toThrow(new Error(message));
    },
  );

  test('are at most 30', () => {
    expect(Object.keys(settings).length).toBeLessThanOrEqual(30);
  });

  test.each([
    ['uidQuotas', ' (did you mean uidQuota?)'],
    ['UIDQUOTA', ' (did you mean uidQuota?)'],
    ['alarmMail', ' (did you mean alarmEmail?)'],
    ['log-retention-days', ' (did you mean logRetentionDays?)'],
    ['colour', ''],
    ['a', ''],
  ])('%s, which does not exist, is rejected, and those that exist are named', (name, question) => {
    const message = `Setting ${name} does not exist${question}: the settings are ${Object.keys(settings).slice(1).join(', ')}.`;
    expect(() => readSettings({ [name]: '5' })).toThrow(new Error(message));
  });

  describe('contradict each other', () => {
    const withApiKeys = { adoptTables: 'ApiKeys=old' };
    const adoptedLogs = { adoptTables: 'AiLogs=old', tlogOrigin: 'logs.example.com/ailog-2' };
    // biome-ignore format: one case a line
    test.each<[string, Record<string, string>, string]>([
      ['a quota above the rate', { ipQuota: '41', windowSeconds: '2', apiRateLimit: '20', uidQuota: '1' }, 'Setting ipQuota is 41 per 2 s, but apiRateLimit is 20 per second: the gateway would reject a team within its quota. Set ipQuota to at most 40, or apiRateLimit to at least 21.'],
      ['a flood limit that lets few addresses fill the stage', { waf: 'true', apiRateLimit: '1000' }, 'Setting ipQuota is 1000 per 10 s, so the firewall allows one IP address 234 requests per second, more than 10 % of apiRateLimit (1000): a few addresses could shut out all teams. Set apiRateLimit to at least 2334, or a smaller ipQuota.'],
      ['a reservation that AWS rejects', { reservedConcurrency: '900' }, 'Setting reservedConcurrency is 900, but accountConcurrency is 1000, of which AWS keeps 100 unreserved and the sequencer has 1. Set reservedConcurrency to at most 899, or ask AWS for a higher quota.'],
      ['a reservation beside the one of the sequencer', { reservedConcurrency: '1', accountConcurrency: '101' }, 'Setting reservedConcurrency is 1, but accountConcurrency is 101, of which AWS keeps 100 unreserved and the sequencer has 1. Leave reservedConcurrency unset, or ask AWS for a higher quota.'],
      ['a reservation in a new account', { reservedConcurrency: '5', accountConcurrency: '10' }, 'Setting reservedConcurrency is 5, but accountConcurrency is 10, of which AWS keeps 100 unreserved. Leave reservedConcurrency unset, or ask AWS for a higher quota.'],
      ['warm tables behind a slow gateway', { warmThroughput: '2501' }, 'Setting warmThroughput is 2501, but apiRateLimit is 2500: you would pay for tables that are faster than the gateway. Set warmThroughput to at most 2500, or apiRateLimit to at least 2501.'],
      ['adopted API keys without their KMS key', withApiKeys, 'Setting adoptTables names ApiKeys, so it needs credentialsKeyArn: no other key decrypts the credentials in that table.'],
      ['adopted logs in a log of the usual name, which the log of the deleted stack may have', { adoptTables: 'AiLogs=old' }, 'Setting adoptTables names AiLogs, so it needs a tlogOrigin that no log has had: the stack starts a new log with the entries of that table.'],
      ['rows of adopted logs', { ...adoptedLogs, analytics: 'true' }, 'Setting adoptTables names AiLogs, but analytics is true: a table that the stack does not manage has no stream for it. Set analytics to false.'],
    ])('%s', (_, given, sentence) => {
      expect(() => readSettings(given)).toThrow(new Error(sentence));
    });

    test('but not while one of them is not allowed', () => {
      const both = { reservedConcurrency: '900', canary: 'maybe' };
      expect(() => readSettings(both)).toThrow(/^Setting canary is "maybe": it must be [^\n]*$/);
    });

    test.each<[string, Record<string, string>]>([
      ['a quota equal to the rate', { ipQuota: '40', windowSeconds: '2', apiRateLimit: '20', uidQuota: '1' }],
      ['the rate that the message names', { waf: 'true', apiRateLimit: '2334' }],
      ['a low rate without a firewall', { apiRateLimit: '100' }],
      ['the largest reservation', { reservedConcurrency: '899' }],
      ['no concurrency, which stops the function', { reservedConcurrency: '0', accountConcurrency: '10' }],
      ['tables as warm as the gateway is fast', { warmThroughput: '2500' }],
      ['adopted API keys with their KMS key', { ...withApiKeys, credentialsKeyArn: key }],
      ['adopted logs with another name of the log', adoptedLogs],
    ])('but not %s', (_, given) => {
      expect(() => readSettings(given)).not.toThrow();
    });
  });

  test('all problems are reported at once', () => {
    expect(() => readSettings({ uidQuota: 'x', stage: 'X', quota: '1' })).toThrow(
      /^Setting quota does not exist.*\nSetting stage is "X".*\nSetting uidQuota is "x".*$/,
    );
  });

  describe('witnesses', () => {
    const folder = temporaryFolder();
    /** Writes a policy to a file. @returns its path */
    const file = (text: string): string => {
      const path = join(folder, createHash('sha256').update(text).digest('hex'));
      writeFileSync(path, text);
      return path;
    };
    const witness = `witness w ${formatVerifierKey(newWitness('w.example.com').key)}`;
    const policy = `${witness} https://w.example.com\nquorum w`;
    const allowed =
      'it must be the path of a C2SP tlog-policy file of at most 16000 bytes, with a URL for each witness.';

    test('is the path of its file, whose text is read without white space around it', () => {
      const longest = `${policy}\n#${'x'.repeat(2498 - policy.length)}`;
      for (const [text, read] of [
        [`\n${policy}\n`, policy],
        [longest, longest],
      ] as const) {
        expect(readSettings({ witnesses: file(text) }).witnesses).toBe(file(text));
        expect(readWitnesses(file(text))).toBe(read);
      }
    });

    // biome-ignore format: one case a line
    test.each([
      ['a file that does not exist', join(folder, 'none'), allowed],
      ['a folder', folder, allowed],
      ['an empty file', file(''), allowed],
      ['a policy without a URL', file(`${witness}\nquorum w`), allowed],
      ['a policy of 16001 bytes', file(`${policy}\n#${'x'.repeat(15999 - policy.length)}`), allowed],
      ['a policy with a typo', file('wittness w'), 'Line 1 of the policy: expected log, witness, group or quorum, not wittness.'],
    ])('is not %s', (_, path, message) => {
      expect(() => readSettings({ witnesses: path })).toThrow(
        new Error(`Setting witnesses is ${JSON.stringify(path)}: ${message}`),
      );
    });
  });

  test.each(Object.entries(settings))('the defaults of %s are allowed', (_, shape) => {
    const defaults = 'whenKept' in shape ? [shape.default, shape.whenKept] : [shape.default];
    for (const value of defaults) if (value !== undefined) expect(shape.parse(String(value))).toBe(value);
  });
});

test('logRetentionDays allows every period of CloudWatch Logs except forever', () => {
  const periods = Object.values(RetentionDays).filter((days) => Number(days) < RetentionDays.INFINITE);
  expect(settings.logRetentionDays.allowed).toBe(`one of ${periods.join(', ')}`);
});
