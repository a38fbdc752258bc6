/** Where the reader is: a screen and its parameters. All of it is in the URL, so that a link shows the same. */
import { useRendering } from './events.ts';

/** The properties of a screen: the parameters of its URL. */
export type ScreenProps = { readonly params: Readonly<Record<string, string>> };

/** Changes of parameters. Undefined and empty ones are left out. */
export type Change = Readonly<Record<string, string | number | undefined>>;

const here = (): ScreenProps & { readonly screen: string } => ({
  screen: location.pathname.slice(1),
  params: Object.fromEntries(new URLSearchParams(location.search)),
});

/** Returns the link to a screen. */
export function linkTo(screen: string, params: Change): string {
  const given = Object.entries(params).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const search = String(new URLSearchParams(given));
  return `/${screen}${search && '?'}${search}`;
}

/** Goes to a link of this page. @param replace true: going back skips what was shown before */
export function go(link: string, replace = false): void {
  if (link === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', link);
  else history.pushState(null, '', link);
  dispatchEvent(new Event('move'));
}

/** Changes parameters of this screen. */
export function change(params: Change, replace = true): void {
  const { screen, params: before } = here();
  go(linkTo(screen, { ...before, ...params }), replace);
}

/** Returns the place, and renders again when it changes. */
export function usePlace() {
  useRendering('move', 'popstate');
  return here();
}

/** The middle button of a mouse, which opens a link in a tab. */
const MIDDLE = 1;

/** Follows links of this page without loading it again, or in a tab that this page opens, which gets its session. */
export function followLinks(): void {
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest?.('a');
    if (!link || event.defaultPrevented || event.button > MIDDLE) return;
    if (link.origin !== location.origin || link.hasAttribute('download')) return;
    event.preventDefault();
    if (event.button === MIDDLE || event.metaKey || event.ctrlKey || event.shiftKey) window.open(link.href);
    else go(link.pathname + link.search);
  };
  addEventListener('click', follow);
  addEventListener('auxclick', follow);
}
