/** Keys of the page. They do nothing while somebody types, and with Ctrl, Alt or Meta. */
import { useLayoutEffect } from 'preact/hooks';

/** What a key does, for the list of keys. */
export interface Key {
  readonly does: string;
  readonly run: () => void;
}

/** The keys that work now; those of the screen come after those of the page. */
const active = new Set<Readonly<Record<string, Key>>>();

/** Returns all keys that work now. */
export const keysNow = (): (readonly [key: string, does: string])[] =>
  [...active].flatMap((keys) => Object.entries(keys).map(([key, { does }]) => [key, does] as const));

const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement &&
  (target.matches('input:not([type=radio]), textarea, select') || target.isContentEditable);

/** Makes keys work while a component is shown. Several names for one key are separated by blanks. */
export function useKeys(keys: Readonly<Record<string, Key>>): void {
  // Before the next key: an effect after the paint would miss keys that are pressed fast.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || isTyping(event)) return;
      const found = Object.entries(keys).find(([names]) => names.split(' ').includes(event.key));
      if (!found) return;
      event.preventDefault();
      found[1].run();
    };
    active.add(keys);
    addEventListener('keydown', press);
    return () => {
      active.delete(keys);
      removeEventListener('keydown', press);
    };
  });
}
