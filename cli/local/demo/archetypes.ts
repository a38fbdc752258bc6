import type { Reason } from '../../review/figures/reasons.ts';

/** The ways in which the demo's teams behave, as docs/review.md says, and the reasons to look that a report finds. */
export const archetypes = {
  honest: { teams: 23, found: [] },
  unnamed: { teams: 2, found: ['few named'] },
  late: { teams: 3, found: ['late'] },
  dumping: { teams: 2, found: ['late', 'silent'] },
  stopped: { teams: 2, found: ['no log near', 'few named', 'silent'] },
  absent: { teams: 2, found: ['no entries'] },
  templated: { teams: 2, found: ['repeats'] },
  renumbering: { teams: 1, found: ['repeats'] },
  hiding: { teams: 1, found: ['repeats', 'hidden characters'] },
  backdating: { teams: 1, found: ['same time'] },
  copying: { teams: 2, found: ['copies'] },
  claiming: { teams: 1, found: ["others' orders"] },
  early: { teams: 1, found: ['early'] },
} as const satisfies Record<string, { teams: number; found: readonly Reason[] }>;

export type Archetype = keyof typeof archetypes;
