import { Stack } from 'aws-cdk-lib';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { EVALUATION_SECONDS, floodLimit } from './floodLimit.ts';

/** The names of the rules, which are also the names of their metrics. */
export const firewallRules = { flood: 'Flood', reputation: 'IpReputation' } as const;

/**
 * The firewall in front of the API. It only protects the function from floods. No rule reads a body, because AI logs
 * are long and contain code, SQL and exploit strings. No rule requires a User-Agent, because clients need not send one.
 * It keeps no samples of requests: they would show ACCESS-PASSPHRASE, and the log of the gateway has the addresses.
 * The gateway answers blocked requests with the envelope (`WAF_FILTERED` in gatewayResponses.ts).
 * docs/decisions/firewall.md says what else was considered.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { settings, stageArn }: { settings: Settings; stageArn: string }) {
    super(scope, id);
    const visibilityConfig = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: false,
    });
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      description: 'Protects the upload function from floods',
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibilityConfig(Stack.of(this).stackName),
      rules: [
        {
          name: firewallRules.flood,
          priority: 0,
          action: { block: {} },
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              evaluationWindowSec: EVALUATION_SECONDS,
              limit: floodLimit(settings),
            },
          },
          visibilityConfig: visibilityConfig(firewallRules.flood),
        },
        {
          name: firewallRules.reputation,
          priority: 1,
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
