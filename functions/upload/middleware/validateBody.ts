import { orderWarning } from '../../ailog/orderWarning.ts';
import { validateAiLog } from '../../ailog/validateAiLog.ts';
import type { Middleware } from '../request.ts';

/** Validates the parsed body against the schema of an AI log, and looks for an order that it names by a wrong key. */
export const validateBody = (): Middleware => ({
  before: ({ event }) => {
    event.log = validateAiLog(event.parsedBody, event.bodyText);
    event.orderWarning = orderWarning(event.log);
  },
});
