/** Who may ask the server: this tab has the secret of the session, or gets it. No cookie has it. */
import { SESSION_HEADER, TOKEN_HEADER } from '../server/headers.ts';

/** The place of the secret in the storage of this tab, which belongs to one origin with its port. */
const PLACE = 'session';

/** The time in which another tab answers, in milliseconds. */
const ANSWER_MS = 300;

/** The tabs of this console in this browser. */
const tabs = new BroadcastChannel('ailog-console');

tabs.addEventListener('message', ({ data }) => {
  const secret = sessionStorage.getItem(PLACE);
  if (data === 'ask' && secret !== null) tabs.postMessage({ secret });
});

/** Asks the other tabs for the secret. @returns undefined if none of them has it */
const askTabs = () =>
  new Promise<string | undefined>((resolve) => {
    setTimeout(resolve, ANSWER_MS, undefined);
    tabs.addEventListener('message', ({ data }) => data.secret && resolve(data.secret));
    tabs.postMessage('ask');
  });

/** Exchanges the token of the link, if there is one, which disappears from the address. */
async function exchange(): Promise<string | undefined> {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch('/api/enter', { method: 'POST', headers: { [TOKEN_HEADER]: token } });
  return answer.ok ? answer.text() : undefined;
}

/** Opens the tab: by its link, as before a reload, or by another tab. @returns false if none of these works */
export async function enter(): Promise<boolean> {
  const secret = (await exchange()) ?? sessionStorage.getItem(PLACE) ?? (await askTabs());
  if (secret === undefined) return false;
  sessionStorage.setItem(PLACE, secret);
  return true;
}

/** Asks the server, with the secret. */
export const ask = (link: string, { headers, ...options }: RequestInit = {}): Promise<Response> =>
  fetch(link, { ...options, headers: { ...headers, [SESSION_HEADER]: sessionStorage.getItem(PLACE) ?? '' } });

/** Forgets a secret that the server does not know. */
export const leave = (): void => sessionStorage.removeItem(PLACE);
