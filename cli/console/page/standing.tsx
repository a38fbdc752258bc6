import { formatTime } from '../../shell/text/time.ts';
import type { Answer } from '../server/routes.ts';
import { LogLink, Shape } from './parts.tsx';
import { linkTo } from './place.ts';
import { saySample, wordsOf } from './work.ts';

type Case = Answer<'case'>;

/** A verdict with everything that its author attached. */
function Said({ record, found }: { record: Case['records'][number]; found: Case }) {
  const { verdict, reason, text, read, entries = [], sample, evidence, period } = record;
  const stands = found.standing.includes(record.id);
  return (
    <li class={stands ? '' : 'past'}>
      <strong>
        <Shape kind={verdict} /> {wordsOf(verdict)}
      </strong>{' '}
      {reason && <span class="tag">{reason}</span>} {stands ? '' : '(no longer stands) '}
      <span class="quiet">
        {record.id === found.own ? 'you, ' : ''}
        {record.by}, written {formatTime(record.at)} (author’s clock)
      </span>
      {text && <p class="said">{text}</p>}
      {read && <p class="said">Read: {read}</p>}
      {entries.map((id) => (
        <LogLink uid={found.uid} id={id} />
      ))}
      {sample && (
        <p class="quiet">
          <a href={linkTo('search', { uid: found.uid, n: sample.size, seed: sample.seed })}>
            Sample with the seed {sample.seed}
          </a>
          : {saySample(sample.size, sample.failures)}.
        </p>
      )}
      {evidence && (
        <p class="quiet">
          Statement {evidence.file}, SHA-256 <code>{evidence.sha256}</code>
        </p>
      )}
      {period && (
        <p class="quiet">
          Figures from {formatTime(Date.parse(period.from))} to {formatTime(Date.parse(period.until))}.
        </p>
      )}
    </li>
  );
}

/** The verdicts about a team that the reviewer may see. */
export function Standing({ found }: { found: Case }) {
  const others = found.hidden === 1 ? 'Another reviewer has' : `${found.hidden} other reviewers have`;
  return (
    <section aria-label="Verdicts">
      <h3>{found.isAgreed ? 'Two people agree to disqualify this team' : 'What reviewers say'}</h3>
      {found.withdrew.length > 0 && (
        <p>{found.withdrew.join(', ')} took it back. It stands until a second person withdraws too.</p>
      )}
      {found.status === 'disqualified' && <p>Disqualified: {found.statusReason}</p>}
      {found.hidden > 0 && <p>{others} judged this team. You see their verdicts after you give yours.</p>}
      {found.records.length === 0 && found.hidden === 0 && <p class="quiet">Nobody has judged this team.</p>}
      <ol>
        {found.records.toReversed().map((record) => (
          <Said key={record.id} record={record} found={found} />
        ))}
      </ol>
    </section>
  );
}
