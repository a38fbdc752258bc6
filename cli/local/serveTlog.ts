import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { headersOf } from '../../functions/tlog/paths.ts';
import { orMissing } from '../store/targets/tlogFiles.ts';

export const TLOG_PATH = '/tlog/';

/** The paths of the files. A dot only begins `.p`, so no path leads out of the folder. */
const PUBLIC_FILE = /^(checkpoint|(commits|checkpoints|receipt-keys|tile)(\/[a-z0-9]+(\.p)?)+)$/;

/** Answers a request for a file of the transparency log in a folder: always with the whole file. */
export async function serveTlog(folder: string, request: IncomingMessage, response: ServerResponse) {
  const { method, url = '' } = request;
  const [path = ''] = url.slice(TLOG_PATH.length).split('?');
  const text = { 'Content-Type': 'text/plain; charset=utf-8', 'Access-Control-Allow-Origin': '*' };
  if (method !== 'GET' && method !== 'HEAD') return response.writeHead(405, { ...text, Allow: 'GET, HEAD' }).end();
  const file = PUBLIC_FILE.test(path) ? join(folder, path) : undefined;
  const bytes = file && (await readFile(file).catch(() => undefined));
  const storedAt = file && (await stat(file).catch(orMissing))?.mtime;
  if (!bytes || !storedAt) return response.writeHead(404, text).end(`The transparency log has no such file.\n`);
  const { contentType, cacheControl } = headersOf(path);
  return response
    .writeHead(200, {
      ...text,
      'Content-Type': contentType,
      'Cache-Control': cacheControl,
      'Last-Modified': storedAt.toUTCString(),
      'Content-Length': bytes.length,
    })
    .end(method === 'HEAD' ? undefined : bytes);
}
