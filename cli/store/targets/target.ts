import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { serverClockOf } from '../../../functions/serverClock.ts';
import { defineOpener } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { type Uninterrupted, watchInterruption } from '../../shell/terminal/signals.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { LOCAL_FOLDER } from './data.ts';
import type { Account, OpenedTarget } from './openedTarget.ts';

interface TargetOptions extends Account {
  readonly local?: boolean | undefined;
  readonly stack?: string | undefined;
}

/** The tables and the key that a command works on, of a deployment or of the local run. */
export interface Target extends OpenedTarget {
  /** Returns the service's time, in milliseconds since 1970. Warns once if the clock of this machine is wrong. */
  readonly now: () => Promise<number>;
  readonly uninterrupted: Uninterrupted;
}

/** The precision of the service's time. Its answers contain the time in whole seconds, and take a while to arrive. */
export const CLOCK_UNCERTAINTY_MS = 2000;

function createClock(terminal: Terminal, { db, tables }: OpenedTarget, clock: ReturnType<typeof serverClockOf>) {
  let warned = false;
  return async () => {
    if (clock.now() === undefined) {
      // Every answer tells the time, an error too.
      const get = new GetCommand({ TableName: tables.allowlist, Key: { uid: '0' } });
      await db.send(get).catch((error) => {
        if (clock.now() === undefined) throw error;
      });
    }
    const seconds = Math.round(clock.correction() / 1000);
    if (Math.abs(clock.correction()) > CLOCK_UNCERTAINTY_MS && !warned) {
      warned = true;
      terminal.note(
        `The clock of this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'} the service. The service's time is used.`,
      );
    }
    return clock.now() ?? Date.now();
  };
}

/** Checks the options that select a target. @throws Failure if they select none, or contradict each other */
function checkOptions({ cwd }: Terminal, { local, stack, region, profile }: TargetOptions): void {
  if (local && stack) throw new Failure('usage', 'Give either --local or --stack, not both.');
  if (stack) return;
  if (region || profile) {
    throw new Failure('usage', '--region and --profile belong to a deployment.', { advice: 'Give --stack NAME too.' });
  }
  if (!local && !existsSync(join(cwd(), LOCAL_FOLDER))) {
    const advice = 'Give --stack NAME for a deployment, or run npm start once: then --local is the default.';
    throw new Failure('usage', 'No target given.', { advice });
  }
}

/** Opens the selected target. Its way to open is loaded alone, because the SDK's clients take long to load. */
async function openTarget(terminal: Terminal, options: TargetOptions, stop: Promise<never>) {
  if (!options.stack) return (await import('./openLocal.ts')).openLocal(terminal);
  const { openStack } = await import('./openStack.ts');
  return Promise.race([openStack(terminal, options.stack, options), stop]);
}

export const TARGET_OPTIONS = {
  local: { flags: '--local', help: 'use the local data in .local/ (default if it exists)' },
  stack: { flags: '--stack <name>', help: 'use the deployment of this stack, such as AiLogUpload-prod' },
  region: { flags: '--region <region>', help: 'the region of the stack (default: AWS_REGION or the profile)' },
  profile: { flags: '--profile <name>', help: 'the AWS profile to use' },
} as const;

/** The target of most commands: `on: onTarget`. Their context has the target, and the options that selected it. */
export const onTarget = defineOpener({
  kind: 'a target',
  options: TARGET_OPTIONS,
  use: (terminal, where, work: (opened: { readonly target: Target; readonly where: TargetOptions }) => Promise<void>) =>
    withTarget(terminal, where, (target) => work({ target, where })),
});

/** Opens the selected target, runs the work, and closes the target. @throws Failure if the options select none */
export async function withTarget(terminal: Terminal, options: TargetOptions, work: (target: Target) => Promise<void>) {
  checkOptions(terminal, options);
  const { stop, uninterrupted } = watchInterruption(terminal.signal);
  const { client, opened, close } = await openTarget(terminal, options, stop);
  try {
    const now = createClock(terminal, opened, serverClockOf(client));
    // Work that starts now could end, and print its result, while the target is closed.
    await (terminal.signal.aborted ? stop : Promise.race([work({ ...opened, now, uninterrupted }), stop]));
  } finally {
    await close();
  }
}
