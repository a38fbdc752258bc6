import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { counted } from '../../shell/text/numbers.ts';
import { formatTime } from '../../shell/text/time.ts';
import { read, useAnswer, usePages } from './answers.ts';
import { useDrafts } from './drafts.ts';
import { Entry } from './entry.tsx';
import { useKeys } from './keys.tsx';
import { Choices, Empty, Filter, Marked, More, Notice, signedAt, stepIn, useSheet } from './parts.tsx';
import { change, type ScreenProps } from './place.ts';
import { clockOf } from './scale.ts';
import { Name, useNames } from './teams.tsx';

/** A log in the list on the left. */
type Listed = Readonly<Record<'uid' | 'id' | 'text', string>>;

type LogsProps = { logs: readonly Listed[]; at: string | undefined; terms: readonly string[]; children?: JSX.Element };

/** A list of logs, and the current one beside it. `n` and `p` go through it. */
function Logs({ logs, at, terms, children }: LogsProps) {
  const names = useNames();
  const clock = clockOf(logs.map(({ id }) => signedAt(id)));
  useSheet(() =>
    logs.map(({ uid, id, text }) => ({ uid, team: names.get(uid), signed: formatTime(signedAt(id)), text, id })),
  );
  const found = logs.findIndex(({ id }) => id === at);
  const place = Math.max(0, found);
  const shown = logs[place];
  const step = (by: number) => change({ at: stepIn(logs, place, by)?.id });
  useKeys({
    'j n ArrowDown ArrowRight': { does: 'next log', run: () => step(1) },
    'k p ArrowUp ArrowLeft': { does: 'previous log', run: () => step(-1) },
  });
  return (
    <div class="columns">
      <section class="findings" aria-label="Logs">
        <p class="quiet">times in UTC</p>
        <Choices items={logs} at={shown?.id} choose={({ id }) => change({ at: id })}>
          {({ uid, id, text }) => (
            <>
              {clock(signedAt(id))} <strong>{uid}</strong> <Name>{names.get(uid)}</Name>{' '}
              <Marked text={text} terms={terms} />
            </>
          )}
        </Choices>
        {children}
      </section>
      <section class="log">{shown && <Entry uid={shown.uid} entryId={shown.id} terms={terms} />}</section>
    </div>
  );
}

/** How many logs of each team contain the terms. A click takes those of one team. */
function Counts({ params }: ScreenProps) {
  const { value: hits, isReading } = useAnswer('hits', { q: params.q });
  if (!hits) return <p class="hint">Counting the hits of each team …</p>;
  const { teams, unsure } = hits;
  const all = teams.reduce((sum, { hits }) => sum + hits, 0);
  return (
    <>
      <section class="bars" aria-label="Hits per team" aria-busy={isReading}>
        {teams.map((team) => (
          <Filter params={params} name="of" value={team.uid} also={{ at: undefined }}>
            <span>{team.uid}</span>
            <span class="share" style={{ '--share': `${(100 * team.hits) / (teams[0]?.hits ?? 1)}%` }} />
            <span class="number">{team.hits}</span>
          </Filter>
        ))}
      </section>
      <p class="hint">
        {all > 0 && `${counted(all, 'log')} of ${counted(teams.length, 'team')}.`}
        {unsure > 0 && ` Of ${unsure} long logs, only the beginning was searched: ailog logs list TEXT reads all.`}
      </p>
    </>
  );
}

/** The hits of a search: how many of each team, and the newest. */
function Hits({ params }: ScreenProps) {
  // Not the team of the other screens: a search covers all teams until a team is chosen here.
  const { q, of: uid, at } = params;
  const { value: found, problem, isReading } = useAnswer('search', { q, uid });
  const pages = usePages(found, (before) => read('search', { q, uid, before }));
  // A link may name a log that is further down. The newest ids come first.
  const isBelow = at !== undefined && at < (pages.all.at(-1)?.hits.at(-1)?.entryId ?? '');
  useEffect(() => void (isBelow && pages.readMore?.()), [isBelow, found, pages.all.length]);
  if (problem) return <Notice problem={problem} />;
  if (!found) return <Empty>Searching …</Empty>;
  return (
    <>
      <Counts params={params} />
      {found.hits.length === 0 && !isReading ? (
        <Empty>
          No log{uid && ` of ${uid}`} contains {found.terms.join(' or ')}. Press a chip above to leave a word or the
          team out.
        </Empty>
      ) : (
        <Logs
          logs={pages.all.flatMap(({ hits }) =>
            hits.map((hit) => ({ uid: hit.uid, id: hit.entryId, text: hit.excerpt ?? 'not in the table any more' })),
          )}
          at={at}
          terms={found.terms}
        >
          <More {...pages}>Show more</More>
        </Logs>
      )}
    </>
  );
}

