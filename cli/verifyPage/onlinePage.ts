/** The page that also looks entries up in a public log, by its URL and a click. */
import { publicFiles } from '../inclusion/publicFiles.ts';
import { openPublicLog } from '../inclusion/publicLog.ts';
import { add, part, startPage } from './startPage.ts';

/** Lets the page reach one URL from now on, and nothing else: a further policy can only forbid. */
function allowOnly(url: string): void {
  const limit = document.createElement('meta');
  limit.httpEquiv = 'Content-Security-Policy';
  limit.content = `connect-src ${url}`;
  document.head.append(limit);
}

part('network').textContent =
  'The page uses the network only when you look entries up: then it asks the public log for files.';
if (await startPage()) {
  part('online').hidden = false;
  part('look-up').addEventListener('click', () => {
    const { signal } = new AbortController();
    add([], (policy) => {
      const { url } = publicFiles((part('url') as HTMLInputElement).value.trim(), signal);
      allowOnly(url);
      return openPublicLog(url, policy, signal);
    });
  });
}
