/** Returns a signal that aborts one read from a table or a key service after 10 s. */
export const readTimeout = (): AbortSignal => AbortSignal.timeout(10_000);
