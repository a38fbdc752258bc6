/**
 * The calls of an upload, in the order in which the function makes them. With a key whose owner it does not know yet,
 * it reads the key and the allowlist entry one after the other, later both with one call: `read records`.
 */
// biome-ignore format: several a line
export const CALLS = [
  'get key', 'get allowlist entry', 'read records', 'consume uid', 'consume ip', 'put entry',
] as const;
export type Call = (typeof CALLS)[number];

/** The read of the receipt key, once in each function, by the id of the item; the read of the entries of a UID. */
export type OtherCall = 'get receipt key' | 'query entries';

/** Identifies a call of DynamoDB with its subject: an access key, a UID or an IP address. */
export function recognise(target: string, body: Buffer): `${Call | OtherCall} ${string}` | undefined {
  const { Key: key, Item: item, ExpressionAttributeValues: values, RequestItems = {} } = JSON.parse(body.toString());
  const read = Object.values<{ Keys?: Record<string, { S: string }>[] }>(RequestItems).flatMap(({ Keys = [] }) => Keys);
  if (read.length > 0) return `read records ${read.find(({ accessKey }) => accessKey)?.accessKey?.S}`;
  if (target.endsWith('.Query') && values?.[':uid']) return `query entries ${values[':uid'].S}`;
  if (target.endsWith('.PutItem') && item.entryId) return `put entry ${item.uid.S}`;
  if (key?.id) return `get receipt key ${key.id.S}`;
  if (key?.subjectWindow) {
    const [kind, subject] = key.subjectWindow.S.split('#');
    return kind === 'uid' ? `consume uid ${subject}` : `consume ip ${subject}`;
  }
  if (key?.accessKey) return `get key ${key.accessKey.S}`;
  return key?.uid ? `get allowlist entry ${key.uid.S}` : undefined;
}
