import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import type { Team } from '../setup/world.ts';
import { ailogOf } from './ailog.ts';
import { cdkFor, type Deployed } from './cdk.ts';
import { clientsOf } from './clients.ts';
import { type Emulator, emulatorHome, startEmulator } from './emulator.ts';

/** What the tests of a file work on. */
interface Deployment extends ReturnType<typeof clientsOf> {
  /** The folder of the emulator. */
  readonly folder: string;
  /** The folder of the programs, such as the AWS command line. */
  readonly programs: string;
  /** False if there is no emulator: then every test is skipped. */
  readonly isHere: boolean;
  emulator: Emulator;
  cdk: ReturnType<typeof cdkFor>;
  deployed: Deployed;
  ailog: ReturnType<typeof ailogOf>;
  /** A team on the allowlist, with the UID 42. */
  team: Team;
}

/**
 * Deploys the stack to an emulator of its own before the tests of a file, and stops the emulator after them. Without an
 * emulator, every test is skipped with the reason.
 * @param settingsFor prepares the emulator, and returns the settings of the deployment
 * @param options `enforcesPolicies`: the emulator evaluates IAM policies, but only after the deployment, because those
 * of the operator are not under test
 * @returns the deployment; except for the folder, its parts are there when the tests begin
 */
export async function useDeployment(
  settingsFor: (emulator: Emulator) => Promise<Record<string, string>> | Record<string, string> = () => ({}),
  { enforcesPolicies = false } = {},
): Promise<Deployment> {
  const ministack = inject('ministack');
  const home = await emulatorHome();
  const isHere = 'programs' in ministack;
  const stack = { folder: home.folder, programs: isHere ? ministack.programs : '', isHere } as Deployment;
  beforeAll(async () => {
    if (!isHere) return;
    stack.emulator = await startEmulator(home);
    stack.cdk = cdkFor(stack.emulator);
    await stack.cdk.bootstrap();
    stack.deployed = await stack.cdk.deploy(await settingsFor(stack.emulator));
    if (enforcesPolicies) {
      await stack.emulator.stop();
      stack.emulator = await startEmulator(home, { enforcesPolicies });
    }
    Object.assign(stack, clientsOf(stack.emulator.client));
    stack.ailog = ailogOf(stack.emulator, stack.deployed);
    await stack.ailog.allow('42');
    stack.team = await stack.ailog.issueKey('42');
  });
  beforeEach(({ skip }) => {
    if (!isHere) skip(ministack.missing);
  });
  afterAll(async () => {
    await stack.emulator?.stop();
    home.remove();
  });
  return stack;
}
