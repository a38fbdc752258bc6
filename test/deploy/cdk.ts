import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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
const FOR_EMULATOR = {
  waf: 'false',
  canary: 'false',
  tlogLockDays: '1',
};

/** Writes what the context of cdk.json says of a stage. @returns the options of CDK that deploy it on the emulator */
export function emulatedStage({ folder }: Pick<Emulator, 'folder'>, settings: Record<string, string>): string[] {
  const { stage = 'dev', ...others } = settings;
  const file = join(folder, 'stages.json');
  writeFileSync(
    file,
    JSON.stringify({ [stage]: { ...FOR_EMULATOR, disposable: String(!stage.startsWith('prod')), ...others } }),
  );
  return [
    '--app',
    `node test/deploy/emulatedApp.ts ${file}`,
    '-c',
    `stage=${stage}`,
    '--output',
    join(folder, 'cdk.out'),
  ];
}

/** A deployed stack, as its outputs describe it. */
export interface Deployed {
  readonly stackName: string;
  /** The base URL on the machine of the emulator. */
  readonly baseUrl: string;
  readonly tables: Readonly<Record<TableId, string>>;
  readonly credentialsKeyArn: string;
  readonly tlogBucket: string;
  readonly tlogOrigin: string;
  readonly checkpointKeyArns: string;
  /** Only with the setting `analytics`. */
  readonly analytics: Readonly<Record<keyof typeof outputs.analytics, string>>;
}

/** The CDK command line of an operator, against an emulator. Commands time out after 10 minutes. */
export const cdkFor = (emulator: Emulator) => {
  const { folder } = emulator;
  const outputsFile = join(folder, 'outputs.json');
  const cdk = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [CDK, ...args, '--no-color'], {
      cwd: ROOT,
      env: emulator.environment,
      timeout: 600_000,
      maxBuffer: 2 ** 26,
    });
    return stdout + stderr;
  };
  return {
    bootstrap: () => cdk('bootstrap', ...emulatedStage(emulator, {})),
    /** Deploys the stack with these settings, or updates the deployed one. */
    deploy: async (settings: Record<string, string> = {}): Promise<Deployed> => {
      const stage = emulatedStage(emulator, settings);
      await cdk('deploy', '--require-approval', 'never', '--outputs-file', outputsFile, ...stage);
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
        tlogBucket: read(outputs.tlogBucket),
        tlogOrigin: read(outputs.tlogOrigin),
        checkpointKeyArns: read(outputs.checkpointKeyArns),
        analytics: Object.fromEntries(
          Object.entries(outputs.analytics).map(([part, key]) => [part, read(key)]),
        ) as Deployed['analytics'],
      };
    },
    destroy: (settings: Record<string, string> = {}) => cdk('destroy', '--force', ...emulatedStage(emulator, settings)),
  };
};
