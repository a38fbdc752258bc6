import { validateAiLog } from '../../ailog/validateAiLog.ts';
import type { Middleware } from '../request.ts';

/** Validates the parsed body against the schema of an AI log. */
export const validateBody = (): Middleware => ({
  before: ({ event }) => {
    event.log = validateAiLog(event.parsedBody, event.bodyText);
  },
});
