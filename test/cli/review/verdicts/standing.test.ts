import { describe, expect, test } from 'vitest';
import { peopleOf } from '../../../../cli/review/verdicts/people.ts';
import { type VerdictRecord, withId } from '../../../../cli/review/verdicts/record.ts';
import { shownStandings, standingOf } from '../../../../cli/review/verdicts/standing.ts';

/** Local data, where every name is a person. */
const people = peopleOf({});
const T0 = 1_800_000_000_000;

/**
 * What people do, one after another: `ann D` disqualifies, `ann E` says explained, `ann W` withdraws what stands. `@1`
 * is the minute that the author's clock shows, by default that of the step; `blind`: its program did not read the step
 * before.
 */
function play(story: string): readonly VerdictRecord[] {
  const records: VerdictRecord[] = [];
  for (const [step, told] of story.split(', ').entries()) {
    const [name, act] = told.split(' ') as [string, string];
    const author = `local:${name}`;
    const own = records.filter((record) => record.author === author);
    const of = act === 'W1' ? own[0] : own.at(-1);
    const kinds = { D: { verdict: 'disqualify' }, E: { verdict: 'explained' } } as const;
    const content = kinds[act as 'D'] ?? { verdict: 'withdrawn', withdraws: of?.id ?? 'none' };
    const seen = told.includes('blind') ? records.slice(0, -1) : records;
    const after = seen.map(({ id }) => id);
    const minute = Number(/@(\d+)/.exec(told)?.[1] ?? step);
    records.push(withId({ author, arn: author, uid: '1', ...content, after } as never, T0 + minute * 60_000));
  }
  return records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

describe('what stands', () => {
  // The story, whether two people agree, who took back what was agreed, and the verdicts that stand.
  // biome-ignore format: one case a line
  test.each<[string, boolean, string, string]>([
    ['ann D', false, '', 'ann D'],
    ['ann D, ann D', false, '', 'ann D'],
    ['ann D, bob D', true, '', 'ann D, bob D'],
    ['ann D, bob E', false, '', 'ann D, bob E'],
    // Before an agreement, each takes back their own.
    ['ann D, ann W', false, '', ''],
    ['ann D, ann W, bob D', false, '', 'bob D'],
    ['ann D, ann E, bob D', false, '', 'ann E, bob D'],
    ['ann D, ann D, ann W, bob D', false, '', 'bob D'],
    ['ann D, ann W, bob D, ann D', true, '', 'bob D, ann D'],
    ['ann D, ann D, ann W1', false, '', 'ann D'],
    // After it, two are needed, by a withdrawal or by another verdict.
    ['ann D, bob D, ann W', true, 'ann', 'bob D'],
    ['ann D, bob D, ann E', true, 'ann', 'bob D, ann E'],
    ['ann D, bob D, ann W, bob W', false, '', ''],
    ['ann D, bob D, ann E, bob W', false, '', 'ann E'],
    ['ann D, bob D, ann W, ann D', true, '', 'bob D, ann D'],
    ['ann D, bob D, ann W, cat E', true, 'ann', 'bob D, cat E'],
    ['ann D, bob D, ann W, cat D', true, 'ann', 'bob D, cat D'],
    ['ann D, bob D, cat D, ann W', true, 'ann', 'bob D, cat D'],
    ['ann D, bob D, cat D, ann W, bob W', false, '', 'cat D'],
    ['ann D, bob D, cat D, dan D, ann W, bob W', true, 'ann, bob', 'cat D, dan D'],
    // A new agreement does not count the withdrawals from an earlier one.
    ['ann D, bob D, ann W, bob W, cat D', false, '', 'cat D'],
    ['ann D, bob D, ann W, bob W, cat D, dan D, cat W', true, 'cat', 'dan D'],
    // A withdrawal that is dated before the confirmation, by a wrong clock or on purpose, undoes nothing.
    ['ann D, bob D @9, ann W @5', true, 'ann', 'bob D'],
    ['ann D, bob D @9, ann E @5', true, 'ann', 'ann E, bob D'],
    ['ann D @5, bob D @9, ann W @1', true, '', 'ann D, bob D'],
    // One that is dated after it, and that was there before, counts.
    ['ann D, ann W @9, bob D @5', false, '', 'bob D'],
    // At the same time: neither program had read what the other wrote.
    ['ann D, ann W, bob D blind', true, 'ann', 'bob D'],
    ['ann D, bob D blind', true, '', 'ann D, bob D'],
  ])('%s', (story, isAgreed, withdrew, stands) => {
    const { verdicts, agreement, ...said } = standingOf(play(story), people);
    const nameOf = ({ author }: VerdictRecord) => author.slice(6);
    const shown = verdicts.map((record) => `${nameOf(record)} ${record.verdict === 'explained' ? 'E' : 'D'}`);
    expect([said.isAgreed, agreement?.withdrew.map(nameOf).join(', ') ?? '', shown.join(', ')]).toEqual([isAgreed, withdrew, stands]);
  });

  test.each([
    ['disqualify', 'disqualify'],
    ['disqualify', 'explained'],
  ])('takes no longer for each record, though one person says %s and %s thousands of times', (one, other) => {
    const record = { arn: 'x', uid: '1', after: [] };
    /** Returns the least CPU time of three judgements, in microseconds, and at least 10 ms, which noise may double. */
    const timeOf = (records: number): number => {
      const ofEve = Array.from({ length: records }, (_, index) => {
        return { ...record, author: 'local:eve', id: String(T0 + index), verdict: index % 2 ? other : one };
      });
      const ofAnn = { ...record, author: 'local:ann', id: String(T0 + records), verdict: 'disqualify' };
      const times = [1, 2, 3].map(() => {
        const start = process.cpuUsage();
        expect(standingOf([...ofEve, ofAnn] as never, people).isAgreed).toBe(true);
        return process.cpuUsage(start).user;
      });
      return Math.max(10_000, Math.min(...times));
    };
    const few = timeOf(4000);
    // Four times as many take four times as long, and not sixteen times.
    expect(timeOf(16_000) / few).toBeLessThan(10);
  });

  test('shows everybody who took back what was agreed, and keeps the agreement in few words', () => {
    const stranger = { id: 'local:eve', arn: 'local:eve' };
    const shown = shownStandings(play('ann D, bob D, ann W'), stranger, people).get('1');
    expect([shown?.isShown, shown?.agreement?.withdrew.map(({ arn }) => arn)]).toEqual([true, ['local:ann']]);
  });
});
