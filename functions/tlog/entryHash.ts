import { hash } from 'node:crypto';
import type { Entry } from '../ailog/entry.ts';

/**
 * The attributes of an entry that its hash covers, in the order of the preimage. `bodySha256` stands for the body.
 */
// biome-ignore format: several a line
export const HASHED_ATTRIBUTES = [
  'uid', 'entryId', 'receivedAt', 'accessKey', 'timestamp', 'signature', 'query', 'locale', 'sourceIp',
  'bodySha256', 'bodyBytes',
] as const satisfies readonly (keyof Entry)[];

export type HashedAttributes = Pick<Entry, (typeof HASHED_ATTRIBUTES)[number]>;

/** Returns the attributes of an entry that its hash covers, without the others, such as the body. */
export const pickHashedAttributes = (entry: HashedAttributes): HashedAttributes =>
  Object.fromEntries(HASHED_ATTRIBUTES.map((name) => [name, entry[name]])) as unknown as HashedAttributes;

const ENTRY_START = 'ai-log-entry/';

/** The length of the zeros with which the entry hash of a key or a retention begins. */
const ZEROS = 8;

/** Returns the preimage of an entry: a header line and a JSON array. An absent attribute is an empty string. */
export const entryPreimage = (entry: HashedAttributes): string =>
  `${ENTRY_START}v1\n${JSON.stringify(HASHED_ATTRIBUTES.map((name) => entry[name] ?? ''))}`;

/** Returns the preimage of a public key of the service. Each key is a log entry of its own. */
export const keyPreimage = (verifierKey: string): string => `ai-log-key/v1\n${JSON.stringify([verifierKey])}`;

/**
 * Returns the preimage of a retention: for how many days entries are kept from now on. It is a log entry of its own.
 * @param days 0: for ever
 */
export const retentionPreimage = (days: number): string => `ai-log-retention/v1\n${JSON.stringify([days])}`;

/**
 * Returns the entry hash of a preimage, the 32 bytes in an entry bundle: its SHA-256. That of a key or a retention
 * begins with zeros instead, and the sequencer takes no such hash from a row, so that nobody announces one by writing a
 * row. `leafHashOf` gives the hash in the tree.
 */
export function entryHashOf(preimage: string): Buffer {
  const digest = hash('sha256', preimage, 'buffer');
  return preimage.startsWith(ENTRY_START) ? digest : digest.fill(0, 0, ZEROS);
}

/** Returns true if an entry hash is that of a key or a retention. */
export const isAnnounced = (entryHash: Uint8Array): boolean => entryHash.subarray(0, ZEROS).every((byte) => byte === 0);
