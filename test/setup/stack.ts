import { vi } from 'vitest';
import { startAws } from './aws.ts';
import { type RunOptions, runCommand } from './commandLine.ts';
import type { Ran } from './execute.ts';
import type { Tables } from './tables.ts';

/** Runs a command with variables in the environment of this process, where the SDK reads them. */
export async function runWith(
  variables: Readonly<NodeJS.Dict<string>>,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return runCommand(args, options).finally(() => vi.unstubAllEnvs());
}

/**
 * Opens a deployment on some tables: the services of AWS that the command line calls.
 * @param options `more`: variables of the environment beside those of the services
 */
export async function openStack(
  tables: Tables,
  {
    name = 'AiLogUpload-test',
    monitored = undefined as Parameters<typeof startAws>[2],
    log = undefined as Parameters<typeof startAws>[3],
    more = {} as Readonly<Record<string, string>>,
  } = {},
) {
  const aws = await startAws(name, tables.names, monitored, log);
  const { AWS_ENDPOINT_URL_DYNAMODB } = tables.environment;
  /** The environment of programs that work on the deployment. */
  const variables = { ...aws.environment, AWS_ENDPOINT_URL_DYNAMODB, AWS_REGION: 'eu-central-1', ...more };
  return {
    variables,
    forbidDecrypt: aws.forbidDecrypt,
    /** Runs a command on the deployment. */
    ailog: (args: readonly string[], options: RunOptions = {}) =>
      runWith(variables, [...args, '--stack', name], options),
  };
}
