/** What tests have opened. */
const opened = new Set<() => Promise<void>>();

/** Returns a function that closes something once. The end of the test file calls it, if nobody else has. */
export function closedAtEnd(close: () => unknown): () => Promise<void> {
  const closeOnce = async () => {
    if (opened.delete(closeOnce)) await close();
  };
  opened.add(closeOnce);
  return closeOnce;
}

/** Closes what is open, the newest first. */
export async function closeOpened(): Promise<void> {
  for (const close of [...opened].toReversed()) await close();
}
