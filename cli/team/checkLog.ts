import { validateBody } from '../../functions/ailog/validateAiLog.ts';
import { ApiError } from '../../functions/errors.ts';
import { parseJson, readBody } from '../../functions/upload/middleware/parseJson.ts';
import { prepareEntry } from '../../functions/upload/middleware/prepareEntry.ts';
import type { Middleware, UploadEvent } from '../../functions/upload/request.ts';

/** Why the service would reject a body, in its words, and its code; undefined: it would take it. */
export type Objection = Pick<ApiError, 'code' | 'message'> | undefined;

/** What the middlewares need to know besides the body, to judge it. */
const standIn = {
  isBase64Encoded: true,
  access: { accessKey: '', signature: '', timestamp: '', passphrase: '' },
  caller: { uid: '', accessKey: '', query: '' },
  receivedAt: 0,
  locale: 'en-US',
  requestContext: { identity: { sourceIp: '' } },
};

/** Sends a body through the function's own middlewares, those that judge the body. */
export async function checkLog(body: Buffer): Promise<Objection> {
  const event = { ...standIn, body: body.toString('base64') } as unknown as UploadEvent;
  try {
    for (const { before } of [readBody(), parseJson(), validateBody(), prepareEntry()] satisfies Middleware[]) {
      await before?.({ event } as Parameters<NonNullable<Middleware['before']>>[0]);
    }
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
