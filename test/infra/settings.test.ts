import { describe, expect, test } from 'vitest';
import { readSettings, settings } from '../../infra/settings.ts';
import { domain } from './synth.ts';

const defaults = {
  stage: 'dev',
  uidQuota: 1000,
  ipQuota: 1000,
  windowSeconds: 10,
  requireLocale: true,
  apiRateLimit: 1000,
  apiBurstLimit: 2000,
  reservedConcurrency: undefined,
  waf: false,
  domainName: undefined,
  certificateArn: undefined,
  alarmEmail: undefined,
  latencyBudgetMs: 1000,
  trafficAlarms: false,
  canary: false,
  savedQueries: true,
  entryRetentionDays: undefined,
  logRetentionDays: 30,
};
const defaultsInProd = {
  ...defaults,
  stage: 'prod',
  waf: true,
  trafficAlarms: true,
  canary: true,
  logRetentionDays: 365,
};

describe('settings', () => {
  test('have defaults', () => {
    expect(readSettings({})).toEqual(defaults);
    expect(readSettings({ stage: 'prod' })).toEqual(defaultsInProd);
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
  ])('%s %j is read as %j', (name, given, value) => {
    expect(readSettings({ [name]: given })).toEqual({ ...defaults, [name]: value });
  });

  test('given values override the defaults of prod', () => {
    expect(readSettings({ stage: 'prod', waf: 'false', logRetentionDays: '90' })).toEqual({
      ...defaultsInProd,
      waf: false,
      logRetentionDays: 90,
    });
  });

  test('domainName and certificateArn must be given together', () => {
    expect(readSettings(domain)).toEqual({ ...defaults, ...domain });
    expect(() => readSettings({ domainName: domain.domainName })).toThrow(
      new Error('Setting domainName needs certificateArn: the ARN of an ACM certificate.'),
    );
    expect(() => readSettings({ certificateArn: domain.certificateArn })).toThrow(
      /^Setting certificateArn needs domainName: a domain name in lower case/,
    );
  });

  const stage = 'a lower-case letter, then at most 19 of a-z, 0-9 and "-"';
  test.each([
    ['stage', 'Prod', `Setting stage is "Prod": it must be ${stage}.`],
    ['stage', '', `Setting stage is "": it must be ${stage}.`],
    ['stage', '1st', `Setting stage is "1st": it must be ${stage}.`],
    ['stage', 'a-stage-of-21-letters', `Setting stage is "a-stage-of-21-letters": it must be ${stage}.`],
    ['uidQuota', '0', 'Setting uidQuota is "0": it must be an integer from 1 to 1000000.'],
    ['uidQuota', '1e3', 'Setting uidQuota is "1e3": it must be an integer from 1 to 1000000.'],
    ['uidQuota', 2.5, 'Setting uidQuota is 2.5: it must be an integer from 1 to 1000000.'],
    ['ipQuota', '-1', 'Setting ipQuota is "-1": it must be an integer from 1 to 1000000.'],
    ['ipQuota', '1000001', 'Setting ipQuota is "1000001": it must be an integer from 1 to 1000000.'],
    ['windowSeconds', '10s', 'Setting windowSeconds is "10s": it must be an integer from 1 to 20.'],
    ['requireLocale', 'no', 'Setting requireLocale is "no": it must be true or false.'],
    ['requireLocale', 'toString', 'Setting requireLocale is "toString": it must be true or false.'],
    ['apiRateLimit', '', 'Setting apiRateLimit is "": it must be an integer from 1 to 100000.'],
    ['apiBurstLimit', null, 'Setting apiBurstLimit is null: it must be an integer from 1 to 100000.'],
    ['reservedConcurrency', 'all', 'Setting reservedConcurrency is "all": it must be an integer from 0 to 10000.'],
    ['alarmEmail', 'ops', 'Setting alarmEmail is "ops": it must be an email address.'],
    ['latencyBudgetMs', '1s', 'Setting latencyBudgetMs is "1s": it must be an integer from 10 to 10000.'],
    [
      'entryRetentionDays',
      'forever',
      'Setting entryRetentionDays is "forever": it must be an integer from 1 to 36500.',
    ],
    ['waf', 'on', 'Setting waf is "on": it must be true or false.'],
    ['logRetentionDays', '10', `Setting logRetentionDays is "10": it must be ${settings.logRetentionDays.allowed}.`],
    ['uidQuotas', '5', `Setting uidQuotas does not exist: the settings are ${Object.keys(settings).join(', ')}.`],
  ])('%s %j is rejected', (name, value, sentence) => {
    expect(() => readSettings({ [name]: value })).toThrow(new Error(sentence));
  });

  test('all problems are reported at once', () => {
    expect(() => readSettings({ uidQuota: 'x', stage: 'X', quota: '1' })).toThrow(
      /^Setting quota does not exist.*\nSetting stage is "X".*\nSetting uidQuota is "x".*$/,
    );
  });

  test.each([
    ['domainName', 'localhost'],
    ['domainName', 'Logs.example.com'],
    ['domainName', 'https://logs.example.com'],
    ['domainName', 'logs.example.com/api'],
    ['certificateArn', 'arn:aws:iam::111122223333:server-certificate/x'],
  ])('%s %j is rejected', (name, value) => {
    expect(() => readSettings({ ...domain, [name]: value })).toThrow(`Setting ${name} is "${value}": it must be`);
  });

  test.each(Object.entries(settings))('%s has a description, and its defaults are allowed', (_, shape) => {
    expect(shape.description.length).toBeGreaterThan(20);
    const defaults = 'inProd' in shape ? [shape.default, shape.inProd] : [shape.default];
    for (const value of defaults) if (value !== undefined) expect(shape.parse(String(value))).toBe(value);
  });
});
