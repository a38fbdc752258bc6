import { createHash } from 'node:crypto';
import type { Entry } from '../ailog/entry.ts';

/** The attributes of an entry that its leaf commits to, in the order of the preimage. `bodySha256` stands for the body. */
export const LEAF_ATTRIBUTES = [
  'uid',
  'entryId',
  'receivedAt',
  'accessKey',
  'timestamp',
  'signature',
  'query',
  'locale',
  'sourceIp',
  'bodySha256',
  'bodyBytes',
] as const satisfies readonly (keyof Entry)[];

/** An entry as far as its leaf goes. */
export type LeafSource = Pick<Entry, (typeof LEAF_ATTRIBUTES)[number]>;

/** Returns the text whose hash is the log entry: a header line and a JSON array. An attribute that is absent is an empty string. */
export const leafPreimage = (entry: LeafSource): string =>
  `ai-log-entry/v1\n${JSON.stringify(LEAF_ATTRIBUTES.map((name) => entry[name] ?? ''))}`;

/** Returns the preimage of a key of the service: each key is in the log like an entry. @param verifierKey as text */
export const keyPreimage = (verifierKey: string): string => `ai-log-key/v1\n${JSON.stringify([verifierKey])}`;

/** Returns the 32 bytes that stand in the log for a preimage: its SHA-256. `recordHash` of them is the leaf of the tree. */
export const leafOf = (preimage: string): Buffer => createHash('sha256').update(preimage).digest();
