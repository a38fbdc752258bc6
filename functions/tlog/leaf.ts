import { hash } from 'node:crypto';
import type { Entry } from '../ailog/entry.ts';

/**
 * The attributes of an entry that its leaf commits to, in the order of the preimage. `bodySha256` stands for the body.
 */
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

/** The attributes of an entry that its leaf is made of. */
export type LeafSource = Pick<Entry, (typeof LEAF_ATTRIBUTES)[number]>;

/** Returns the attributes of an entry that its leaf is made of, without the others, such as the body. */
export const pickLeafSource = (entry: LeafSource): LeafSource =>
  Object.fromEntries(LEAF_ATTRIBUTES.map((name) => [name, entry[name]])) as unknown as LeafSource;

/** Returns the preimage of an entry: a header line and a JSON array. An absent attribute is an empty string. */
export const leafPreimage = (entry: LeafSource): string =>
  `ai-log-entry/v1\n${JSON.stringify(LEAF_ATTRIBUTES.map((name) => entry[name] ?? ''))}`;

/** Returns the preimage of a public key of the service. Each key has a leaf of its own. @param verifierKey as text */
export const keyPreimage = (verifierKey: string): string => `ai-log-key/v1\n${JSON.stringify([verifierKey])}`;

/** Returns the log entry of a preimage: its SHA-256, 32 bytes. `recordHash` of it is the leaf hash in the tree. */
export const leafOf = (preimage: string): Buffer => hash('sha256', preimage, 'buffer');
