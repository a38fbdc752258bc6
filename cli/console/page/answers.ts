/** Reads from the server and sends changes to it. */
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Draft } from '../server/draft.ts';
import type { Answer, changes, reads } from '../server/routes.ts';
import { type Change, linkTo } from './place.ts';
import { ask, leave } from './session.ts';

/** A failure in words, and what to do. */
export type Problem = Readonly<{ message: string; advice?: string | undefined }>;

const GONE: Problem = {
  message: 'The console does not answer.',
  advice: 'It may have ended. Start ailog console again, and open the link that it prints.',
};

/** Says how to open a tab. Each use of the file opens one; its name ends with what nobody can know. */
export const CLOSED: Problem = {
  message: 'This tab is not open.',
  advice: `Open the file ailog-console-${location.port}-….html, in the folder in which ailog console was started. In its tab, this address works.`,
};

/** Asks the server. @throws Problem */
async function fetchAnswer(link: string, options: RequestInit): Promise<Response> {
  const response = await ask(link, options).catch((error) => {
    throw options.signal?.aborted ? error : GONE;
  });
  if (response.ok) return response;
  const text = await response.text();
  if (response.headers.get('content-type') === 'application/json') throw JSON.parse(text);
  if (response.status !== 401) throw { ...GONE, message: text };
  leave();
  throw CLOSED;
}

const readJson = async (link: string, options: RequestInit): Promise<unknown> =>
  (await fetchAnswer(link, options)).json();

/** Reads the answer of a route. @throws Problem */
export const read = <Name extends keyof typeof reads>(name: Name, params: Change = {}, signal?: AbortSignal) =>
  readJson(linkTo(`api/${name}`, params), signal ? { signal } : {}) as Promise<Answer<Name>>;

/** Saves the bytes of a route as a file. A link to it would not have the secret. @throws Problem */
export async function save(name: 'body', params: Change, file: string): Promise<void> {
  const bytes = await (await fetchAnswer(linkTo(`api/${name}`, params), {})).blob();
  const href = URL.createObjectURL(bytes);
  Object.assign(document.createElement('a'), { href, download: file }).click();
  URL.revokeObjectURL(href);
}

/** Reads the drafts of the reviewer by team. They come as bytes, as they were written. @throws Problem */
export const readDrafts = () => readJson('/api/drafts', {}) as Promise<Readonly<Record<string, Draft>>>;

/** Sends a change. @param options `keepalive`: also if the page is left meanwhile @throws Problem */
export const send = <Name extends keyof typeof changes>(name: Name, body: unknown, options: RequestInit = {}) =>
  readJson(`/api/${name}`, {
    ...options,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }) as Promise<Awaited<ReturnType<(typeof changes)[Name]['change']>>>;

/** The number of questions without an answer. The page says that it is busy, to a screen reader too. */
let open = 0;
const countOpen = (by: number) => {
  open += by;
  document.body.ariaBusy = String(open > 0);
};

/** The newest state of the console. Until it is known, nothing is asked; newer figures ask again. */
export const Status = createContext<Answer<'status'> | undefined>(undefined);

/** An answer: none yet, an earlier one while the next is read, or a problem. `to`: the question, as a link. */
type Asked<Value> = { value?: Value; problem?: Problem | undefined; isReading: boolean; to?: string | undefined };

/**
 * Returns the answer of a route, and renders again when it comes. An answer that comes after a later question is
 * dropped: its request is aborted.
 * @param params undefined: nothing is asked
 * @returns `isOld`: true if the answer is to an earlier question
 */
export function useAnswer<Name extends keyof typeof reads>(name: Name, params: Change | undefined) {
  const view = useContext(Status)?.view;
  const [asked, set] = useState<Asked<Answer<Name>>>({ isReading: true });
  const question = params && linkTo(name, params);
  useEffect(() => {
    if (params === undefined) return set({ isReading: false });
    if (view === undefined) return;
    const aborting = new AbortController();
    set((before) => ({ ...before, problem: undefined, isReading: true }));
    countOpen(1);
    read(name, params, aborting.signal)
      .then(
        (value) => ({ value }),
        (problem: Problem) => ({ problem }),
      )
      .then((answer) => aborting.signal.aborted || set({ ...answer, isReading: false, to: question }))
      .finally(() => countOpen(-1));
    return () => aborting.abort();
  }, [question, view]);
  return { ...asked, isOld: asked.to !== question };
}

/** Returns an answer with its further pages, and a function that reads the next page if the last one has a `next`. */
export function usePages<Page extends { readonly next?: string | number | undefined }>(
  first: Page | undefined,
  readAfter: (next: string | number) => Promise<Page>,
) {
  type Read = Readonly<{ of?: Page | undefined; more: readonly Page[]; failed?: Problem }>;
  const [pages, set] = useState<Read>({ more: [] });
  const { more, failed }: Read = pages.of === first ? pages : { more: [] };
  const all = first ? [first, ...more] : [];
  const next = all.at(-1)?.next;
  // A page of an earlier answer may come after a later one.
  const latest = useRef(first);
  latest.current = first;
  const readMore = () =>
    readAfter(next as string).then(
      (page) => latest.current === first && set({ of: first, more: [...more, page] }),
      (problem) => latest.current === first && set({ of: first, more, failed: problem }),
    );
  return { all, failed, readMore: next === undefined ? undefined : readMore };
}
