import { hash } from 'node:crypto';
import type { Entry } from '../ailog/entry.ts';

/** The attributes that the entry hash covers, in the order of the preimage. `bodySha256` stands for the body. */
// biome-ignore format: several a line
export const HASHED_ATTRIBUTES = [
  'uid', 'entryId', 'receivedAt', 'accessKey', 'timestamp', 'signature', 'query', 'locale', 'sourceIp',
  'bodySha256', 'bodyBytes',
] as const satisfies readonly (keyof Entry)[];

export type HashedAttributes = Pick<Entry, (typeof HASHED_ATTRIBUTES)[number]>;

/** Returns the attributes of an entry that its hash covers, without the others, such as the body. */
export const pickHashedAttributes = (entry: HashedAttributes): HashedAttributes =>
  Object.fromEntries(HASHED_ATTRIBUTES.map((name) => [name, entry[name]])) as unknown as HashedAttributes;

/** Returns the preimage of an entry: a header line and a JSON array. An absent attribute is an empty string. */
export const entryPreimage = (entry: HashedAttributes): string =>
  `ai-log-entry/v1\n${JSON.stringify(HASHED_ATTRIBUTES.map((name) => entry[name] ?? ''))}`;

/** Returns the SHA-256 of a preimage, which is the entry in a bundle. `leafHashOf` gives the hash in the tree. */
export const entryHashOf = (preimage: string): Buffer => hash('sha256', preimage, 'buffer');
