import { formatTime } from '../text/time.ts';
import { visible } from '../text/visible.ts';

/** A response of the local server, and the UID that the access key belongs to, if it exists. */
export interface Answered {
  readonly uid: string | undefined;
  readonly status: number;
  /** The envelope, as JSON text. */
  readonly body: string;
}

/** Returns a response as one line: time, UID, HTTP status, code and message. @param at milliseconds since 1970 */
export function describeAnswer({ uid = '-', status, body }: Answered, at: number): string {
  const { code, msg } = JSON.parse(body);
  return [formatTime(at), uid, status, code, msg].map((part) => visible(String(part))).join('  ');
}
