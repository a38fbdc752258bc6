import { expect, test } from 'vitest';
import { floodLimit, ipv6FloodLimits } from '../../../infra/api/floodLimit.ts';
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

const ofIpv6 = { IPSetReferenceStatement: { Arn: { 'Fn::GetAtt': [expect.stringMatching(/^FirewallIpv6/), 'Arn'] } } };

test('all of IPv6 is one set, in two halves: a set may not have /0', () => {
  expect(one('AWS::WAFv2::IPSet').Properties).toEqual({
    Addresses: ['::/1', '8000::/1'],
    IPAddressVersion: 'IPV6',
    Scope: 'REGIONAL',
  });
});

/** Metrics, and no samples of requests, whose headers have passphrases. */
const visible = (MetricName: string) => ({
  VisibilityConfig: { CloudWatchMetricsEnabled: true, SampledRequestsEnabled: false, MetricName },
});
const blocks = (Limit: number, key: object) => ({
  Action: { Block: {} },
  Statement: { RateBasedStatement: { EvaluationWindowSec: 60, Limit, ...key } },
});
const reputation = { VendorName: 'AWS', Name: 'AWSManagedRulesAmazonIpReputationList' };

test('blocks floods, counts poor reputation and allows everything else, with metrics and without samples', () => {
  expect(one('AWS::WAFv2::WebACL').Properties).toMatchObject({
    ...{ DefaultAction: { Allow: {} }, Scope: 'REGIONAL', ...visible('AiLogUpload-dev') },
  });
  const ofNetwork = { AggregateKeyType: 'CUSTOM_KEYS', CustomKeys: [{ ASN: {} }], ScopeDownStatement: ofIpv6 };
  const expected = [
    ['Flood', blocks(7000, { AggregateKeyType: 'IP' })],
    ['FloodIpv6Network', blocks(15_000, ofNetwork)],
    ['FloodIpv6', blocks(75_000, { AggregateKeyType: 'CONSTANT', ScopeDownStatement: ofIpv6 })],
    ['IpReputation', { OverrideAction: { Count: {} }, Statement: { ManagedRuleGroupStatement: reputation } }],
  ] as const;
  expect(rules).toMatchObject(
    expected.map(([Name, rule], Priority) => ({ Name, Priority, ...rule, ...visible(Name) })),
  );
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
  [2500, 15_000, 75_000],
  [100, 600, 3000],
  [10, 600, 600],
])(
  'for %d requests a second, IPv6 has %d per minute of an operator, %d of all',
  (apiRateLimit, ofNetwork, together) => {
    expect(ipv6FloodLimits({ apiRateLimit })).toEqual({ ofNetwork, together });
  },
);

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
