import { Stack } from 'aws-cdk-lib';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** Over how many seconds the firewall counts the requests of an IP address. */
const EVALUATION_SECONDS = 60;

/** How many times as much as the IP quota lets through the firewall does. */
const MARGIN = 2;

/** The rules, by the names that their metrics have too. */
export const firewallRules = { flood: 'Flood', reputation: 'IpReputation' } as const;

/** Requests of one IP address in a minute that are no flood, however small the quota: a client that resends in a hurry. */
const LEAST = 600;

/**
 * How many requests of one IP address the firewall lets through in a minute: twice the most that the quota can let in,
 * which is the quota of every window that a minute touches. So it never rejects a team that the quota would not have
 * rejected long before.
 */
export const floodLimit = ({ ipQuota, windowSeconds }: Pick<Settings, 'ipQuota' | 'windowSeconds'>): number =>
  Math.max(LEAST, MARGIN * ipQuota * (Math.ceil(EVALUATION_SECONDS / windowSeconds) + 1));

/**
 * The firewall before the API: it keeps floods off the function, and no more. No rule of it reads a body, because AI logs
 * are long and full of code, SQL and exploit strings; none asks for a User-Agent, because a client may send none. What it
 * blocks is answered by the gateway, in the envelope (`WAF_FILTERED` in gatewayResponses.ts).
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { settings, stageArn }: { settings: Settings; stageArn: string }) {
    super(scope, id);
    const seenAs = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: true,
    });
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      description: 'Keeps floods off the upload function',
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: seenAs(Stack.of(this).stackName),
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
          visibilityConfig: seenAs(firewallRules.flood),
        },
        {
          name: firewallRules.reputation,
          priority: 1,
          // Counted, never blocked: teams run bots on cheap hosts, and every request is authenticated anyway.
          overrideAction: { count: {} },
          statement: {
            managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' },
          },
          visibilityConfig: seenAs(firewallRules.reputation),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stageArn, webAclArn: webAcl.attrArn });
  }
}
