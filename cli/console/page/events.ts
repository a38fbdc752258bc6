import { useEffect, useState } from 'preact/hooks';

/** Calls a function at events of a target while a component is shown. It is the one of the first rendering. */
export function useEvents<Event>(
  names: readonly string[],
  run: (event: Event) => void,
  on: EventTarget = window,
): void {
  useEffect(() => {
    const ending = new AbortController();
    for (const name of names) on.addEventListener(name, run as (event: unknown) => void, ending);
    return () => ending.abort();
  }, []);
}

/** Has the page look at the state of the console at once. */
export const lookAgain = () => void dispatchEvent(new Event('changed'));

/** Renders again at events of the page. */
export function useRendering(...names: readonly string[]): void {
  const [, render] = useState(0);
  useEvents(names, () => render((before) => before + 1));
}
