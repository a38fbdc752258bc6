import { sign, UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { exampleLog, rawJSON, shortLog } from '../../infra/openapi/exampleLog.ts';
import type { Team } from './tables.ts';

/** The example log with an order id beyond 2^53 and text beyond ASCII, as a trading bot sends it. */
export const aiLog = {
  ...exampleLog,
  orderId: 590480926522704171n,
  input: { prompt: 'Summarize last 6h BTC/ETH correlation', indicators: { rsi: 71.25, 均线: [1, 2, 3] } },
  output: { response: 'Sell ETH', confidence: 0.82 },
  explanation: 'BTC stronger – 看空 ETH 📉',
};

/** Returns the JSON text of a value, with big integers as plain numbers. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? rawJSON(String(item)) : item));

/**
 * Returns the JSON text of a short log. @param change other fields; undefined removes one
 * @param written fields as they are written in JSON, such as `{ input: '{"n":1.10}' }`
 */
export function logText(change: object = {}, written: Readonly<Record<string, string>> = {}): string {
  const fields = Object.entries({ ...shortLog, ...change, ...written }).filter(([, value]) => value !== undefined);
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${written[name] ?? jsonOf(value)}`).join(',')}}`;
}

/** A request before it is sent. */
export interface Upload {
  readonly method: string;
  readonly path: string;
  /** The query string without its question mark, which the service rejects. */
  readonly query: string;
  /** Names and values. A name may occur twice. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** The changes that a test can make to a valid upload before it is signed. */
export interface UploadChange {
  readonly body?: string | Buffer;
  readonly timestamp?: () => string | number;
}

/** Returns a valid upload of `aiLog`, with the changes applied and signed by the team. */
export function signedUpload(team: Team, change: UploadChange = {}): Upload {
  const body = Buffer.from(change.body ?? jsonOf(aiLog));
  const timestamp = String((change.timestamp ?? Date.now)());
  return {
    method: 'POST',
    path: UPLOAD_PATH,
    query: '',
    headers: [
      ['ACCESS-KEY', team.accessKey],
      ['ACCESS-SIGN', sign(team.secret, { timestamp, body })],
      ['ACCESS-PASSPHRASE', team.passphrase],
      ['ACCESS-TIMESTAMP', timestamp],
      ['locale', 'en-US'],
      ['Content-Type', 'application/json'],
    ],
    body,
  };
}

/** Returns an upload with a header set to another value, or removed. */
export function withHeader(upload: Upload, name: string, value?: string): Upload {
  const others = upload.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...upload, headers: value === undefined ? others : [...others, [name, value]] };
}

/** Returns the value of a header of an upload. The name is case-insensitive. */
export const headerOf = ({ headers }: Upload, name: string): string | undefined =>
  headers.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
