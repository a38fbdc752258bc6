/** Keys of the page. They do nothing while somebody types, and with Ctrl, Alt or Meta. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The actions of keys, in words for the list of keys too, by the names of the keys. */
type Keys = Readonly<Record<string, { readonly does: string; readonly run: () => void }>>;

/** The keys that work now, by the component that has them: those of the screen, then those of the page. */
const active: Record<'screen' | 'page', Map<object, Keys>> = { screen: new Map(), page: new Map() };

const keysNow = () => [...active.screen.values(), ...active.page.values()].flatMap((keys) => Object.entries(keys));

const isForText = (element: Element | null) =>
  element?.matches('textarea, input:not([type=radio], [type=range], [type=file])') ?? false;

/** Returns true if somebody types a text. Who takes the focus away makes keys of its letters. */
export const isTyping = () => isForText(document.activeElement);

/** Returns true if the element that has the focus needs a key itself: a field for text all, others a few. */
function needs({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (isForText(target)) return true;
  if (target.matches('select, input')) return /^(Arrow.*|Home|End|Page.*|Enter| )$/.test(key);
  return target.matches('a, button, summary') && /^(Enter| )$/.test(key);
}

/** The keys that repeat while they are held. The others would record, pin or build again. */
const REPEATED = /^([bijknop+=-]|Arrow.*)$/;

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (needs(event)) {
    if (event.key === 'Escape') (event.target as HTMLElement).blur();
    return;
  }
  // The keys of the screen do nothing behind the list of keys, which Escape closes by itself.
  if (document.querySelector('dialog[open]') && event.key !== '?') return;
  const found = keysNow().find(([names]) => names.split(' ').includes(event.key));
  if (!found) return;
  event.preventDefault();
  if (!event.repeat || REPEATED.test(event.key)) found[1].run();
});

/**
 * Makes keys work while a component is shown. Several names for one key are separated by blanks. A key of the screen
 * goes before the same key of the page.
 * @param isReady false: the keys' data is being read; keys that were pressed work when it is there
 */
export function useKeys(keys: Keys, of: keyof typeof active = 'screen', isReady = true): void {
  const component = useRef({});
  const held = useRef<string[]>([]);
  const [, again] = useState(0);
  const hold = ([names, key]: [string, Keys[string]]) => [names, { ...key, run: () => void held.current.push(names) }];
  const shown = isReady ? keys : Object.fromEntries(Object.entries(keys).map(hold));
  // Before the next key: an effect after the paint would miss keys that are pressed fast.
  useLayoutEffect(() => {
    active[of].set(component.current, shown);
    const next = isReady ? held.current.shift() : undefined;
    if (next === undefined) return;
    keys[next]?.run();
    again((before) => before + 1);
  });
  useLayoutEffect(() => () => void active[of].delete(component.current), []);
}

const ARROWS: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' };

/** The list of the keys that work on this screen. */
export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-label="Keys">
      <h2>Keys</h2>
      <dl class="keys">
        {keysNow().map(([names, { does }]) => (
          <>
            <dt>
              {names.split(' ').map((key) => (
                <kbd>{ARROWS[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <p class="quiet">Keys do nothing while you type in a field. Escape leaves it.</p>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
