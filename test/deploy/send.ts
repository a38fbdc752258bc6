import type { Upload } from '../setup/upload.ts';

/**
 * Sends a request to a deployed API, byte for byte.
 *
 * The emulator leaves the time in the gateway's own answers as the template has it, `$context.requestTimeEpoch`, which
 * is no JSON: 0 stands there instead. That the template is right JSON once filled in is for test/infra/api/api.test.ts.
 */
export async function send(baseUrl: string, { method, path, headers, body }: Upload) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(body.length > 0 && { body }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = (await response.text()).replace('$context.requestTimeEpoch', '0');
  return {
    status: response.status,
    headers: response.headers,
    json: JSON.parse(text) as { code: string; msg: string; requestTime: number; data: string | null },
  };
}
