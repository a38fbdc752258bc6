import { EndpointAccessMode, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';

/**
 * The TLS settings of the API and of its custom domain name: TLS 1.2 or 1.3, with forward secrecy. STRICT also
 * requires that the TLS server name and the Host header are the same. API Gateway negotiates by the policy of the API, also
 * for requests to the domain name; AWS recommends to set the same one on both.
 * Source: API Gateway Developer Guide, "Security policies for REST APIs".
 */
export const tls = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;
