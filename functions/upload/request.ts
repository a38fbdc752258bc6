import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Entries } from '../ailog/entries.ts';
import type { Entry } from '../ailog/entry.ts';
import type { AiLog } from '../ailog/schema.ts';
import type { Allowlist, AllowlistEntry } from '../allowlist/allowlist.ts';
import type { ApiKey, ApiKeys } from '../auth/apiKeys.ts';
import type { CredentialStore, Credentials } from '../auth/credentialStore.ts';
import type { Config } from '../config.ts';
import type { Weights } from '../weights/weights.ts';

/** One upload on its way: the gateway's event and what the middlewares found out about it, in the order in which they do. */
export interface UploadEvent extends Omit<APIGatewayProxyEvent, 'body'> {
  /** When the function took the request, in milliseconds since 1970. */
  receivedAt: number;
  /** Aborts every call to a dependency, so that the caller has an answer within 5 s. */
  deadline: AbortSignal;
  /** Milliseconds spent in each middleware, by its name. */
  middlewareMs: Record<string, number>;
  /** Headers that the answer carries, be it a success or an error. */
  answerHeaders: Record<string, string>;

  /** From `requireHeaders`: the access headers as they were sent. */
  access: { accessKey: string; signature: string; timestamp: string; passphrase: string };
  /** From `requireHeaders`: the language tag; empty where none is required and none was sent. */
  locale: string;
  /** From `readBody`: the body, byte for byte. */
  bytes: Buffer;
  /** From `readRecords`: the API key that was named, if there is one. */
  apiKey: ApiKey | undefined;
  /** From `readRecords`: what is sealed in that key and what it accepts besides, if it may be used. */
  credentials: readonly Credentials[] | undefined;
  /** From `readRecords`: the allowlist entry of the UID of that key, if there is one. */
  allowlistEntry: AllowlistEntry | undefined;
  /** From `readRecords`: that the credentials could not be opened, which is the key's failure and not a table's. */
  decryptFailed?: true;
  /** From `authenticate`: who signed the request, and the query string as it was signed (empty: none). */
  caller: { uid: string; accessKey: string; query: string };
  /** The gateway's text; from `parseJson` on, the parsed object. */
  body: unknown;
  /** From `parseJson`: the body as text. */
  text: string;
  /** From `validateBody`: the body, known to fulfil the schema. */
  log: AiLog;
  /** From `prepareEntry`: what will be stored. */
  entry: Entry;
  /** From the handler: whether the entry had been stored by an earlier try of the same request. */
  duplicate: boolean;
}

/** What the middlewares work with. */
export interface Dependencies {
  readonly config: Config;
  readonly apiKeys: ApiKeys;
  readonly allowlist: Allowlist;
  readonly credentialStore: CredentialStore;
  readonly weights: Weights;
  readonly entries: Entries;
  /** The server's clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** One check of the contract: it assigns what it found to the event, or throws an error. It never returns. */
export type Middleware = MiddlewareObj<UploadEvent, APIGatewayProxyResult>;

/** How long a request may take before every call it still waits for is aborted, in milliseconds. */
const DEADLINE_MS = 4500;

/** Opens the book on a request; comes before everything else. */
export const openRequest = ({ now }: { now: () => number }): Middleware => ({
  before: ({ event }) => {
    event.receivedAt = now();
    event.deadline = AbortSignal.timeout(DEADLINE_MS);
    event.middlewareMs = {};
    event.answerHeaders = {};
  },
});