/** A random sample of a team's logs, which the seed in the URL draws again. */
function Sample({ params }: ScreenProps) {
  const { uid = '', n, seed = '', at } = params;
  const { value: sample, problem } = useAnswer('sample', { uid, n, seed });
  const drafts = useDrafts();
  const { sample: attached } = drafts.read(uid);
  const size = sample?.logs.length ?? 0;
  const isAttached = attached?.seed === seed && attached.size === size;
  const attach = () =>
    drafts.change(uid, { sample: isAttached || size === 0 ? undefined : { seed, size, failures: 0 } });
  useKeys({ x: { does: 'put the sample into the verdict', run: attach } });
  if (problem) return <Notice problem={problem} />;
  if (!sample) return <Empty>Drawing the sample …</Empty>;
  if (sample.total === 0) return <Empty>UID {uid} has no logs in the period. Draw from another team above.</Empty>;
  return (
    <>
      <p class="hint">
        {sample.logs.length} of {sample.total} logs of {uid}, drawn with the seed “{sample.seed}”.{' '}
        <button type="button" aria-pressed={isAttached} onClick={attach}>
          <kbd>x</kbd> {isAttached ? 'In the verdict' : 'Put it into the verdict'}
        </button>{' '}
        {sample.bound === 0
          ? 'These are all of them.'
          : `If none of them fails, fewer than ${(100 * sample.bound).toFixed(1)} % of all fail, with a confidence of 95 %.`}
      </p>
      <Logs logs={sample.logs.map(({ id }) => ({ uid, id, text: '' }))} at={at} terms={[]} />
    </>
  );
}

/** A search in all logs, and random samples of one team. */
export function Search({ params }: ScreenProps) {
  const input = useRef<HTMLInputElement>(null);
  const terms = (params.q ?? '').split('|').filter(Boolean);
  useKeys({ '/': { does: 'search', run: () => input.current?.focus() } });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const term = input.current?.value.trim().replaceAll('|', ' ');
    if (!term || !input.current) return;
    change({ q: [...terms, term].join('|'), at: undefined, n: undefined, seed: undefined }, false);
    input.current.value = '';
    input.current.blur();
  };
  const draw = (event: SubmitEvent) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    change({ ...(given as Record<string, string>), q: undefined, at: undefined }, false);
  };
  return (
    <>
      <div class="bar">
        <form class="bar" onSubmit={submit}>
          <input
            ref={input}
            type="search"
            placeholder={terms.length > 0 ? 'or another term' : 'a text in any log'}
            aria-label="Text to search"
          />
          <button type="submit">Search</button>
        </form>
        {terms.map((term) => (
          <button
            type="button"
            class="chip"
            title={`Leave out ${term}`}
            onClick={() => change({ q: terms.filter((one) => one !== term).join('|'), at: undefined })}
          >
            {term} ×
          </button>
        ))}
        {terms.length > 0 && params.of && (
          <button type="button" class="chip" onClick={() => change({ of: undefined })}>
            only {params.of} ×
          </button>
        )}
        <span class="push" />
        <form class="bar" onSubmit={draw} aria-label="Random sample">
          <label>
            sample of UID <input name="uid" size={6} required pattern="[0-9]+" value={params.uid ?? ''} />
          </label>
          <label>
            logs <input name="n" type="number" min="1" max="1000" value={params.n ?? '60'} />
          </label>
          <label>
            seed <input name="seed" size={8} maxLength={40} required value={params.seed ?? '1'} />
          </label>
          <button type="submit">Draw</button>
        </form>
      </div>
      {terms.length > 0 ? (
        <Hits params={params} />
      ) : params.n && params.uid ? (
        <Sample params={params} />
      ) : (
        <Empty>
          <kbd>/</kbd> goes to the search: type a text, such as funding, and press Enter. Case, accents, look-alike
          letters and invisible characters do not matter; several terms find the logs with any of them. Or draw a random
          sample: type the UID of a team on the right, and press Draw.
        </Empty>
      )}
    </>
  );
}
