import { formatTime } from '../../shell/text/time.ts';
import type { Answer } from '../server/routes.ts';
import { useAnswer } from './answers.ts';
import { Command } from './entry.tsx';
import { useKeys } from './keys.tsx';
import { Choices, Empty, LogLink, Notice, Shown, signedAt, stepIn, useSheet } from './parts.tsx';
import { change, type ScreenProps } from './place.ts';
import { clockOf } from './scale.ts';
import { Name, useNames } from './teams.tsx';

type Cell = Answer<'copies'>[number];

/** The length of a text that two teams have in common without one copying the other: a stage, a model. */
const SHORT = 60;

/** Names a cell in the URL. */
const keyOf = ({ uid, original }: Cell) => ({ uid, original });

/** Returns the number in a cell: the logs that suggest a copy, or without any, those that suggest nothing. */
const countOf = ({ copies, same_time, follows, shared, own }: Cell) => copies + same_time + follows || shared + own;

/** Says what a cell counts. */
function sayCell({ uid, original, copies, same_time, follows, shared, own, back }: Cell): string {
  if (uid === original) return `${own} logs of ${uid} repeat an earlier one of its own`;
  const parts = [
    copies && `${copies} received more than 60 s later`,
    copies && back && `${back} the other way round, so a common source is likely`,
    same_time && `${same_time} at the same time`,
    follows && `${follows} short ones nearly`,
    shared && `${shared} that other teams have, too`,
  ];
  return `logs of ${uid} repeat those of ${original}: ${parts.filter(Boolean).join(', ')}`;
}

/** The names over the two logs of a pair, by how one repeats the other. */
const SIDES: Readonly<Record<string, readonly [string, string]>> = {
  copy: ['received first', 'received later'],
  follows: ['received first', 'received later'],
  shared: ['shared', 'shared'],
  'same time': ['at the same time', 'at the same time'],
  own: ['earlier', 'repeat'],
};

