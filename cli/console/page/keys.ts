/** Keys of the page. They do nothing while somebody types, and with Ctrl, Alt or Meta. */
import { useLayoutEffect, useRef } from 'preact/hooks';

/** What a key does, for the list of keys. */
export interface Key {
  readonly does: string;
  readonly run: () => void;
}

type Keys = Readonly<Record<string, Key>>;

/** The keys that work now, by the component that has them: those of the screen, then those of the page. */
const active: Record<'screen' | 'page', Map<object, Keys>> = { screen: new Map(), page: new Map() };

/** Returns all keys that work now. */
export const keysNow = (): (readonly [names: string, key: Key])[] =>
  [...active.screen.values(), ...active.page.values()].flatMap((keys) => Object.entries(keys));

const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement &&
  (target.matches('input:not([type=radio]), textarea, select') || target.isContentEditable);

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || isTyping(event)) return;
  const found = keysNow().find(([names]) => names.split(' ').includes(event.key));
  if (!found) return;
  event.preventDefault();
  found[1].run();
});

/**
 * Makes keys work while a component is shown. Several names for one key are separated by blanks. A key of the screen
 * goes before the same key of the page.
 */
export function useKeys(keys: Keys, of: keyof typeof active = 'screen'): void {
  const component = useRef({});
  // Before the next key: an effect after the paint would miss keys that are pressed fast.
  useLayoutEffect(() => void active[of].set(component.current, keys));
  useLayoutEffect(() => () => void active[of].delete(component.current), []);
}
