import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { headersOf } from '../../functions/tlog/paths.ts';
import { orMissing } from '../store/targets/tlogFiles.ts';

export const TLOG_PATH = '/tlog/';

/** The paths of public files. A dot only begins `.p`, so no path leads out of the folder; `staging/` is not public. */
const PUBLIC_FILE = /^(checkpoint|(checkpoints|cosigned|hints|tile)(\/[a-z0-9-]+(\.p)?)+)$/;

/** Returns true if the caller has this version of a file. Source: RFC 9110, section 13. */
function isKnown(headers: IncomingHttpHeaders, etag: string, storedAt: Date): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers;
  if (tags === undefined) return Math.floor(storedAt.getTime() / 1000) * 1000 <= Date.parse(since ?? '');
  return tags.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

/**
 * Returns the part of a file that is asked for: its first byte, and that after its last; no bytes if the file does not
 * reach so far. Undefined: the whole file, also for several ranges. Source: RFC 9110, section 14.
 */
function rangeOf(headers: IncomingHttpHeaders, etag: string, length: number): readonly [number, number] | undefined {
  const asked = (headers['if-range'] ?? etag) === etag ? headers.range : undefined;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(asked ?? '') ?? [];
  if (first === '') return last === '' ? undefined : [Math.max(0, length - Number(last)), length];
  if (last === '') return [Number(first), length];
  return Number(last) < Number(first) ? undefined : [Number(first), Math.min(length, Number(last) + 1)];
}

/** Answers a request for a file of the transparency log in a folder, as CloudFront does in a deployment. */
export async function serveTlog(folder: string, request: IncomingMessage, response: ServerResponse) {
  const { method, url = '', headers } = request;
  const [path = ''] = url.slice(TLOG_PATH.length).split('?');
  const text = { 'Content-Type': 'text/plain; charset=utf-8', 'Access-Control-Allow-Origin': '*' };
  if (method !== 'GET' && method !== 'HEAD') return response.writeHead(405, { ...text, Allow: 'GET, HEAD' }).end();
  const file = PUBLIC_FILE.test(path) ? join(folder, path) : undefined;
  const bytes = file && (await readFile(file).catch(() => undefined));
  const storedAt = file && (await stat(file).catch(orMissing))?.mtime;
  if (!bytes || !storedAt) return response.writeHead(404, text).end(`The transparency log has no such file.\n`);
  const { contentType, cacheControl } = headersOf(path);
  // S3 makes the ETag of such a file in the same way.
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
  const ofFile = {
    ...text,
    'Content-Type': contentType,
    'Cache-Control': cacheControl,
    'Accept-Ranges': 'bytes',
    'Last-Modified': storedAt.toUTCString(),
    ETag: etag,
  };
  if (isKnown(headers, etag, storedAt)) return response.writeHead(304, ofFile).end();
  const { length } = bytes;
  const range = rangeOf(headers, etag, length);
  const [start, end] = range ?? [0, length];
  if (range && start >= end) return response.writeHead(416, { ...text, 'Content-Range': `bytes */${length}` }).end();
  const part = range && { 'Content-Range': `bytes ${start}-${end - 1}/${length}` };
  return response
    .writeHead(range ? 206 : 200, { ...ofFile, ...part, 'Content-Length': end - start })
    .end(method === 'HEAD' ? undefined : bytes.subarray(start, end));
}