/** The matrix of teams that repeat logs of others. Repeats of own logs are on the diagonal. */
function Matrix({ cells, at }: { cells: Answer<'copies'>; at: Cell | undefined }) {
  const names = useNames();
  const rows = [...new Set(cells.map(({ uid }) => uid))];
  const columns = [...new Set(cells.map(({ original }) => original))].sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  const most = Math.max(...cells.map(countOf));
  const byKey = new Map(cells.map((cell) => [`${cell.uid} ${cell.original}`, cell]));
  return (
    <section class="matrix" aria-label="Matrix of copies">
      <table>
        <thead>
          <tr>
            <th scope="col">repeats logs of</th>
            {columns.map((uid) => (
              <th scope="col" title={names.get(uid) ?? ''}>
                {uid}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((uid) => (
            <tr>
              <th scope="row">
                {uid} <Name>{names.get(uid)}</Name>
              </th>
              {columns.map((original) => {
                const cell = byKey.get(`${uid} ${original}`);
                if (!cell) return <td />;
                const isTied = uid !== original && cell.copies + cell.follows === 0;
                return (
                  <td>
                    <button
                      type="button"
                      title={sayCell(cell)}
                      class={isTied ? 'tied' : uid === original ? 'own' : 'copy'}
                      aria-current={cell === at ? 'true' : undefined}
                      style={{ '--share': `${Math.round(12 + (30 * countOf(cell)) / most)}%` }}
                      onClick={() => change({ uid, original, at: undefined })}
                    >
                      {countOf(cell)} {isTied && (cell.same_time > 0 ? 'at once' : 'shared')}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Two logs side by side, the earlier one on the left. Members that are equal are highlighted. */
function Pair({ left, right, relation }: { left: string; right: string; relation: string }) {
  const names = useNames();
  const { value: sections, problem, isReading } = useAnswer('pair', { left, right });
  if (problem) return <Notice problem={problem} />;
  if (!sections) return <p class="hint">Reading both logs …</p>;
  // Reviewers look for equal text, so it stands before the numbers that differ.
  const ordered = sections
    .map((one) => ({ ...one, isCopied: one.isEqual && (one.parts[0]?.text.length ?? 0) > SHORT }))
    .sort((one, other) => Number(other.isCopied) - Number(one.isCopied));
  return (
    <div class="pair" aria-busy={isReading}>
      {([left, right] as const).map((one, place) => {
        const [uid = '', entryId = ''] = one.split('/');
        const side = SIDES[relation]?.[place];
        return (
          <article aria-label={place === 0 ? 'The earlier log' : 'The later log'}>
            <h3>
              {side}: {uid} <Name>{names.get(uid)}</Name>
            </h3>
            <p class="quiet">
              signed <LogLink uid={uid} id={entryId} />
            </p>
            {ordered.map(({ name, isEqual, isCopied, isCut, parts }) => (
              <section class={isCopied ? 'equal' : ''}>
                <strong>{name}</strong> {isEqual && <span class="tag">equal</span>}
                <p>
                  {parts.map(({ side, text }) =>
                    side === 'both' ? text : side === (place === 0 ? 'left' : 'right') ? <mark>{text}</mark> : '',
                  )}
                </p>
                {isCut && <p class="quiet">The rest is not compared. ailog logs show --full prints all of it.</p>}
              </section>
            ))}
          </article>
        );
      })}
    </div>
  );
}

/** Which teams repeat logs of others, and their own; and the logs of each two side by side. */
export function Copies({ params }: ScreenProps) {
  const { value: cells, problem } = useAnswer('copies', {});
  const at =
    cells?.find(({ uid, original }) => uid === params.uid && original === params.original) ??
    cells?.find(({ uid }) => uid === params.uid) ??
    cells?.[0];
  const { value: listed, isOld } = useAnswer('pairs', at && keyOf(at));
  // Those of the cell before are not in this one.
  const pairs = (!isOld && listed?.pairs) || [];
  const found = pairs.findIndex(({ id }) => id === params.at);
  const place = Math.max(0, found);
  const pair = pairs[place];
  const toCell = (by: number) => {
    const next = cells && at && stepIn(cells, cells.indexOf(at), by);
    if (next) change({ ...keyOf(next), at: undefined });
  };
  const clock = clockOf(pairs.map(({ signed }) => signed));
  useSheet(() =>
    pairs.map(({ signed, says, id, original }) => ({
      ...{ uid: at?.uid, repeats: at?.original, signed: formatTime(signed) },
      ...{ 'original signed': formatTime(signedAt(original)), says, id, original },
    })),
  );
  const choosePair = (pair: { readonly id: string } | undefined) => pair && at && change({ ...keyOf(at), at: pair.id });
  const toPair = (by: number) => choosePair(stepIn(pairs, place, by));
  useKeys({
    j: { does: 'next cell, by the number of logs', run: () => toCell(1) },
    k: { does: 'previous cell', run: () => toCell(-1) },
    'n ArrowRight ArrowDown': { does: 'next pair', run: () => toPair(1) },
    'p ArrowLeft ArrowUp': { does: 'previous pair', run: () => toPair(-1) },
  });
  if (problem) return <Notice problem={problem} />;
  if (!cells) return <Empty>Reading what repeats …</Empty>;
  return (
    <>
      <div class="bar">
        <h2>Copies</h2>
        <span class="push" />
        <span class="quiet">
          By the time of receipt, in UTC. <span class="key copy">copies, more than 60 s later</span>{' '}
          <span class="key tied">at once, within 60 s, or shared by three teams: nobody can say whose they are</span>{' '}
          <span class="key own">repeats of its own</span>
        </span>
      </div>
      {!at || !cells[0] ? (
        <Empty>No logs repeat each other. The board has the other reasons to look: 1.</Empty>
      ) : (
        <>
          <Matrix cells={cells} at={at} />
          <div class="columns">
            <section class="findings" aria-label="Pairs">
              <p>{sayCell(at)}</p>
              <Choices items={pairs} at={pair?.id} choose={choosePair}>
                {({ signed, says }) => `${clock(signed)} ${says}`}
              </Choices>
              {listed && <Shown first={pairs.length} of={listed.total} />}
            </section>
            <section>
              {pair && (
                <>
                  <p class="says">{pair.says}</p>
                  {at.uid !== at.original && (
                    <Command
                      words={['statement', '--entry', pair.original, '--entry', pair.id, '-o', 'pair.statement']}
                    />
                  )}
                  <Pair
                    left={`${at.original}/${pair.original}`}
                    right={`${at.uid}/${pair.id}`}
                    relation={pair.relation}
                  />
                </>
              )}
            </section>
          </div>
        </>
      )}
    </>
  );
}
