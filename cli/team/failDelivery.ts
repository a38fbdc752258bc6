import { Failure } from '../terminal/failure.ts';
import type { Delivery } from './deliver.ts';

/** Statuses that are no matter of the log: another one would be rejected as well. */
const OF_THE_CALLER = [401, 403, 404, 405, 415];

/** Whether another log may fare better than the one that was not stored. */
export const mayGoOn = ({ outcome, reply: { status = 0 } }: Delivery): boolean =>
  outcome === 'rejected' && [400, 413].includes(status);

/** What to say of a log that was not stored, or may not have been. */
export function failDelivery(name: string, { outcome, reply, request, attempts }: Delivery): Failure {
  const { says, status = 0 } = reply;
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
  if (outcome === 'unknown') {
    return new Failure('unreachable', `Whether ${name} is stored is not known${tries}: ${says}.`, {
      advice: `If it is, its entry is ${request.entryId}: ask the organisers before you upload it again, which would be a second entry.`,
    });
  }
  if (outcome === 'unreached') {
    return new Failure('unreachable', `${name} was not sent: ${says}.`, { advice: 'Check the URL and the network.' });
  }
  const advice = OF_THE_CALLER.includes(status) ? 'ailog doctor looks into it.' : undefined;
  return new Failure('rejected', `${name} was rejected${tries}: ${says}.`, advice === undefined ? {} : { advice });
}
