import { useRef, useState } from 'preact/hooks';
import type { Answer } from '../server/routes.ts';
import { type Problem, send } from './answers.ts';
import { lookAgain, useEvents } from './events.ts';
import { Remove } from './parts.tsx';

/** A list that could not be read, and why. Several may be dropped at once. */
type Refused = { readonly file: File; readonly problem: Problem };

/** The order lists: those that are used, and a way to add one by a choice or a drop anywhere on the page. */
export function Orders({ status }: { status: Answer<'status'> }) {
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const [reading, setReading] = useState(0);
  const close = (file: File) => setRefused((before) => before.filter((one) => one.file !== file));
  const add = async (file: File, uid?: string) => {
    setReading((before) => before + 1);
    try {
      await send('addOrders', { name: file.name, text: await file.text(), uid });
      // A list that was dropped again after it was mended replaces the one before.
      setRefused((before) => before.filter((one) => one.file !== file && (uid || one.file.name !== file.name)));
    } catch (problem) {
      setRefused((before) => [...before.filter((one) => one.file !== file), { file, problem: problem as Problem }]);
    }
    setReading((before) => before - 1);
    lookAgain();
  };
  useEvents(['dragover', 'drop'], (event: DragEvent) => {
    event.preventDefault();
    if (event.type === 'drop') for (const file of event.dataTransfer?.files ?? []) add(file);
  });
  return (
    <span class="orders">
      {status.orders.map(({ name, uid }) => (
        <span class="tag">
          {name}
          {uid && ` of ${uid}`}
          <Remove
            name={`Leave out ${name}${uid ? ` of ${uid}` : ''}`}
            onClick={() => send('removeOrders', { name, uid }).then(lookAgain, lookAgain)}
          />
        </span>
      ))}
      <label class="button">
        {reading > 0 ? 'Reading …' : status.orders.length > 0 ? 'Add orders' : 'Add orders: choose or drop a list'}
        <input
          ref={input}
          type="file"
          multiple
          accept=".csv,.json,.txt,text/csv,application/json"
          onChange={() => {
            for (const file of input.current?.files ?? []) add(file);
            if (input.current) input.current.value = '';
          }}
        />
      </label>
      {status.notes.length > 0 && (
        <details>
          <summary>Notes</summary>
          <div class="floating">
            {status.notes.map((note) => (
              <p class="notice">{note}</p>
            ))}
          </div>
        </details>
      )}
      <span class="floating">
        {refused.map(({ file, problem }) => (
          <form
            key={file}
            class="notice"
            onSubmit={(event) => {
              event.preventDefault();
              add(file, String(new FormData(event.currentTarget).get('uid')));
            }}
          >
            <strong role="alert">{problem.message}</strong>
            <p>{problem.advice}</p>
            {/no column uid\./.test(problem.message) && (
              <p>
                <label>
                  All its orders are of UID <input name="uid" inputMode="numeric" pattern="[0-9]+" required />
                </label>{' '}
                <button type="submit">Add</button>
              </p>
            )}
            <button type="button" onClick={() => close(file)}>
              Close
            </button>
          </form>
        ))}
      </span>
    </span>
  );
}
