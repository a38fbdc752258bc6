/** The rows and sentences of a verdict, for people: they are made of its word and its facts, and never read back. */
import { formatDuration, formatInstant, formatTime } from '../../shell/text/time.ts';
import type { Facts, Lack, State } from './judge.ts';
import type { LineVerdict } from './verify.ts';

const STORAGE = "the organisers' storage says";
const COPY = 'A copy that somebody else made may lack what came later';

/** Returns the names and values that a line states of itself, as far as its hashes and signatures hold. */
export function rowsOf({ line, facts }: LineVerdict): (readonly [name: string, text: string])[] {
  const { file, uid, entryId, receivedAt, unknownKey } = facts;
  const rows = { line, log: file, uid, entryId, receivedAt: receivedAt && formatInstant(receivedAt), unknownKey };
  return Object.entries(rows).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));
}

const witnessed = ({ witnesses, needed, seenBy }: State): string =>
  seenBy === undefined
    ? `witnesses that cosigned it: ${witnesses}${needed > 0 ? `, of which the policy requires ${needed}` : ''}`
    : `${needed === 1 ? '1 witness says' : `${needed} witnesses say`} that it was there by ${formatTime(seenBy)}`;

function* provenBy(facts: Facts): Generator<string> {
  const { promised, hasBody, place, state, key, end, cameAt, late } = facts;
  if (promised)
    yield `${promised.origin} accepted it, and promised to have it in its log by ${formatTime(promised.deadline)}`;
  if (hasBody) yield 'its body is the one that was given, byte for byte';
  if (place) {
    yield `it is in the log ${place.origin}, at index ${place.index} of ${place.size}`;
    if (place.needed > 0) yield witnessed(place);
  }
  if (cameAt !== undefined && late === 0) yield `it came by ${formatTime(cameAt)}, ${STORAGE}`;
  if (state) yield `${state.origin} signed the state of its log with ${state.size} entries`;
  if (state && state.needed > 0) yield witnessed(state);
  if (key) yield `${key.origin} certified its receipt key ${key.k}, in use since ${formatTime(key.since)}`;
  if (end !== undefined) yield `the lines before it are as many as it counts: ${end}`;
}

const LACKING: Readonly<Record<Lack, string>> = {
  'receipt key': 'the receipt: the policy does not know the key that signed it',
  'log key': 'anything about the log: the policy does not know the key that signed this',
  checkpoint: 'that it is in the log: no checkpoint that holds stands before its proof',
  quorum: 'that others see the same log: too few witnesses of the policy cosigned it',
  proof: 'that it is in the log: the line has neither a receipt nor a proof',
  'other log': 'anything about the log that was asked: the line is about another one',
  'not in the log': 'that it is in the log: it is not there yet, or the copy of the log ends before its deadline',
  'not promised':
    'that it is in the log: it is not there where it belongs, and the line has no receipt that promised it',
  commits: 'that the log lacks it: its commits do, and are not those of the tree that its checkpoint signs',
  receipt: 'that the service accepted the log: there is no receipt of it',
  'rest of the line': 'anything about this line: it is cut off',
};

function* notProvenBy({ about, word, facts, lacks }: LineVerdict, isLookedUp: boolean): Generator<string> {
  const { bodySha256, hasBody, place, promised, said, cameAt, state, until } = facts;
  for (const lack of lacks) {
    const more = lack === 'receipt' && said !== undefined ? `, and its state is ${JSON.stringify(said)}` : '';
    const at = lack === 'not in the log' && until !== undefined ? `. It has all until ${formatTime(until)}` : '';
    yield `${LACKING[lack]}${more}${at}`;
  }
  if (about === 'entry' && bodySha256 !== undefined && hasBody === undefined)
    yield `which body it has: give the file that was sent, too. Its SHA-256 must be ${bodySha256}`;
  if (word === 'ok' && promised && !place && !isLookedUp)
    yield 'that it is in the log: the receipt promises it. Look it up in the log (--log), or ask for a statement';
  if (place && cameAt === undefined) yield 'when it came into the log: look it up in the log (--log)';
  if ((place ?? state)?.needed === 0) yield 'that everyone sees the same log: the policy requires no witness';
}

/** Yields the sentences of a verdict, without a full stop. @param isLookedUp a log was given */
export function* sentencesOf(
  verdict: LineVerdict,
  isLookedUp: boolean,
): Generator<readonly [kind: 'proven' | 'not proven' | 'WRONG' | 'LATE' | 'MISSING', text: string]> {
  const { word, facts, wrong } = verdict;
  const { late = 0, promised, receivedAt = 0, until = 0, cameAt = 0 } = facts;
  const deadline = promised
    ? `the promised time, ${formatTime(promised.deadline)}`
    : 'the ten minutes that are promised';
  for (const text of provenBy(facts)) yield ['proven', text];
  for (const text of notProvenBy(verdict, isLookedUp)) yield ['not proven', text];
  for (const text of wrong) yield ['WRONG', text];
  if (word === 'LATE') {
    const times = `received ${formatTime(receivedAt)}, in the log at ${formatTime(cameAt)}`;
    const came = `It came into the log ${formatDuration(late)} after ${deadline}, ${STORAGE}: ${times}`;
    yield ['LATE', `${came}. The log stood still, or the entry was dated back`];
  }
  if (word === 'MISSING') {
    const missing = `The log does not have it, ${STORAGE}, and ${deadline}, has passed: it has all until ${formatTime(until)}`;
    yield [word, `${missing}. They took it and dropped it. Keep the receipt and this output. ${COPY}`];
  }
}
