import { Stack } from 'aws-cdk-lib';
import { CfnIPSet, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { EVALUATION_SECONDS, floodLimit, ipv6FloodLimits } from './floodLimit.ts';

/** The names of the rules, which are also the names of their metrics. */
export const firewallRules = {
  flood: 'Flood',
  ipv6Network: 'FloodIpv6Network',
  ipv6: 'FloodIpv6',
  reputation: 'IpReputation',
} as const;

/** All of IPv6: a set of addresses may not have /0. Source: WAF API reference, "IPSet". */
const IPV6 = ['::/1', '8000::/1'];

/**
 * The firewall in front of the API, which only protects the function from floods. No rule reads a body, because AI logs
 * contain code and exploit strings, or requires a User-Agent. It keeps no samples of requests: they would show
 * ACCESS-PASSPHRASE. The gateway answers blocked requests with the envelope (`WAF_FILTERED`).
 * docs/decisions.md#firewall.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { settings, stageArn }: { settings: Settings; stageArn: string }) {
    super(scope, id);
    const visibilityConfig = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: false,
    });
    const ipv6 = new CfnIPSet(this, 'Ipv6', { scope: 'REGIONAL', ipAddressVersion: 'IPV6', addresses: IPV6 });
    const ofIpv6 = { scopeDownStatement: { ipSetReferenceStatement: { arn: ipv6.attrArn } } };
    const { ofNetwork, together } = ipv6FloodLimits(settings);
    const block = (
      rule: Exclude<keyof typeof firewallRules, 'reputation'>,
      priority: number,
      rate: Omit<CfnWebACL.RateBasedStatementProperty, 'evaluationWindowSec'>,
    ): CfnWebACL.RuleProperty => ({
      name: firewallRules[rule],
      priority,
      action: { block: {} },
      statement: { rateBasedStatement: { evaluationWindowSec: EVALUATION_SECONDS, ...rate } },
      visibilityConfig: visibilityConfig(firewallRules[rule]),
    });
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      description: 'Protects the upload function from floods',
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibilityConfig(Stack.of(this).stackName),
      rules: [
        block('flood', 0, { aggregateKeyType: 'IP', limit: floodLimit(settings) }),
        block('ipv6Network', 1, {
          aggregateKeyType: 'CUSTOM_KEYS',
          customKeys: [{ asn: {} }],
          limit: ofNetwork,
          ...ofIpv6,
        }),
        block('ipv6', 2, { aggregateKeyType: 'CONSTANT', limit: together, ...ofIpv6 }),
        {
          name: firewallRules.reputation,
          priority: 3,
          // Counts only: teams may run bots on hosts with a poor reputation, and every request is authenticated.
          overrideAction: { count: {} },
          statement: {
            managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' },
          },
          visibilityConfig: visibilityConfig(firewallRules.reputation),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stageArn, webAclArn: webAcl.attrArn });
  }
}
