import { defineOpener } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { proxyRemark, statusOfProxy } from '../../shell/terminal/proxy.ts';
import { joinSignals } from '../../shell/terminal/signals.ts';
import { folderFiles, TLOG_FILE_BYTES, type TlogFiles } from '../../store/targets/tlogFiles.ts';

/** The files of a log, of which the paths are known: by a URL, in a folder or in a bucket. */
export type LogFiles = Pick<TlogFiles, 'location' | 'read'>;

const TIMEOUT_MS = 10_000;

/** The files at a place say nothing about the log: there is none, or something else answers instead of it. */
export const notALog = (location: string, problem: string, cause?: unknown): Failure =>
  new Failure('unreachable', `${location} does not answer as a transparency log: ${problem}.`, {
    cause,
    advice: 'Check the place and the network, then try again. This says nothing about the entries.',
  });

export const onPublicLog = defineOpener({
  kind: 'a public log',
  options: {},
  use: (_terminal, _asked, work: (opened: object) => Promise<void>) => work({}),
});

/** Reads a body up to a limit, so that an endless one ends. @throws Error if it is longer */
async function readBody(body: ReadableStream<Uint8Array> | null): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // The end of the loop, also by an error, cancels the rest.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > TLOG_FILE_BYTES) throw new Error(`it is longer than ${TLOG_FILE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Opens the files of a public log, by its base URL. `signal` ends all reads. @throws Failure if it is not a URL */
export function publicFiles(url: string, signal: AbortSignal): LogFiles {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (!base || !/^https?:$/.test(base.protocol) || base.search || base.hash || base.username) {
    throw new Failure('usage', `"${url}" is not the URL of a transparency log.`, {
      advice: 'Give the URL that the organisers published, such as https://d111111abcdef8.cloudfront.net/ailog.',
    });
  }
  base.pathname = base.pathname.replace(/\/*$/, '/');
  const location = base.href;

  const read: LogFiles['read'] = async (path) => {
    const failed = (problem: string, cause?: unknown) =>
      signal.aborted ? new Failure('interrupted', 'Interrupted.') : notALog(location, `${path}: ${problem}`, cause);
    const { signal: ends, release } = joinSignals([signal], TIMEOUT_MS);
    try {
      // A redirect could lead to any server, so it is not followed.
      const response = await fetch(new URL(path, base), { redirect: 'manual', cache: 'no-cache', signal: ends });
      const { status, body } = response;
      if (status === 200) return await readBody(body);
      await body?.cancel();
      if (status === 404) return undefined;
      throw new Error(status === 0 || (status >= 300 && status < 400) ? 'it is a redirect' : `HTTP ${status}`);
    } catch (error) {
      const { name, message, cause } = error as Error;
      if (name === 'TimeoutError') throw failed(`it takes longer than ${TIMEOUT_MS / 1000} s`, error);
      const status = statusOfProxy(error as Error);
      const says = status ? `HTTP ${status} of the proxy` : (cause as Error | undefined)?.message || message;
      throw failed(`${says}${proxyRemark()}`, error);
    } finally {
      release();
    }
  };
  return { location, read };
}

/** Opens the files of a log at a place that somebody names: a URL, or a folder with a copy. */
export const logFilesAt = (place: string, folder: string, signal: AbortSignal): LogFiles =>
  /^https?:/i.test(place) ? publicFiles(place, signal) : folderFiles(folder);
