import { describe, expect, test } from 'vitest';
import { floodLimit } from '../../../infra/api/firewall.ts';
import { gatewayResponses, render } from '../../../infra/api/gatewayResponses.ts';
import { nameOf, synth } from '../synth.ts';

const { one } = synth({ waf: 'true', ipQuota: '500', windowSeconds: '10' });
const rules: Record<string, never>[] = one('AWS::WAFv2::WebACL').Properties.Rules;

test.each([
  ['dev', {}, 0],
  ['dev with it on', { waf: 'true' }, 1],
  ['prod', { stage: 'prod' }, 1],
  ['prod with it off', { stage: 'prod', waf: 'false' }, 0],
])('%s', (_, settings, firewalls) => {
  const { all } = synth(settings);
  expect(all('AWS::WAFv2::WebACL')).toHaveLength(firewalls);
  expect(all('AWS::WAFv2::WebACLAssociation')).toHaveLength(firewalls);
});

test('stands before the stage of the API', () => {
  const { ResourceArn, WebACLArn } = one('AWS::WAFv2::WebACLAssociation').Properties;
  expect(nameOf(ResourceArn)).toMatch(/:\/restapis\/ApiRestApi\/stages\/ApiRestApiDeploymentStagedev$/);
  expect(nameOf(WebACLArn)).toBe('FirewallWebAcl.Arn');
});

test('blocks floods, counts bad reputation, and lets everything else through', () => {
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

test('no rule reads anything of a request but its address', () => {
  expect(JSON.stringify(rules)).not.toMatch(/FieldToMatch|Body|SingleHeader|CommonRuleSet/);
});

test('what it blocks is answered in the envelope, with no answer of its own', () => {
  expect(JSON.stringify(rules)).not.toContain('CustomResponse');
  expect(render(gatewayResponses.WAF_FILTERED, 42)).toMatchObject({
    status: 403,
    body: '{"code":"403","msg":"Request blocked","requestTime":42,"data":null}',
  });
});

describe('the flood limit', () => {
  test.each([
    [1000, 10, 14_000],
    [1000, 60, 4000],
    [1000, 3600, 4000],
    [100, 1, 12_200],
    [1, 3600, 600],
    [1_000_000, 1, 122_000_000],
  ])('of %d in %d s is %d a minute', (ipQuota, windowSeconds, limit) => {
    expect(floodLimit({ ipQuota, windowSeconds })).toBe(limit);
  });
});
