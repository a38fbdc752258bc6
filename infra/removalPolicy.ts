import { RemovalPolicy } from 'aws-cdk-lib';
import { keepsData, type Settings } from './settings.ts';

/** Returns what becomes of a resource that leaves the stack, or of a first deployment: docs/runbook/deploy.md. */
export const removalPolicyOf = (settings: Settings): RemovalPolicy =>
  keepsData(settings) ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
