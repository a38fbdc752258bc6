import { Stack } from 'aws-cdk-lib';
import {
  CachePolicy,
  CfnDistribution,
  CfnOriginAccessControl,
  ResponseHeadersPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { Construct } from 'constructs';
import { CHECKPOINT } from '../../functions/tlog/paths.ts';
import { acceptFindings } from '../acceptFindings.ts';
import type { Settings } from '../settings.ts';
import type { TlogBucket } from './tlogBucket.ts';

const ACCEPTED = {
  'AwsSolutions-CFR1': 'Teams and sponsors of any country verify the transparency log.',
  'AwsSolutions-CFR2': 'The files are public and hold only hashes. Reads go to the cache and S3, never to an upload.',
  'AwsSolutions-CFR3': 'Nobody needs to know who verifies the transparency log. CloudWatch counts the requests.',
  'AwsSolutions-CFR4': 'The certificate of cloudfront.net fixes the TLS version. Every file is signed or hashed.',
} as const;

/**
 * The public path to the transparency log: CloudFront in front of its private bucket, whose policy says which files it
 * may read. The headers with which a file was stored say how long it is cached.
 */
export class PublicTlog extends Construct {
  readonly url: string;
  readonly distributionArn: string;
  /** The target for the DNS record of the custom domain name; undefined without one. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, props: { settings: Settings; bucket: TlogBucket; origin: string }) {
    super(scope, id);
    const { settings, bucket, origin } = props;
    const { tlogDomainName, tlogCertificateArn } = settings;
    // All regions of an account share these names.
    const { stackName, region } = Stack.of(this);
    const access = new CfnOriginAccessControl(this, 'Access', {
      originAccessControlConfig: {
        name: `${stackName}-${region}`,
        originAccessControlOriginType: 's3',
        signingBehavior: 'always',
        signingProtocol: 'sigv4',
      },
    });
    const distribution = new CfnDistribution(this, 'Distribution', {
      distributionConfig: {
        comment: `Transparency log, ${stackName}`,
        enabled: true,
        // Europe and North America, where a GB costs least. Readers elsewhere are served from there.
        priceClass: 'PriceClass_100',
        ...(tlogDomainName !== undefined && {
          aliases: [tlogDomainName],
          viewerCertificate: {
            acmCertificateArn: tlogCertificateArn as string,
            sslSupportMethod: 'sni-only',
            minimumProtocolVersion: 'TLSv1.2_2021',
          },
        }),
        httpVersion: 'http2and3',
        ipv6Enabled: true,
        // Without it, the empty path would list the bucket.
        defaultRootObject: CHECKPOINT,
        origins: [
          {
            id: 'files',
            domainName: bucket.domainName,
            originAccessControlId: access.attrId,
            s3OriginConfig: { originAccessIdentity: '' },
          },
        ],
        defaultCacheBehavior: {
          targetOriginId: 'files',
          viewerProtocolPolicy: 'https-only',
          cachePolicyId: CachePolicy.CACHING_OPTIMIZED.cachePolicyId,
          // Any web page may verify the log.
          responseHeadersPolicyId:
            ResponseHeadersPolicy.CORS_ALLOW_ALL_ORIGINS_AND_SECURITY_HEADERS.responseHeadersPolicyId,
        },
      },
    });
    this.distributionArn = Stack.of(this).formatArn({
      service: 'cloudfront',
      region: '',
      resource: 'distribution',
      resourceName: distribution.attrId,
    });
    this.url = `https://${tlogDomainName ?? distribution.attrDomainName}/${origin}`;
    this.domainTarget = tlogDomainName && distribution.attrDomainName;
    bucket.grantPublicRead(this.distributionArn);
    acceptFindings(distribution, ACCEPTED);
  }
}
