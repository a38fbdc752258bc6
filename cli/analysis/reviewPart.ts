import type { Entry } from '../../functions/ailog/entry.ts';
import { readBodyText } from '../entries/bodyOf.ts';
import { type Columns, columnsOf } from '../entries/columns.ts';
import type { EntryKey } from '../entries/entryFilter.ts';
import type { ReadPart } from '../entries/pageTask.ts';
import { packRowKeys } from '../inclusion/rowKeys.ts';
import { readContent } from './logContent.ts';
import { FACTS_BYTES, writeFacts } from './logFacts.ts';
import { isInLimits, type ReviewedLog, type ReviewLimits } from './reviewTeams.ts';
import { signedLogOf } from './signedLog.ts';

/** The limits of a report, and the parts of the entries that it reads. */
export interface ReviewOptions extends ReviewLimits {
  /** True if the logs will be located in the transparency log. */
  readonly withRowKeys: boolean;
}

/** The parts of some entries that a report needs. */
export interface ReviewPart {
  /** See `rowsOf`. */
  readonly logs: Columns<ReviewedLog>;
  /** A row of `writeFacts` for each log. That of a log outside the period is empty. */
  readonly facts: Uint8Array;
  /** The keys that locate each log in the transparency log, see `unpackRowKeys`. Empty unless they are asked for. */
  readonly rowKeys: Uint8Array;
  /** The keys of damaged entries, which are left out. */
  readonly damaged: readonly EntryKey[];
}

/** The properties of a log. */
const LOG: readonly (keyof ReviewedLog)[] = ['uid', 'entryId', 'signedAt', 'receivedAt', 'orderId', 'model', 'stage'];

/** Returns false for an entry that the service cannot have written. `ailog logs verify` says what is wrong with it. */
const isReadable = ({ timestamp, receivedAt, model, stage, bodySha256 }: Entry) =>
  /^\d{13}$/.test(timestamp) &&
  Number.isSafeInteger(receivedAt) &&
  [model, stage, bodySha256].every((text) => typeof text === 'string');

/** Reads the logs and their contents. The size of the result does not depend on the bodies. */
export const readPart: ReadPart<ReviewOptions, ReviewPart> = (page, _from, options) => {
  const entries: Entry[] = [];
  const damaged: EntryKey[] = [];
  for (const entry of page) {
    if (isReadable(entry)) entries.push(entry);
    else damaged.push({ uid: entry.uid, entryId: entry.entryId });
  }
  const facts = Buffer.alloc(entries.length * FACTS_BYTES);
  const logs = entries.map((entry: Entry, index): ReviewedLog => {
    const { model, stage } = entry;
    const log = { ...signedLogOf(entry), model, stage };
    if (isInLimits(log.signedAt, options)) {
      const row = facts.subarray(index * FACTS_BYTES, (index + 1) * FACTS_BYTES);
      writeFacts(row, entry, readContent(readBodyText(entry)));
    }
    return log;
  });
  const rowKeys = packRowKeys(options.withRowKeys ? entries : []);
  return {
    part: { logs: columnsOf(logs, LOG), facts, rowKeys, damaged },
    next: page.length,
    transfer: [facts.buffer, rowKeys.buffer],
  };
};
