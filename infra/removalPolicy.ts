import { RemovalPolicy } from 'aws-cdk-lib';
import { keepsData, type Settings } from './settings.ts';

/**
 * Returns what becomes of a resource that leaves the stack. A deployment that fails at first removes what it made, so
 * that the next one starts afresh. It leaves the tables, whose protection would stop the removal:
 * docs/runbook/deploy.md.
 */
export const removalPolicyOf = (settings: Settings): RemovalPolicy =>
  keepsData(settings) ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
