import type { Terminal } from '../terminal/terminal.ts';
import type { Access } from './access.ts';
import { type Delivery, type DeliveryTimeouts, deliver } from './deliver.ts';
import type { Journal, Line } from './journal.ts';
import { type SignedRequest, signRequest } from './signedRequest.ts';

/** A log of a folder. */
export interface FolderLog {
  readonly file: string;
  /** Byte for byte. */
  readonly body: Buffer;
  /** Hex SHA-256 of it. */
  readonly digest: string;
}

/**
 * Sends one log of a folder. Each request is on record before it is sent, and what came of it before this returns. Ctrl-C
 * does not break it off: its outcome would be lost.
 * @param resume the request of an earlier run whose outcome is not known, if it may still be sent again
 */
export async function sendOnRecord(
  terminal: Terminal,
  access: Access,
  { file, body, digest }: FolderLog,
  { journal, resume, ...timeouts }: DeliveryTimeouts & { journal: Journal; resume: SignedRequest | undefined },
): Promise<Delivery> {
  const { url, accessKey } = access;
  const before = journal.last(url, file);
  const note = (line: Pick<Line, 'state' | 'digest' | 'entryId'>, says?: string) =>
    journal.add({ file, url, accessKey, ...line, ...(says && { says }), at: new Date().toISOString() });

  const delivery = await deliver({
    ...timeouts,
    sign: () => signRequest(access, body, Date.now()),
    record: ({ entryId }) => note({ state: 'sending', digest, entryId }),
    log: (sentence) => terminal.note(`${file}: ${sentence}`),
    stop: new AbortController().signal,
    ...(resume && { resume }),
  });
  const {
    outcome,
    request: { entryId },
    reply: { says },
  } = delivery;
  if (outcome === 'stored') note({ state: 'stored', digest, entryId });
  else if (outcome === 'unknown') note({ state: 'unknown', digest, entryId }, says);
  // What may be stored from an earlier run still may be when this one is rejected.
  else if (before && before.state !== 'not stored') {
    note({ state: 'unknown', digest: before.digest, entryId: before.entryId }, says);
  } else note({ state: 'not stored', digest, entryId }, says);
  return delivery;
}
