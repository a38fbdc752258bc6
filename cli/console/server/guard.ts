import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SESSION_HEADER, TOKEN_HEADER } from './headers.ts';
import type { Hosts } from './origin.ts';

/** 192 bits, which nobody guesses. */
const secret = () => randomBytes(24).toString('base64url');

/** Compares digests: texts of equal length can have other lengths in bytes, for which the comparison would throw. */
const isSame = (given: string | string[] | undefined, right: string) =>
  timingSafeEqual(hash('sha256', String(given), 'buffer'), hash('sha256', right, 'buffer'));

/** The links that open a console. The token in them works once. */
export type Links = Readonly<{ link: string; appleLink?: string | undefined }>;

/** Requests for the script of a worker. The console serves none: a worker would answer for it in later tabs. */
const WORKERS: readonly unknown[] = ['serviceworker', 'sharedworker', 'worker'];

/**
 * Creates the guard of a console, which decides which requests come from its page. The page itself is no secret;
 * everything else needs the secret of the session in a header, which no browser sends by itself: docs/threats.md.
 * @param spent is called with new links when one of those before was used
 */
export function createGuard({ host, appleHost }: Hosts, spent: (links: Links) => void) {
  const session = secret();
  let token = secret();
  // A browser sends the fragment of a link to nobody. The query keeps it from showing an earlier page from its cache.
  const links = (): Links => ({
    link: `http://${host}/#token=${token}`,
    appleLink: appleHost && `http://${appleHost}/?${host.split('.')[0]}#token=${token}`,
  });

  return {
    origin: `http://${host}`,
    links,

    /** Returns status and text of a request that must not reach a route. @param isPage it asks for a page's file */
    check({ method, headers }: IncomingMessage, path: string, isPage: boolean): [number, string] | undefined {
      const asked = headers.host;
      if (asked !== host && (asked === undefined || asked !== appleHost))
        return [421, 'This console has another address: open the link that it printed.'];
      if (headers.origin !== undefined && headers.origin !== `http://${asked}`) return [403, 'Wrong origin.'];
      if (headers['service-worker'] !== undefined || WORKERS.includes(headers['sec-fetch-dest']))
        return [403, 'The console has no workers.'];
      const site = headers['sec-fetch-site'];
      // The file that redirects, and a link that somebody copied, lead to the page from elsewhere.
      const isLink = isPage && headers['sec-fetch-mode'] === 'navigate';
      if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isLink)
        return [403, 'Not from this page.'];
      if (method !== 'GET' && method !== 'POST') return [405, 'Only GET and POST.'];
      if (isPage) return undefined;
      if (method === 'POST' && path === '/api/enter' && isSame(headers[TOKEN_HEADER], token)) {
        token = secret();
        spent(links());
        return [200, session];
      }
      if (!isSame(headers[SESSION_HEADER], session)) return [401, 'This tab is not open: it has no session.'];
      if (method === 'POST' && headers['content-type'] !== 'application/json')
        return [415, 'A change needs application/json.'];
      return undefined;
    },
  };
}
