/** Drafts of verdicts, in the storage of the page: they outlive a reload or crash, and end when they are recorded. */
import { useContext } from 'preact/hooks';
import { orUndefined } from '../../../functions/orUndefined.ts';
import type { VerdictRecord } from '../../review/verdicts/record.ts';
import { Status } from './answers.ts';
import { useRendering } from './events.ts';

/** What a reviewer has begun to say about a team. */
export interface Draft {
  readonly verdict?: VerdictRecord['verdict'];
  /** Undefined: the reason to look at the team; empty: none. */
  readonly reason?: string;
  readonly text?: string;
  readonly pins?: readonly string[];
  readonly sample?: VerdictRecord['sample'];
  readonly statement?: string;
}

/** A change of a draft. What is undefined or empty is left out. */
export type DraftChange = { readonly [Name in keyof Draft]: Draft[Name] | undefined };

/** The drafts of the teams of one target. */
export function draftsOf(target: string) {
  const prefix = `draft ${target} `;
  const changed = () => void dispatchEvent(new Event('draft'));
  // Text that something else put there is no draft: the page must not end with it.
  const read = (uid: string): Draft => orUndefined(() => JSON.parse(localStorage.getItem(prefix + uid) ?? '{}')) ?? {};
  return {
    read,
    uids: (): string[] =>
      Object.keys(localStorage).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])),
    change(uid: string, change: DraftChange): void {
      // What is empty says nothing; no reason is a choice.
      const kept = Object.entries({ ...read(uid), ...change }).filter(
        ([name, value]) => value !== undefined && (name === 'reason' || String(value) !== ''),
      );
      if (kept.length > 0) localStorage.setItem(prefix + uid, JSON.stringify(Object.fromEntries(kept)));
      else localStorage.removeItem(prefix + uid);
      changed();
    },
    /** Ends a draft, unless it has been changed since. */
    end(uid: string, recorded: Draft): void {
      if (JSON.stringify(read(uid)) === JSON.stringify(recorded)) localStorage.removeItem(prefix + uid);
      changed();
    },
  };
}

/** Returns the drafts, and renders again when one changes, in another tab too. */
export function useDrafts() {
  const target = useContext(Status)?.target ?? '';
  useRendering('draft', 'storage');
  return draftsOf(target);
}
