import type { Console } from './state.ts';

/** Returns what the page shows of the console itself. It is read every few seconds. */
export const readStatus = async ({ target, views, canWrite, targetOptions }: Console) => ({
  target: target.name,
  canWrite,
  targetOptions,
  ...views.state(),
});

/** Reads new entries now instead of within a minute. */
export async function syncNow({ views }: Console) {
  views.syncNow(true);
  return {};
}
