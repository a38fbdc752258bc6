import { SHOWN_SILENCES } from '../../review/figures/limits.ts';
import { byConcern } from '../../review/figures/overview.ts';
import { reasons } from '../../review/figures/reasons.ts';
import { byUid } from '../../shell/text/uid.ts';
import type { Console } from './state.ts';

/** Returns a row for each team: its figures, and its strip, see `cli/review/figures/sql/strips.sql`. */
export const readBoard = ({ views }: Console) =>
  views.use(async ({ engine, hasOrders, period, teams, contested }) => {
    const strips = new Map<string, string>();
    for await (const { uid, strip } of engine.read<{ uid: string; strip: string }>('SELECT * FROM strips'))
      strips.set(uid, strip);
    return {
      period,
      hasOrders,
      contested: contested.length,
      reasons: Object.entries(reasons).map(([name, { when }]) => ({ name, when })),
      teams: teams
        .toSorted((a, b) => byConcern(a, b) || byUid(a, b))
        .map(({ perDay: _perDay, models: _models, stages: _stages, silences, ...team }) => ({
          ...team,
          silences: silences.slice(0, SHOWN_SILENCES),
          strip: strips.get(team.uid) ?? '',
        })),
    };
  });
