import type { Upload } from '../setup/upload.ts';

/**
 * Sends a request to a deployed API, byte for byte.
 *
 * The emulator does not fill in `$context.requestTimeEpoch` in the gateway's own responses, so they are not valid JSON.
 * This function replaces it with 0. test/infra/api/api.test.ts checks that the filled-in template is valid JSON.
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
