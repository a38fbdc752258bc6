import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { outputs } from '../../infra/outputs.ts';
import type { TableId } from '../../infra/tables.ts';
import type { Emulator } from './emulator.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CDK = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');

/**
 * Settings that turn off what the emulator rejects. test/infra checks those parts in the template instead. A locked
 * bucket is kept: the function that CDK deploys to empty other buckets needs HTTPS, which the emulator does not have.
 */
export const FOR_EMULATOR = {
  waf: 'false',
  canary: 'false',
  savedQueries: 'false',
  trafficAlarms: 'false',
  tlogLockDays: '1',
};

/** The option of CDK that deploys what the emulator supports. */
export const EMULATED_APP = ['--app', 'node test/deploy/emulatedApp.ts'] as const;

/** A deployed stack, as its outputs describe it. */
export interface Deployed {
  readonly stackName: string;
  /** The base URL on the machine of the emulator. */
  readonly baseUrl: string;
  readonly tables: Readonly<Record<TableId, string>>;
  readonly credentialsKeyArn: string;
  readonly receiptSealingKeyArn: string;
  readonly tlogBucket: string;
  readonly tlogOrigin: string;
  readonly checkpointKeyArns: string;
  /** Only with the setting `analytics`. */
  readonly analytics: Readonly<Record<keyof typeof outputs.analytics, string>>;
}

/** The CDK command line of an operator, against an emulator. Commands time out after 3 minutes. */
export const cdkFor = (emulator: Emulator) => {
  const { folder } = emulator;
  const outputsFile = join(folder, 'outputs.json');
  const cdk = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [CDK, ...args, ...EMULATED_APP, '--output', join(folder, 'cdk.out'), '--no-color'],
      { cwd: ROOT, env: emulator.environment, timeout: 180_000, maxBuffer: 2 ** 26 },
    );
    return stdout + stderr;
  };
  const context = (settings: Record<string, string>) =>
    Object.entries({ ...FOR_EMULATOR, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

  return {
    bootstrap: () => cdk('bootstrap'),
    /** Deploys the stack with these settings, or updates the deployed one. */
    deploy: async (settings: Record<string, string> = {}): Promise<Deployed> => {
      await cdk('deploy', '--require-approval', 'never', '--outputs-file', outputsFile, ...context(settings));
      const [[stackName, found]] = Object.entries(JSON.parse(readFileSync(outputsFile, 'utf8'))) as [
        [string, Record<string, string>],
      ];
      const read = (key: string): string => found[key] ?? `no output ${key}`;
      return {
        stackName,
        baseUrl: emulator.baseUrlOf(read(outputs.baseUrl)),
        tables: Object.fromEntries(
          Object.entries(outputs.tables).map(([tableId, key]) => [tableId, read(key)]),
        ) as Deployed['tables'],
        credentialsKeyArn: read(outputs.credentialsKeyArn),
        receiptSealingKeyArn: read(outputs.receiptSealingKeyArn),
        tlogBucket: read(outputs.tlogBucket),
        tlogOrigin: read(outputs.tlogOrigin),
        checkpointKeyArns: read(outputs.checkpointKeyArns),
        analytics: Object.fromEntries(
          Object.entries(outputs.analytics).map(([part, key]) => [part, read(key)]),
        ) as Deployed['analytics'],
      };
    },
    destroy: (settings: Record<string, string> = {}) => cdk('destroy', '--force', ...context(settings)),
  };
};
