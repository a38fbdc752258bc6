/** Work on teams, such as recording a verdict. It goes on while the reviewer looks at other teams. */
import { excludedShare } from '../../shell/text/numbers.ts';
import type { Draft } from '../server/draft.ts';
import type { Answer } from '../server/routes.ts';
import { type Problem, read, send } from './answers.ts';
import { endDraft } from './drafts.ts';
import { useRendering } from './events.ts';

/** The verdicts: key, value and words of each. */
export const CHOICES = [
  ['l', 'looked-at', 'Looked at'],
  ['e', 'explained', 'Explained'],
  ['a', 'ask-team', 'Ask the team'],
  ['d', 'disqualify', 'Disqualify'],
] as const;

export const wordsOf = (verdict: string) => CHOICES.find(([, value]) => value === verdict)?.[2] ?? 'Withdrawn';

/** The most characters of a text, and the most logs that are pinned. The server has the same limits. */
const TEXT = 1000;
const PINS = 100;
/** The fewest characters of a sentence. */
const SENTENCE = 10;

/** Says what came of a sample, and what it excludes. */
export const saySample = (size: number, failures: number): string =>
  failures > 0
    ? `${failures} of ${size} failed`
    : `none of ${size} failed, so fewer than ${(100 * excludedShare(size)).toFixed(1)} % of all do, at 95 % confidence`;

/** The problems of a verdict, by the field. */
export type Gaps = Partial<Record<'verdict' | 'reason' | 'text' | 'read' | 'pins' | 'sample', string>>;

/** Returns true for a draft that disqualifies for a question, so that it says what was read. */
export const needsRead = ({ verdict, reason }: Draft, codes: Answer<'case'>['codes'] = []): boolean =>
  verdict === 'disqualify' && codes.some(({ code, isFact }) => code === reason && !isFact);

/** Returns the gaps of a verdict, all at once. */
export function gapsOf(draft: Draft, codes?: Answer<'case'>['codes']): Gaps {
  const { verdict, reason, text = '', read = '', pins = [], sample } = draft;
  const length = [...text].length;
  return {
    ...(!verdict && { verdict: 'Choose what you say: l, e, a or d.' }),
    ...(verdict && verdict !== 'looked-at' && !reason && { reason: 'Choose a reason: c goes through them.' }),
    ...(verdict === 'disqualify' && text.trim() === '' && { text: 'Write what the team did: t.' }),
    ...(length > TEXT && { text: `These are ${length} characters; at most ${TEXT} can be recorded.` }),
    ...(needsRead(draft, codes) &&
      [...read.trim()].length < SENTENCE && { read: `“${reason}” is a question: write what you read, in a sentence.` }),
    ...(pins.length > PINS && { pins: `At most ${PINS} logs can be pinned.` }),
    ...(sample &&
      !(sample.size >= 1 && sample.failures <= sample.size) && { sample: 'At most as many failures as logs.' }),
    ...(sample?.seed === '' && { sample: 'Give the seed of the sample.' }),
  };
}

/** Returns a draft with the reason of its team, where it has none of its own. */
export const withReason = (draft: Draft, lookAt: readonly string[], codes: Answer<'case'>['codes'] = []): Draft => {
  const reason = draft.reason ?? lookAt.find((one) => codes.some(({ code }) => code === one));
  return reason ? { ...draft, reason } : draft;
};

/** The steps of a team that are under way, in their order, and what came of the last one. */
export interface Work {
  readonly doing: readonly string[];
  readonly said?: string | undefined;
  readonly problem?: Problem | undefined;
  readonly hasGaps?: boolean | undefined;
  readonly isRecorded?: boolean | undefined;
}

const NONE: Work = { doing: [] };
const works = new Map<string, Work>();
const last = new Map<string, Promise<void>>();
/** The number of steps that have ended: what stands may be another thing since. */
let turn = 0;

const put = (uid: string, work: Work): void => {
  works.set(uid, work);
  dispatchEvent(new Event('work'));
};

/** Runs a step of a team after those before it. A step that is under way is not repeated, and that is said. */
function run(uid: string, doing: string, step: () => Promise<Omit<Work, 'doing'>>): void {
  const { doing: now } = works.get(uid) ?? NONE;
  const isRepeated = now.includes(doing);
  put(uid, isRepeated ? { doing: now, said: 'It was asked for already.' } : { doing: [...now, doing] });
  if (isRepeated) return;
  const before = last.get(uid) ?? Promise.resolve();
  const next = before.then(step).catch((problem: Problem): Omit<Work, 'doing'> => ({ problem }));
  last.set(
    uid,
    next.then((result) => {
      turn += 1;
      const left = (works.get(uid) ?? NONE).doing.filter((one) => one !== doing);
      put(uid, { ...result, doing: left });
    }),
  );
}

const BUILDING = 'building the statement';

export const buildStatement = (uid: string): void =>
  run(uid, BUILDING, async () => ({ said: (await send('buildStatement', { uid })).said }));

/** Records a draft as it is now. A disqualification gets a statement if there is none. */
export const record = (uid: string, draft: Draft, lookAt: readonly string[]): void =>
  run(uid, 'recording the verdict', async () => {
    const found = await read('case', { uid });
    const { pins: entries, ...given } = withReason(draft, lookAt, found.codes);
    if (Object.keys(gapsOf({ ...given, pins: entries ?? [] }, found.codes)).length > 0)
      return { hasGaps: true, said: 'Not recorded: see what is missing.' };
    let statement = given.statement ?? found.statements[0];
    if (statement === undefined && draft.verdict === 'disqualify' && found.entries > 0) {
      put(uid, { ...(works.get(uid) ?? NONE), said: 'Its statement is being built first.' });
      statement = (await send('buildStatement', { uid })).file;
    }
    await send('addVerdict', { ...given, uid, entries, statement });
    endDraft(uid, draft);
    return { isRecorded: true, said: `Recorded: ${wordsOf(String(draft.verdict)).toLowerCase()}.` };
  });

export const withdraw = (uid: string): void => run(uid, 'withdrawing', () => send('undoVerdict', { uid }));

export const disqualify = (uid: string): void =>
  run(uid, 'disqualifying the team', async () => {
    await send('disqualify', { uid });
    return { said: `UID ${uid} is disqualified.` };
  });

/** Forgets what came of the last step of a team, which was read. */
export function settle(uid: string): void {
  const { doing } = works.get(uid) ?? NONE;
  if (doing.length > 0) return;
  works.delete(uid);
  dispatchEvent(new Event('work'));
}

// Steps that are under way would end with the page.
addEventListener('beforeunload', (event) => {
  if ([...works.values()].some(({ doing }) => doing.length > 0)) event.preventDefault();
});

/** Returns the steps by team, and renders again when they change. `turn` changes what is asked with it. */
export function useWork() {
  useRendering('work');
  return { works, turn, workOf: (uid = ''): Work => works.get(uid) ?? NONE };
}

/** Says what is under way, or what came of it. */
export const sayWork = ({ doing, said }: Work): string => {
  const text = doing.join(', then ');
  return text === '' ? (said ?? '') : `${text[0]?.toUpperCase()}${text.slice(1)} …${said ? ` ${said}` : ''}`;
};
