import type { Reason } from '../analysis/reasonsToLook.ts';

/** The ways in which the demo's teams behave. */
export const archetypes = {
  honest: { teams: 23, behaviour: 'logs each decision within 45 s of its order; one team writes Chinese', found: [] },
  unnamed: {
    teams: 2,
    behaviour: 'logs each decision in time, but only one log in twenty names its order',
    found: ['few named'],
  },
  late: { teams: 3, behaviour: 'signs each log 10 to 45 min after its order', found: ['late'] },
  dumping: { teams: 2, behaviour: "signs a day's logs together at the end of the day", found: ['late', 'silent'] },
  stopped: {
    teams: 2,
    behaviour: 'stops logging after the first day, and keeps trading',
    found: ['no log near', 'few named', 'silent'],
  },
  absent: { teams: 2, behaviour: 'trades and never uploads', found: ['no entries'] },
  templated: { teams: 2, behaviour: 'fills a template with numbers and a nonce', found: ['repeats'] },
  copying: { teams: 2, behaviour: 'sends 97 outputs of an honest team as its own', found: ['copies'] },
  claiming: { teams: 1, behaviour: 'names 30 orders of another team besides its own', found: ["others' orders"] },
  early: { teams: 1, behaviour: 'signs each log 5 to 20 min before the order that it names', found: ['early'] },
} as const satisfies Record<string, { teams: number; behaviour: string; found: readonly Reason[] }>;

/** The name of an archetype. */
export type Archetype = keyof typeof archetypes;
