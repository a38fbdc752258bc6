import { Aspects, CfnResource, type Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Findings that are accepted, with the reason: of cdk-nag, or of Checkov (`CKV_`), a scanner of templates. */
type Findings = Readonly<Record<string, string>>;

/** Accepts findings on a construct. Checkov reads them in the metadata of its resource. */
export function acceptFindings(construct: IConstruct, findings: Findings): void {
  const isCheckov = ([id]: [string, string]) => id.startsWith('CKV_');
  const nag = Object.entries(findings).filter((finding) => !isCheckov(finding));
  const skip = Object.entries(findings).filter(isCheckov);
  if (nag.length > 0) Validations.of(construct).acknowledge(...nag.map(([id, reason]) => ({ id, reason })));
  if (skip.length === 0) return;
  const resource = (construct.node.defaultChild ?? construct) as CfnResource;
  resource.addMetadata('checkov', { skip: skip.map(([id, comment]) => ({ id, comment })) });
}

/** The findings that are accepted for every resource of a type. Those of a single resource are beside it. */
const accepted: Readonly<Record<string, Findings>> = {
  'AWS::Logs::LogGroup': {
    CKV_AWS_158:
      'Log lines hold no secrets and no bodies, and CloudWatch encrypts them. With a key of ours, a failure of KMS would also silence its log lines.',
  },
  'AWS::Lambda::Function': {
    CKV_AWS_115:
      'The setting reservedConcurrency reserves executions for uploads. By default, uploads may use all that the account has.',
    CKV_AWS_116:
      'Nothing is lost that a queue could keep: a caller gets the error of an upload, and the next run repeats that of the sequencer.',
    CKV_AWS_117:
      'The functions call AWS only, over TLS and with their roles. A VPC would add a gateway that can fail, and protect nothing.',
    CKV_AWS_173: 'The variables hold names, ARNs and limits, no secrets. Lambda encrypts them.',
  },
  'AWS::ApiGateway::Stage': {
    CKV_AWS_120: 'Each upload is a POST with a signature of its own, so no response can serve another request.',
  },
  'AWS::ApiGateway::Method': {
    CKV_AWS_59:
      'The function authenticates each request by its HMAC over the body, which an authorizer does not receive.',
  },
  'AWS::SQS::Queue': {
    CKV_AWS_27: 'SQS encrypts the queue with its own key. Its messages name positions of a stream, and hold no logs.',
  },
  'AWS::WAFv2::WebACL': {
    CKV_AWS_192: 'No Java runs here, so Log4j cannot; and a rule that reads bodies would reject logs that mention it.',
  },
};

/** Accepts those findings for the resources of a stack. */
export function acceptFindingsByType(stack: Stack): void {
  Aspects.of(stack).add({
    visit(resource) {
      if (CfnResource.isCfnResource(resource)) acceptFindings(resource, accepted[resource.cfnResourceType] ?? {});
    },
  });
}
