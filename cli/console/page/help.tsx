import { useEffect, useRef } from 'preact/hooks';
import { keysNow } from './keys.ts';

const ARROWS: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' };

/** The list of the keys that work on this screen. */
export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
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
      <p class="quiet">Keys do nothing while you type in a field.</p>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
