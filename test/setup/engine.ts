import { existsSync, statfsSync } from 'node:fs';
import { startEngine } from '../../cli/store/targets/embeddedEngine.ts';
import openRunFolder from './runFolder.ts';

/** Memory for files, on Linux: commands wait until a file is on its disk, and tests write thousands of them. */
const MEMORY = '/dev/shm';

/** The room that the files of a run need there, in bytes. */
const ROOM = 4 * 2 ** 30;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > ROOM;
}

/**
 * Starts an in-memory DynamoDB engine for the whole test run, unless DYNAMODB_ENDPOINT names one already. Gives the run
 * a temporary folder of its own, in memory where there is room, which is removed at the end.
 */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env.TMPDIR === undefined && hasRoom(MEMORY)) process.env.TMPDIR = MEMORY;
  const removeFolder = openRunFolder();
  const engine = process.env.DYNAMODB_ENDPOINT ? undefined : await startEngine();
  if (engine) process.env.DYNAMODB_ENDPOINT = engine.endpoint;
  return async () => {
    await engine?.stop();
    removeFolder();
  };
}
