/** The page that also looks entries up in a public log, by its URL and a click. */

import { Failure } from '../../shell/terminal/failure.ts';
import { publicFiles } from '../inclusion/publicFiles.ts';
import { openPublicLog } from '../inclusion/publicLog.ts';
import { add, part, startPage } from './startPage.ts';

/** The URL that the page may reach; undefined: it has connected to nothing yet. */
let allowed: string | undefined;

/**
 * Lets the page reach one URL from now on, and nothing else: a further policy can only forbid.
 * @throws Failure if it is another one than before
 */
function allowOnly(url: string): void {
  if (allowed === url) return;
  if (allowed !== undefined) {
    throw new Failure('usage', `Since you gave ${allowed}, this page connects to nothing else.`, {
      advice: 'Reload it to look entries up at another URL.',
    });
  }
  allowed = url;
  const limit = document.createElement('meta');
  limit.httpEquiv = 'Content-Security-Policy';
  limit.content = `connect-src ${url}`;
  document.head.append(limit);
}

part('network').textContent =
  'The page uses the network only when you look entries up: then it asks the public log for files.';
if (await startPage()) {
  part('online').hidden = false;
  const lookUp = () => {
    const { signal } = new AbortController();
    add([], (policy) => {
      const { url } = publicFiles((part('url') as HTMLInputElement).value.trim(), signal);
      allowOnly(url);
      return openPublicLog(url, policy, signal);
    });
  };
  part('look-up').addEventListener('click', lookUp);
  part('url').addEventListener('keydown', ({ key }) => key === 'Enter' && lookUp());
}
