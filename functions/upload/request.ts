import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { entriesTable } from '../ailog/entries.ts';
import type { Entry } from '../ailog/entry.ts';
import type { JsonObject } from '../ailog/jsonText.ts';
import type { AiLog } from '../ailog/schema.ts';
import type { AllowlistEntry, allowlistTable } from '../allowlist/allowlist.ts';
import type { ApiKey } from '../auth/apiKeys.ts';
import type { Credentials, createCredentialStore } from '../auth/credentialStore.ts';
import type { AccessHeaders, Caller } from '../auth/verifyCaller.ts';
import type { BoundedMap } from '../boundedMap.ts';
import type { createReceiptSigner } from '../receipts/receiptSigner.ts';
import type { HashedAttributes } from '../tlog/entryHash.ts';
import type { weightsTable } from '../weights/weights.ts';
import type { callerRecordsReader } from './callerRecords.ts';
import type { Config } from './config.ts';

interface Added {
  /** From `startRequest`: the time at which the function received the request, in milliseconds since 1970. */
  receivedAt: number;
  /** From `startRequest`: aborts every call to a dependency in time for a response within 5 s. */
  deadline: AbortSignal;
  /** From `startRequest`: ends the deadline, so that it aborts nothing. */
  endDeadline: () => void;
  /** From `timed`: the duration of each middleware by its name, in milliseconds. */
  middlewareMs: Record<string, number>;
  responseHeaders: Record<string, string>;

  access: AccessHeaders;
  /** From `requireHeaders`: the locale as it was sent. Empty if none was sent and none is required. */
  locale: string;
  /** From `readBody`: the bytes that the caller sent and signed. `body` remains the gateway's text. */
  rawBody: Buffer;
  apiKey: ApiKey | undefined;
  /** From `readRecords`: all credentials that the key accepts now. Undefined if the key may not be used. */
  credentials: readonly Credentials[] | undefined;
  allowlistEntry: AllowlistEntry | undefined;
  decryptFailed?: true;
  caller: Caller;
  bodyText: string;
  /** From `parseJson`: the parsed JSON object. Its numbers are JavaScript numbers. */
  parsedBody: JsonObject;
  /** From `validateBody`: the AI log, with its order id as text. */
  log: AiLog;
  orderWarning: string | undefined;
  entry: Entry;
  duplicate: boolean;
  /** From `storeEntry`: the reason why the response has no receipt. Undefined if it has one. */
  receiptError: unknown;
}

/** The name of a property that a step adds to the event. */
export type Field = keyof Added;

/** The event of a request: the fields in `Has` are there, those in `May` may be missing, and no others can be read. */
export type UploadEvent<Has extends Field = never, May extends Field = never> = APIGatewayProxyEvent &
  Pick<Added, Has> &
  Partial<Pick<Added, May>>;

/**
 * A step assigns to the event or throws an ApiError. @template Needs fields of steps before it @template Adds its own
 * @template Sees the fields that it reads if they are there
 */
export interface Step<Needs extends Field = never, Adds extends Field = never, Sees extends Field = never>
  extends MiddlewareObj<UploadEvent<Needs, Adds | Sees>, APIGatewayProxyResult> {}

/** The entries stored lately, by id: an identical request costs its UID no weight, and its partition no write. */
export type StoredEntries = BoundedMap<string, HashedAttributes>;

export interface Dependencies {
  readonly config: Config;
  readonly readCallerRecords: ReturnType<typeof callerRecordsReader>;
  readonly allowlist: ReturnType<typeof allowlistTable>;
  readonly credentialStore: ReturnType<typeof createCredentialStore>;
  readonly weights: ReturnType<typeof weightsTable>;
  readonly entries: ReturnType<typeof entriesTable>;
  readonly receipts: ReturnType<typeof createReceiptSigner>;
  readonly now: () => number;
}
