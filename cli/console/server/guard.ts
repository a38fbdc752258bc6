import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SESSION_HEADER, TOKEN_HEADER } from './headers.ts';

/** 192 bits, which nobody guesses. */
const secret = () => randomBytes(24).toString('base64url');

/** Compares digests: texts of equal length can have other lengths in bytes, for which the comparison would throw. */
const isSame = (given: string | string[] | undefined, right: string) =>
  timingSafeEqual(hash('sha256', String(given), 'buffer'), hash('sha256', right, 'buffer'));

/**
 * Creates the guard of a console that listens on a port of 127.0.0.1. It decides which requests come from the page of
 * this console. The page itself is no secret; everything else needs the secret of the session in a header, which no
 * browser sends by itself. docs/threats.md says which attacks each rule stops.
 * @param spent is called with a new link when the one before was used
 */
export function createGuard(port: number, spent: (link: string) => void) {
  const host = `127.0.0.1:${port}`;
  const session = secret();
  let token = secret();
  // A browser sends the fragment of a link to nobody.
  const link = () => `http://${host}/#token=${token}`;

  return {
    origin: `http://${host}`,
    /** The link that opens the console. It works once. */
    link,

    /**
     * Returns the answer to a request that must not reach a route, its status and its text; undefined: it may.
     * @param isPage true if it asks for a file of the page, which is the same for everyone
     */
    check({ method, headers }: IncomingMessage, path: string, isPage: boolean): [number, string] | undefined {
      if (headers.host !== host) return [421, `This console is at http://${host}.`];
      if (headers.origin !== undefined && headers.origin !== `http://${host}`) return [403, 'Wrong origin.'];
      const site = headers['sec-fetch-site'];
      // The file that redirects, and a link that somebody copied, lead to the page from elsewhere.
      const isLink = isPage && headers['sec-fetch-mode'] === 'navigate';
      if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isLink)
        return [403, 'Not from this page.'];
      if (method !== 'GET' && method !== 'POST') return [405, 'Only GET and POST.'];
      if (isPage) return undefined;
      if (method === 'POST' && path === '/api/enter' && isSame(headers[TOKEN_HEADER], token)) {
        token = secret();
        spent(link());
        return [200, session];
      }
      if (!isSame(headers[SESSION_HEADER], session)) return [401, 'This tab is not open: it has no session.'];
      if (method === 'POST' && headers['content-type'] !== 'application/json')
        return [415, 'A change needs application/json.'];
      return undefined;
    },
  };
}
