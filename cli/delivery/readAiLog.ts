import { decodeJsonText, requireJsonObject } from '../../functions/ailog/jsonText.ts';
import { requireBodySize } from '../../functions/ailog/limits.ts';
import type { AiLog } from '../../functions/ailog/schema.ts';
import { validateAiLog } from '../../functions/ailog/validateAiLog.ts';
import { parseJsonText } from '../../functions/upload/middleware/parseJson.ts';

/**
 * Reads the AI log in a request body by the same rules as the service.
 * @throws ApiError that the service would respond with
 */
export function readAiLog(rawBody: Buffer): AiLog {
  requireBodySize(rawBody);
  const bodyText = decodeJsonText(rawBody);
  return validateAiLog(requireJsonObject(parseJsonText(bodyText)), bodyText);
}
