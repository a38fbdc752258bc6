import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../routes.ts';
import { type Problem, send } from './answers.ts';

/** A list that could not be read, and why. */
type Refused = { readonly file: File; readonly problem: Problem };

const changed = () => dispatchEvent(new Event('changed'));

/** The order lists: those that are used, and a way to add one by a choice or a drop anywhere on the page. */
export function Orders({ status }: { status: Answer<'status'> }) {
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<Refused>();
  const [isReading, setReading] = useState(false);
  const add = async (file: File, uid?: string) => {
    setReading(true);
    try {
      await send('addOrders', { name: file.name, text: await file.text(), uid });
      setRefused(undefined);
    } catch (problem) {
      setRefused({ file, problem: problem as Problem });
    }
    setReading(false);
    changed();
  };
  useEffect(() => {
    const drop = (event: DragEvent) => {
      event.preventDefault();
      if (event.type === 'drop') for (const file of event.dataTransfer?.files ?? []) add(file);
    };
    addEventListener('dragover', drop);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', drop);
      removeEventListener('drop', drop);
    };
  }, []);
  return (
    <span class="orders">
      {status.orders.map(({ name, uid }) => (
        <span class="tag">
          {name}
          {uid && ` of ${uid}`}
          <button
            type="button"
            aria-label={`Leave out ${name}`}
            onClick={() => send('removeOrders', { name }).then(changed, changed)}
          >
            ×
          </button>
        </span>
      ))}
      <label class="button">
        {isReading ? 'Reading …' : status.orders.length > 0 ? 'Add orders' : 'Add orders: choose or drop a list'}
        <input
          ref={input}
          type="file"
          accept=".csv,.json,.txt,text/csv,application/json"
          onChange={() => {
            const [file] = input.current?.files ?? [];
            if (file) add(file);
            if (input.current) input.current.value = '';
          }}
        />
      </label>
      {refused && (
        <form
          class="notice floating"
          onSubmit={(event) => {
            event.preventDefault();
            const uid = String(new FormData(event.currentTarget).get('uid'));
            add(refused.file, uid);
          }}
        >
          <strong role="alert">{refused.problem.message}</strong>
          <p>{refused.problem.advice}</p>
          {/no column uid\./.test(refused.problem.message) && (
            <p>
              <label>
                All its orders are of UID <input name="uid" inputMode="numeric" pattern="[0-9]+" required />
              </label>{' '}
              <button type="submit">Add</button>
            </p>
          )}
          <button type="button" onClick={() => setRefused(undefined)}>
            Close
          </button>
        </form>
      )}
    </span>
  );
}
