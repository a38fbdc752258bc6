import { readCopies, readPair, readPairs } from './copies.ts';
import { readDetail } from './detail.ts';
import { readChecks, readEntry, saveBody } from './entry.ts';
import { readHits, readSample, readSearch } from './search.ts';
import type { Console, Query } from './state.ts';
import { addOrders, readStatus, removeOrders, syncNow } from './status.ts';
import { readBoard, readTimeline } from './teams.ts';
import {
  addVerdict,
  buildStatement,
  disqualify,
  readCase,
  readDrafts,
  readVerdicts,
  saveDraft,
  undoVerdict,
} from './verdicts.ts';

export type Read = (console: Console, query: Query) => Promise<unknown>;

/** The reads of the page: `GET /api/<name>?…`. Bytes are saved as a file. */
export const reads = {
  status: readStatus,
  board: readBoard,
  timeline: readTimeline,
  detail: readDetail,
  entry: readEntry,
  body: saveBody,
  checks: readChecks,
  copies: readCopies,
  pairs: readPairs,
  pair: readPair,
  search: readSearch,
  hits: readHits,
  sample: readSample,
  verdicts: readVerdicts,
  case: readCase,
  drafts: readDrafts,
} satisfies Readonly<Record<string, Read>>;

/** The changes of the page: `POST /api/<name>` with a JSON body. Those with `writes` need `--write`. */
export const changes = {
  addOrders: { change: addOrders, writes: false },
  removeOrders: { change: removeOrders, writes: false },
  syncNow: { change: syncNow, writes: false },
  saveDraft: { change: saveDraft, writes: false },
  addVerdict: { change: addVerdict, writes: true },
  undoVerdict: { change: undoVerdict, writes: true },
  buildStatement: { change: buildStatement, writes: true },
  disqualify: { change: disqualify, writes: true },
} satisfies Readonly<
  Record<string, { change: (console: Console, body: unknown) => Promise<unknown>; writes: boolean }>
>;

export type Answer<Name extends keyof typeof reads> = Awaited<ReturnType<(typeof reads)[Name]>>;
