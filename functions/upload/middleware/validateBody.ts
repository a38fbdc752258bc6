import { orderWarning } from '../../ailog/orderId.ts';
import { validateAiLog } from '../../ailog/validateAiLog.ts';
import type { Middleware } from '../request.ts';

/** Validates the parsed body against the schema of an AI log, and looks for an order id that is probably a mistake. */
export const validateBody = (): Middleware => ({
  before: ({ event }) => {
    event.log = validateAiLog(event.parsedBody, event.bodyText);
    event.orderWarning = orderWarning(event.log, event.parsedBody.orderId);
  },
});
