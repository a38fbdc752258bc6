import { DomainName, EndpointType, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** Creates the custom domain name of the API; returns undefined if the settings name none. */
export function createDomain(scope: Construct, { domainName, certificateArn }: Settings): DomainName | undefined {
  if (domainName === undefined || certificateArn === undefined) return undefined;
  return new DomainName(scope, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    // The minimum version. The gateway accepts TLS 1.3 too.
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
}
