import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export const NO_TRACES =
  'The log lines of the gateway and the function say where a request ended, and how long it took.';

/** Accepts findings of cdk-nag on a construct, each with the reason. */
export const acceptFindings = (construct: IConstruct, findings: Readonly<Record<string, string>>): void =>
  Validations.of(construct).acknowledge(...Object.entries(findings).map(([id, reason]) => ({ id, reason })));
