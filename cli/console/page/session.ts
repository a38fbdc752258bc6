/** The right to ask the server: this tab has the secret of the session, or gets it. No cookie has the secret. */
import { SESSION_HEADER, TOKEN_HEADER } from '../server/headers.ts';

/** The place of the secret in the storage of this tab, which belongs to one origin with its port. */
const PLACE = 'session';

/** Exchanges the token of the link, if there is one, which disappears from the address. */
async function exchange(): Promise<string | undefined> {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch('/api/enter', { method: 'POST', headers: { [TOKEN_HEADER]: token } });
  return answer.ok ? answer.text() : undefined;
}

/**
 * Opens the tab: by its link, or as before a reload. A tab that this page opens starts with a copy of its storage.
 * Nobody who only asks gets the secret: other documents of this origin may be somebody else's.
 * @returns false if the tab has no session
 */
export async function enter(): Promise<boolean> {
  const secret = (await exchange()) ?? sessionStorage.getItem(PLACE);
  if (secret === null) return false;
  sessionStorage.setItem(PLACE, secret);
  return true;
}

/** Asks the server, with the secret. */
export const ask = (link: string, { headers, ...options }: RequestInit = {}): Promise<Response> =>
  fetch(link, { ...options, headers: { ...headers, [SESSION_HEADER]: sessionStorage.getItem(PLACE) ?? '' } });

/** Forgets a secret that the server does not know. */
export const leave = (): void => sessionStorage.removeItem(PLACE);
