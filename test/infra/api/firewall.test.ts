import { expect, test } from 'vitest';
import { floodLimit } from '../../../infra/api/floodLimit.ts';
import { gatewayResponses, render } from '../../../infra/api/gatewayResponses.ts';
import { nameOf, synth } from '../synth.ts';

const { one } = synth({ waf: 'true', ipQuota: '500', windowSeconds: '10' });
const rules: Record<string, never>[] = one('AWS::WAFv2::WebACL').Properties.Rules;

test.each([
  ['dev has no firewall', {}, 0],
  ['dev with waf has one', { waf: 'true' }, 1],
  ['prod has one', { stage: 'prod' }, 1],
  ['prod without waf has none', { stage: 'prod', waf: 'false' }, 0],
])('%s', (_, settings, firewalls) => {
  const { all } = synth(settings);
  expect(all('AWS::WAFv2::WebACL')).toHaveLength(firewalls);
  expect(all('AWS::WAFv2::WebACLAssociation')).toHaveLength(firewalls);
});

test('is associated with the stage of the API', () => {
  const { ResourceArn, WebACLArn } = one('AWS::WAFv2::WebACLAssociation').Properties;
  expect(nameOf(ResourceArn)).toMatch(/:\/restapis\/ApiRestApi\/stages\/ApiRestApiDeploymentStagedev$/);
  expect(nameOf(WebACLArn)).toBe('FirewallWebAcl.Arn');
});

test('blocks floods, counts poor reputation and allows everything else', () => {
  expect(one('AWS::WAFv2::WebACL').Properties.DefaultAction).toEqual({ Allow: {} });
  expect(rules).toMatchObject([
    {
      Name: 'Flood',
      Action: { Block: {} },
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 60, Limit: 7000 } },
    },
    {
      Name: 'IpReputation',
      OverrideAction: { Count: {} },
      Statement: { ManagedRuleGroupStatement: { VendorName: 'AWS', Name: 'AWSManagedRulesAmazonIpReputationList' } },
    },
  ]);
});

test('the firewall and its rules have metrics, and keep no samples of requests, whose headers have passphrases', () => {
  const visible = (MetricName: string) => ({
    VisibilityConfig: { CloudWatchMetricsEnabled: true, SampledRequestsEnabled: false, MetricName },
  });
  expect(one('AWS::WAFv2::WebACL').Properties).toMatchObject({ Scope: 'REGIONAL', ...visible('AiLogUpload-dev') });
  expect(rules).toMatchObject([
    { Priority: 0, ...visible('Flood') },
    { Priority: 1, ...visible('IpReputation') },
  ]);
});

test('rules read nothing but the IP address', () => {
  expect(JSON.stringify(rules)).not.toMatch(/FieldToMatch|Body|SingleHeader|CommonRuleSet/);
});

test('blocked requests get the envelope from the gateway, not a custom response', () => {
  expect(JSON.stringify(rules)).not.toContain('CustomResponse');
  expect(render(gatewayResponses.WAF_FILTERED, 42, '/')).toMatchObject({
    status: 403,
    body: '{"code":"403","msg":"Request blocked","requestTime":42,"data":null}',
  });
});

test.each([
  [1000, 10, 14_000],
  [1000, 60, 4000],
  [1000, 3600, 4000],
  [100, 1, 12_200],
  [1, 3600, 600],
  [1_000_000, 1, 122_000_000],
])('the flood limit for a quota of %d in %d s is %d per minute', (ipQuota, windowSeconds, limit) => {
  expect(floodLimit({ ipQuota, windowSeconds })).toBe(limit);
});
