import { Failure } from '../terminal/failure.ts';
import type { Delivery } from './deliver.ts';

/** Statuses that do not depend on the log: any other log would be rejected too. */
const OF_THE_CALLER = [401, 403, 404, 405, 415];

/** Checks that the failure concerns only this log, so that the next log can be tried. */
export const concernsLogOnly = ({ outcome, reply: { status = 0 } }: Delivery): boolean =>
  outcome === 'rejected' && [400, 413].includes(status);

/** Checks that the failure concerns the key, the URL or the allowlist, so that waiting does not help. */
export const concernsCaller = ({ outcome, reply: { status = 0 } }: Delivery): boolean =>
  outcome === 'rejected' && OF_THE_CALLER.includes(status);

/** Creates the failure for a log that was not stored, or may not have been stored. */
export function failDelivery(name: string, { outcome, reply, request, attempts }: Delivery): Failure {
  const { says, status = 0 } = reply;
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
  if (outcome === 'unknown') {
    return new Failure('unreachable', `${name} may or may not be stored${tries}: ${says}.`, {
      advice: `If it is stored, its entry is ${request.entryId}. Ask the organisers before you upload it again: that would create a second entry.`,
    });
  }
  if (outcome === 'unreached') {
    return new Failure('unreachable', `${name} was not sent: ${says}.`, { advice: 'Check the URL and the network.' });
  }
  const isAdvised = says.includes('ailog doctor');
  const advice = OF_THE_CALLER.includes(status) && !isAdvised ? 'ailog doctor finds the reason.' : undefined;
  return new Failure('rejected', `${name} was rejected${tries}: ${says}.`, advice === undefined ? {} : { advice });
}
