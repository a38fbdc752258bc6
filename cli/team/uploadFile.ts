import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Access } from './access.ts';
import { checkLog } from './checkLog.ts';
import { type DeliveryTimeouts, deliver } from './deliver.ts';
import { failDelivery } from './failDelivery.ts';
import { readLog } from './readLog.ts';
import { setOrderId } from './setOrderId.ts';
import { type SignedRequest, signRequest } from './signedRequest.ts';

/**
 * Uploads one log.
 * @param order the id of its order, if the log does not have it
 * @returns the entry as the service confirmed it
 * @throws Failure if the log is not stored, or if that is unknown
 */
export async function uploadFile(
  terminal: Terminal,
  access: Access,
  file: string,
  { order, ...timeouts }: DeliveryTimeouts & { order: bigint | undefined },
) {
  const { name, body: read } = await readLog(terminal, file);
  const checkBody = async (bytes: Buffer) => {
    const objection = checkLog(bytes);
    if (objection) throw new Failure('negative', `${name} would be rejected, ${objection.code}: ${objection.message}.`);
  };
  await checkBody(read);
  const body = order === undefined ? read : setOrderId(read, order);
  if (body !== read) await checkBody(body);

  let last: SignedRequest | undefined;
  const delivery = await deliver({
    ...timeouts,
    sign: () => signRequest(access, body, Date.now()),
    record: (request) => {
      last = request;
    },
    log: (sentence) => terminal.note(sentence),
    stop: terminal.signal,
  }).catch((cause) => {
    if (!terminal.signal.aborted) throw cause;
    const advice = `If it is stored, its entry is ${last?.entryId}.`;
    throw new Failure('interrupted', `Interrupted: ${name} may or may not be stored.`, { advice, cause });
  });
  if (delivery.outcome !== 'stored') throw failDelivery(name, delivery);
  const { entryId, digest, rateLimit } = delivery.reply;
  return {
    entry: entryId ?? delivery.request.entryId,
    digest,
    bytes: body.length,
    attempts: delivery.attempts,
    rateLimit,
  };
}
