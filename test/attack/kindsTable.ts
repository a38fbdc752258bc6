import { type Reason, reasons } from '../../cli/review/figures/reasons.ts';
import { reviewDemo } from '../cli/local/demo/reviewDemo.ts';
import { attackAll } from './attacks.ts';
import { bots } from './bots.ts';
import { dishonestKinds, honestKinds, playKinds } from './kinds.ts';

/** What the teams of a kind got in a competition. */
export interface Found {
  readonly name: string;
  readonly isHonest: boolean;
  readonly seed: string;
  readonly facts: readonly Reason[];
  readonly lookAt: readonly Reason[];
}

/** Returns what each kind gets in competitions of a seed; those of the demo are in `demo.slow.ts`. */
export async function findAll(seed: string): Promise<Found[]> {
  const found: Found[] = [];
  const note = (name: string, isHonest: boolean, teams: readonly Pick<Found, 'facts' | 'lookAt'>[]) => {
    const [facts, lookAt] = [teams.flatMap((team) => team.facts), teams.flatMap((team) => team.lookAt)];
    found.push({ name, isHonest, seed, facts, lookAt });
  };
  const { teams, attackers } = attackAll(seed, bots);
  const ofBots = (await reviewDemo(teams)).of;
  for (const { name, team } of attackers) note(name, true, [ofBots(team.uid)]);
  for (const [kinds, isHonest] of [[honestKinds, true] as const, [dishonestKinds, false] as const]) {
    const { all, played } = playKinds(seed, kinds);
    const { of } = await reviewDemo(all);
    for (const { name, teams } of played)
      note(
        name,
        isHonest,
        teams.map(({ uid }) => of(uid)),
      );
    const victims = played.map(({ victim }) => of(victim.uid));
    note('the teams from which others take', true, victims);
  }
  return found;
}

/** Returns what a kind gets: facts first and bold; `†`: a fact if its rule is announced. */
function gets(found: readonly Found[], seeds: number): string {
  const names = (Object.keys(reasons) as Reason[]).map((name) => {
    const isFact = found.some(({ facts }) => facts.includes(name));
    const { size } = new Set(found.filter(({ lookAt }) => lookAt.includes(name)).map(({ seed }) => seed));
    const often = size === seeds ? '' : ` (${size} of ${seeds} seeds)`;
    const mark = reasons[name].weight?.startsWith('log-') ? '†' : '';
    return { isFact, size, text: isFact ? `**${name}**${often}` : `${name}${mark}${often}` };
  });
  return names
    .filter(({ size }) => size > 0)
    .sort((a, b) => Number(b.isFact) - Number(a.isFact))
    .map(({ text }) => text)
    .join(', ');
}

/** Returns the tables of docs/review.md: honest kinds with what explains their questions, then the others. */
export function tableOf(all: readonly Found[], seeds: number): string {
  const rows = [...Map.groupBy(all, ({ name }) => name)].map(([name, found]) => {
    const [first] = found.flatMap(({ lookAt }) => lookAt);
    const why = first ? (honestKinds[name]?.why ?? reasons[first].innocent) : 'Nothing needs an explanation.';
    return { name, isHonest: found.every((one) => one.isHonest), gets: gets(found, seeds) || '–', why };
  });
  const list = (isHonest: boolean, cells: (row: (typeof rows)[number]) => string) => {
    const listed = rows.filter((row) => row.isHonest === isHonest);
    return [...Map.groupBy(listed, cells)].map(
      ([same, of]) => `| ${of.map(({ name }) => name).join('; ')} | ${same} |`,
    );
  };
  return [
    ...['| honest kinds | get | what explains it |', '|---|---|---|'],
    ...list(true, ({ gets, why }) => `${gets} | ${why}`),
    ...['', '| other kinds | get |', '|---|---|'],
    ...list(false, ({ gets }) => gets),
  ].join('\n');
}
