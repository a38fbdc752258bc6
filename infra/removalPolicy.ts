import { RemovalPolicy } from 'aws-cdk-lib';
import { keepsData, type Settings } from './settings.ts';

/**
 * Returns what becomes of a resource that leaves the stack. A first deployment that fails removes what it made, but for
 * the tables: docs/runbook/deploy.md.
 */
export const removalPolicyOf = (settings: Settings): RemovalPolicy =>
  keepsData(settings) ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
