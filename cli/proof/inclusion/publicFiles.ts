import { defineOpener } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { joinSignals } from '../../shell/terminal/signals.ts';

/** The time in which a file must arrive, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** The files of a public log, and where it is. */
export type PublicFiles = ReturnType<typeof publicFiles>;

export type ReadPublic = PublicFiles['read'];

/** Reads a body up to a limit, so that an endless one ends. @throws Error if it is longer */
async function readBody(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // The end of the loop, also by an error, cancels the rest.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limit) throw new Error(`it is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Opens the files of a public log, by its base URL. `signal` ends all reads. @throws Failure if it is not a URL */
export function publicFiles(url: string, signal: AbortSignal) {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (!base || !/^https?:$/.test(base.protocol) || base.search || base.hash || base.username) {
    throw new Failure('usage', `"${url}" is not the URL of a transparency log.`, {
      advice: 'Give the URL that the organisers published, such as https://d111111abcdef8.cloudfront.net.',
    });
  }
  base.pathname = base.pathname.replace(/\/*$/, '/');
  /**
   * Reads a file, and the time at which it was stored, if its server says so, in milliseconds since 1970.
   * @param path such as `checkpoint` @param limit the most bytes that it may have @returns undefined if there is none
   * @throws Failure if the server does not answer in time, or not with a file of that length
   */
  const read = async (path: string, limit: number) => {
    const failed = (problem: string, cause?: unknown) => {
      if (signal.aborted) return new Failure('interrupted', 'Interrupted.');
      const advice = 'Check the URL and the network, then try again. This says nothing about the entries.';
      return new Failure('unreachable', `The transparency log at ${base} has not sent ${path}: ${problem}.`, {
        cause,
        advice,
      });
    };
    const { signal: ends, release } = joinSignals([signal], TIMEOUT_MS);
    try {
      // A redirect could lead to any server, so it is not followed.
      const response = await fetch(new URL(path, base), { redirect: 'manual', cache: 'no-cache', signal: ends });
      const { status, headers, body } = response;
      if (status === 200) {
        const storedAt = Date.parse(headers.get('Last-Modified') ?? '');
        return { bytes: await readBody(body, limit), storedAt: Number.isNaN(storedAt) ? undefined : storedAt };
      }
      await body?.cancel();
      if (status === 404) return undefined;
      throw new Error(status === 0 || (status >= 300 && status < 400) ? 'it is a redirect' : `HTTP ${status}`);
    } catch (error) {
      const { name, message, cause } = error as Error;
      if (name === 'TimeoutError') throw failed(`it takes longer than ${TIMEOUT_MS / 1000} s`, error);
      throw failed((cause as Error | undefined)?.message || message, error);
    } finally {
      release();
    }
  };
  return { url: base.href, read };
}

/** What a command of auditors reads over HTTP: `on: onPublicLog`. Teams get these commands too. */
export const onPublicLog = defineOpener({
  kind: 'a public log',
  options: {},
  use: (terminal, _asked, work: (opened: { readonly openLog: (url: string) => PublicFiles }) => Promise<void>) =>
    work({ openLog: (url) => publicFiles(url, terminal.signal) }),
});
