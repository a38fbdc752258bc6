/** Stands in for the other modules of Node that the code of `ailog verify` imports. */

import { Buffer } from 'buffer/';
import { sortMembers } from '../../shell/text/json.ts';

/** The files on the page by name, as in one folder, with their first bytes: all that a verification holds at once. */
export const folder = new Map<string, { readonly file: File; readonly bytes: Uint8Array }>();

// node:fs
const opened: { name: string; position: number }[] = [];
const nameOf = (descriptor: number): string => opened[descriptor]?.name as string;
export const constants = {};
export const openSync = (name: string): number => opened.push({ name, position: 0 }) - 1;
export const closeSync = (_descriptor: number): void => {};
export const statSync = (name: string) => {
  const found = folder.get(name);
  return found && { isFile: () => true, size: found.file.size };
};
export const fstatSync = (descriptor: number) => statSync(nameOf(descriptor));
export const readFileSync = (descriptor: number) => String(folder.get(nameOf(descriptor))?.bytes);
export function readSync(descriptor: number, target: Uint8Array, start: number, length: number): number {
  const place = opened[descriptor] as { name: string; position: number };
  const read = folder.get(place.name)?.bytes.subarray(place.position, place.position + length) ?? [];
  target.set(read, start);
  place.position += read.length;
  return read.length;
}
/** Reads a file in pieces of 1 MiB, however large it is. The page can draw between them. */
export async function* createReadStream(name: string) {
  const { file } = folder.get(name) as { file: File };
  for (let start = 0; start < file.size; start += 2 ** 20) {
    yield new Uint8Array(await file.slice(start, start + 2 ** 20).arrayBuffer());
  }
}

// node:timers/promises
export const setImmediate = () => new Promise((resolve) => setTimeout(resolve));

// node:path
export const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const dirname = (_path: string): string => '';
export const join = (_folder: string, name: string): string => name;

// node:buffer. The browser decodes UTF-8 faster than the package, and like Node where it is invalid.
const toText = Buffer.prototype.toString;
Buffer.prototype.toString = function (encoding = 'utf8', ...range) {
  return encoding === 'utf8' && range.length === 0
    ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(this)
    : toText.call(this, encoding, ...range);
};

export { Buffer };
export function isUtf8(bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) !== undefined;
  } catch {
    return false;
  }
}

// node:string_decoder
export class StringDecoder {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  write = (bytes: Uint8Array<ArrayBuffer>): string => this.#decoder.decode(bytes, { stream: true });
  end = (): string => this.#decoder.decode();
}

// node:util, for values of JSON
export const isDeepStrictEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one, sortMembers) === JSON.stringify(other, sortMembers);
