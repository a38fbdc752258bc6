import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Entries } from '../ailog/entries.ts';
import type { Entry } from '../ailog/entry.ts';
import type { JsonObject } from '../ailog/jsonText.ts';
import type { AiLog } from '../ailog/schema.ts';
import type { Allowlist, AllowlistEntry } from '../allowlist/allowlist.ts';
import type { ApiKey, ApiKeys } from '../auth/apiKeys.ts';
import type { CredentialStore, Credentials } from '../auth/credentialStore.ts';
import type { AccessHeaders, Caller } from '../auth/verifyCaller.ts';
import type { Config } from '../config.ts';
import type { Weights } from '../weights/weights.ts';

/** The gateway's event, and what each middleware adds to it, in the order in which they run. No name changes its meaning. */
export interface UploadEvent extends APIGatewayProxyEvent {
  /** From `startRequest`: when the function received the request, in milliseconds since 1970. */
  receivedAt: number;
  /** From `startRequest`: aborts every call to a dependency, so that the caller has a response within 5 s. */
  deadline: AbortSignal;
  /** From `timed`: how long each middleware took, in milliseconds, by its name. */
  middlewareMs: Record<string, number>;
  /** Headers of the response, whether it is a success or an error. */
  responseHeaders: Record<string, string>;

  /** From `requireHeaders`: the access headers as they were sent. */
  access: AccessHeaders;
  /** From `requireHeaders`: the language tag; empty if none is required and none was sent. */
  locale: string;
  /** From `readBody`: the bytes that the caller sent and signed. `body` stays the gateway's text of them. */
  rawBody: Buffer;
  /** From `readRecords`: the API key with the access key that was sent, if there is one. */
  apiKey: ApiKey | undefined;
  /** From `readRecords`: every set of credentials that the key accepts now; undefined if it may not be used. */
  credentials: readonly Credentials[] | undefined;
  /** From `readRecords`: the allowlist entry of the key's UID, if there is one. */
  allowlistEntry: AllowlistEntry | undefined;
  /** From `readRecords`: the credentials could not be decrypted, a failure of the key service and not of a table. */
  decryptFailed?: true;
  /** From `authenticate`: the owner of the key that signed the request. */
  caller: Caller;
  /** From `parseJson`: `rawBody` as text. */
  bodyText: string;
  /** From `parseJson`: the JSON object in it, with numbers as JavaScript has them. */
  parsedBody: JsonObject;
  /** From `validateBody`: the AI log, its order id as text. */
  log: AiLog;
  /** From `prepareEntry`: the entry to store. Its `body` is `rawBody`, compressed. */
  entry: Entry;
  /** From `storeEntry`: whether an earlier attempt of the same request had stored the entry. */
  duplicate: boolean;
}

/** The tables, keys and clock that the middlewares work with. */
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

/** One step of the pipeline. It assigns to the event or throws an ApiError; it never returns a value. */
export type Middleware = MiddlewareObj<UploadEvent, APIGatewayProxyResult>;
