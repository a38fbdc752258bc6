/** Decodes base64. @throws Error unless it is the exact encoding of its bytes: Node skips invalid characters */
export function decodeBase64(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new Error(`${what} is not standard base64 with padding.`);
  return bytes;
}

/** Decodes the base64 of a hash. @throws Error if it is not base64 of 32 bytes */
export function decodeHash(text: string, what: string): Buffer {
  const hash = decodeBase64(text, what);
  if (hash.length !== 32) throw new Error(`${what} has ${hash.length} bytes instead of 32.`);
  return hash;
}
