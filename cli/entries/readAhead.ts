/**
 * Starts to read from a source at once, and stays some values ahead of its reader. The order stays that of the source.
 * @param ahead the number of values that are read before the reader takes them
 */
export function readAhead<Value>(source: AsyncGenerator<Value>, ahead: number): AsyncGenerator<Value> {
  // A generator answers calls of `next` one after the other.
  const read = () => {
    const value = source.next();
    // An error is thrown where the reader takes the value, if it ever does.
    value.catch(() => {});
    return value;
  };
  const started = Array.from({ length: ahead }, read);
  return (async function* () {
    try {
      for (;;) {
        const { done, value } = await (started.shift() as ReturnType<typeof read>);
        if (done) return;
        started.push(read());
        yield value;
      }
    } finally {
      source.return(undefined).catch(() => {});
    }
  })();
}
