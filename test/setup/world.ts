/** The one import of a test: the world that it begins with, and what it does there. */
import { openLocalData } from './commandLine.ts';
import { openLog } from './log.ts';
import { openService, type Service } from './service.ts';
import { openStack } from './stack.ts';
import { openTables, type Tables } from './tables.ts';

export * from './aws.ts';
export * from './calls.ts';
export * from './cloud.ts';
export * from './commandLine.ts';
export * from './execute.ts';
export * from './faults.ts';
export * from './log.ts';
export * from './outcome.ts';
export * from './refusingProxy.ts';
export * from './runs.ts';
export * from './servedLog.ts';
export * from './server.ts';
export * from './service.ts';
export * from './stack.ts';
export * from './tables.ts';
export * from './temporaryFolder.ts';
export * from './time.ts';
export * from './transports.ts';
export * from './unreachable.ts';
export * from './upload.ts';
export * from './witness.ts';
export * from './written.ts';

/** What a step adds to a world. */
type Step = (world: Tables, ...settings: never[]) => Promise<object>;
type Settings<Open extends Step> = Open extends (world: Tables, ...settings: infer Rest) => unknown ? Rest : never;
type More<Before, Open extends Step> = World<Before & Awaited<ReturnType<Open>>>;

/** A world that is being built. What it opens is closed when the test file ends. */
export interface World<Has extends Tables = Tables> extends Promise<Has> {
  /** Adds the service behind HTTP, a faulty connection to it, and the commands of teams. */
  served(...settings: Settings<typeof openService>): More<Has, typeof openService>;
  /** Adds the transparency log of the tables, with its sequencer. */
  sequenced(...settings: Settings<typeof openLog>): More<Has, typeof openLog>;
  /** Adds the services of AWS of a deployment that has the tables. */
  deployed(...settings: Settings<typeof openStack>): More<Has, typeof openStack>;
}

function built<Has extends Tables>(world: Promise<Has>): World<Has> {
  const more = <Added extends object>(open: (world: Has) => Promise<Added>) =>
    built(world.then(async (has) => ({ ...has, ...(await open(has)) })));
  return Object.assign(world, {
    served: (...settings: Settings<typeof openService>) => more((has) => openService(has, ...settings)),
    sequenced: (...settings: Settings<typeof openLog>) => more((has) => openLog(has, ...settings)),
    deployed: (...settings: Settings<typeof openStack>) => more((has) => openStack(has, ...settings)),
  });
}

/** Begins a world with tables of its own, in the engine of this run: `await world().sequenced()`. */
export const world = (...settings: Parameters<typeof openTables>) => built(openTables(...settings));

/** Begins a world with local data in a folder, which has an engine of its own, and the command line there. */
export const localWorld = (...settings: Parameters<typeof openLocalData>) => built(openLocalData(...settings));

export type LocalWorld = Awaited<ReturnType<typeof localWorld>>;
export type TeamWorld = Tables & Service;
export type LogWorld = Tables & Awaited<ReturnType<typeof openLog>>;
export type LoggedWorld = LocalWorld & LogWorld;
