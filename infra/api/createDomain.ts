import {
  type CfnDomainName,
  DomainName,
  EndpointAccessMode,
  EndpointType,
  IpAddressType,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/**
 * TLS 1.2 or 1.3 with forward secrecy; STRICT also requires that TLS server name and Host header are the same. The
 * policy of the API counts for its domain name too. Source: API Gateway Developer Guide, "Security policies for REST
 * APIs".
 */
export const tls = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

/** Creates the custom domain name of the API; returns undefined if the settings name none. */
export function createDomain(scope: Construct, { domainName, certificateArn }: Settings): DomainName | undefined {
  if (domainName === undefined || certificateArn === undefined) return undefined;
  const domain = new DomainName(scope, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    ...tls,
  });
  // `DomainName` has no property for it.
  (domain.node.defaultChild as CfnDomainName).addPropertyOverride(
    'EndpointConfiguration.IpAddressType',
    IpAddressType.DUAL_STACK,
  );
  return domain;
}
