import { createHash } from 'node:crypto';
import { sortMembers } from '../../shell/text/json.ts';
import { type Reason, reasons, weightOf } from '../figures/reasons.ts';

/** The verdicts about a team. */
export const VERDICTS = ['looked-at', 'explained', 'ask-team', 'disqualify'] as const;

export const isVerdict = (value: unknown): value is (typeof VERDICTS)[number] => VERDICTS.includes(value as never);

/** The reason codes of verdicts: the reasons to look. */
export const REASON_CODES: readonly { readonly code: string; readonly text: string; readonly isFact: boolean }[] = [
  // No record says which rules were announced.
  ...Object.entries(reasons).map(([code, { when }]) => {
    return { code, text: when, isFact: weightOf(code as Reason, []) === 'fact' };
  }),
  { code: 'other', text: 'see the text', isFact: false },
];

/** A verdict about a team, or its withdrawal. Records are only ever added. */
export interface VerdictRecord {
  /** The id of the identity that wrote it: IAM lets people write only items with their own. */
  readonly author: string;
  /** The time in milliseconds since 1970, 13 digits, then 32 hex digits of the SHA-256 of everything else. */
  readonly id: string;
  readonly uid: string;
  /** The name of the identity in the author's program. Nothing confirms it. */
  readonly arn: string;
  readonly verdict: (typeof VERDICTS)[number] | 'withdrawn';
  readonly withdraws?: string;
  /** The ids of the records about the team that its author's program had read: an order that no clock shows. */
  readonly after: readonly string[];
  readonly reason?: string;
  readonly text?: string;
  readonly read?: string;
  readonly entries?: readonly string[];
  readonly sample?: { readonly seed: string; readonly size: number; readonly failures: number };
  /** A statement, by the hex SHA-256 of its file. */
  readonly evidence?: { readonly file: string; readonly sha256: string };
  /** The period of the figures or of the statement, ISO 8601; `until` is exclusive. */
  readonly period?: { readonly from: string; readonly until: string };
}

/** A record without what its author and its time add. */
export type VerdictContent = Omit<VerdictRecord, 'author' | 'id' | 'arn' | 'after'>;

/** Returns a record with its id. @param at milliseconds since 1970 */
export function withId<Content extends Omit<VerdictRecord, 'id'>>(content: Content, at: number) {
  // DynamoDB does not keep the order of attributes.
  const digest = createHash('sha256').update(JSON.stringify({ ...content, at }, sortMembers));
  return { ...content, id: `${at}-${digest.digest('hex').slice(0, 32)}` };
}

/** Returns the time of a record in milliseconds since 1970, by the clock of its author. */
export const timeOf = ({ id }: Pick<VerdictRecord, 'id'>): number => Number(id.slice(0, 13));

/** Returns false if a record was changed after it was written. */
export const isIntact = ({ id, ...content }: VerdictRecord): boolean => withId(content, timeOf({ id })).id === id;
