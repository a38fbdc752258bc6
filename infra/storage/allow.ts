import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';

/** Allows calls, and nothing else: the grant methods of the construct library allow more than a function needs. */
export const allow = (
  grantee: IGrantable,
  actions: string[],
  resourceArns: string[],
  conditions?: Record<string, Record<string, unknown>>,
): void => Grant.addToPrincipal({ grantee, actions, resourceArns, ...(conditions && { conditions }) }).assertSuccess();
