import type { Terminal } from '../terminal/terminal.ts';
import type { Access } from './access.ts';
import { type Delivery, type DeliveryTimeouts, deliver } from './deliver.ts';
import type { Journal, Line } from './journal.ts';
import { type SignedRequest, signRequest } from './signedRequest.ts';

/** A log of a folder. */
export interface FolderLog {
  readonly file: string;
  /** The bytes of the file, unchanged. */
  readonly body: Buffer;
  /** Hex SHA-256 of the body. */
  readonly digest: string;
}

/**
 * Sends one log of a folder. Each request is recorded before it is sent, and the result before this returns. Ctrl-C does
 * not interrupt it, because the outcome would be lost.
 * @param resume the request of an earlier run whose outcome is unknown, if it can still be sent
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
  // If an earlier run may have stored the log, a rejection in this run does not change that.
  else if (before && before.state !== 'not stored') {
    note({ state: 'unknown', digest: before.digest, entryId: before.entryId }, says);
  } else note({ state: 'not stored', digest, entryId }, says);
  return delivery;
}
