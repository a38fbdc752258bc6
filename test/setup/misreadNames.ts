let pairs = 0;

/**
 * Returns the beginnings of two JSON objects: V8 misreads a name of the second one if it has parsed the first one
 * before in this process, because it expects the name that followed the same first name the last time.
 */
export function misreadNames(name = 'orderId'): { before: string; after: string } {
  pairs += 1;
  const first = `"first${pairs}":1,`;
  const spelled = `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  return { before: `{${first}${JSON.stringify(spelled.slice(0, name.length))}:0`, after: `{${first}"${spelled}"` };
}

/** Returns true if this version of V8 takes an escaped name for another one that it has read before. */
export function isMisreadByV8(): boolean {
  const { before, after } = misreadNames();
  JSON.parse(`${before}}`);
  return !('orderId' in JSON.parse(`${after}:5}`));
}
