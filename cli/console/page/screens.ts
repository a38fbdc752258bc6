import type { ComponentType } from 'preact';
import { Board } from './board.tsx';
import { CaseScreen } from './case.tsx';
import { Copies } from './copies.tsx';
import type { ScreenProps } from './place.ts';
import { Search } from './search.tsx';
import { Team } from './team.tsx';

/** The screens by their paths, in the order of their keys. To add a screen, write its file and name it here. */
export const screens: readonly {
  readonly path: string;
  readonly name: string;
  readonly Screen: ComponentType<ScreenProps>;
}[] = [
  { path: '', name: 'Board', Screen: Board },
  { path: 'team', name: 'Timeline', Screen: Team },
  { path: 'copies', name: 'Copies', Screen: Copies },
  { path: 'search', name: 'Search', Screen: Search },
  { path: 'case', name: 'Case', Screen: CaseScreen },
];
