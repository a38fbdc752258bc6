import { FOUND_SILENCE_MS, SHOWN_SILENCES, TOLERANCE_MS } from '../../review/figures/limits.ts';
import { byConcern } from '../../review/figures/overview.ts';
import { type Reason, reasons, weightOf } from '../../review/figures/reasons.ts';
import { sayRules } from '../../review/figures/rules.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { byUid } from '../../shell/text/uid.ts';
import { type Console, numberIn, type Query, query, textIn } from './state.ts';

/** Returns a row for each team: its figures, and its strip, see `cli/review/figures/sql/strips.sql`. */
export const readBoard = ({ views }: Console) =>
  views.use(async ({ engine, hasOrders, period, limits, teams, contested }) => {
    const strips = new Map<string, string>();
    for await (const { uid, strip } of engine.read<{ uid: string; strip: string }>('SELECT * FROM strips'))
      strips.set(uid, strip);
    return {
      period,
      hasOrders,
      contested: contested.length,
      rules: sayRules(limits),
      reasons: Object.entries(reasons)
        .map(([name, { when, innocent }]) => {
          return { name, when, innocent, weight: weightOf(name as Reason, limits.announced ?? []) };
        })
        // Facts first.
        .sort((a, b) => Number(b.weight === 'fact') - Number(a.weight === 'fact')),
      teams: teams
        .toSorted((a, b) => byConcern(a, b) || byUid(a, b))
        .map(({ perDay: _perDay, models: _models, stages: _stages, silences, ...team }) => ({
          ...team,
          silences: silences.slice(0, SHOWN_SILENCES),
          strip: strips.get(team.uid) ?? '',
        })),
    };
  });

/** The most that are drawn. The rest is counted. */
const DOTS = 4000;
const FINDINGS = 2000;

type Column = Readonly<Record<'part' | 'orders' | 'logs', number> & { model: string | null }>;

/** An order. Its id is text, because it has 18 digits. `delay`: milliseconds; null: there is no log. */
type OrderDot = Readonly<Record<'id' | 'timing', string> & Record<'at' | 'total', number>> &
  Readonly<Record<'delay' | 'value', number | null>>;

/** Something to look at; `id` names it in the URL. `ms` and `other` mean something else for each kind. */
type Finding = Readonly<
  Record<'id' | 'kind', string> & { at: number } & { ms: number | null } & { other: string | null }
>;

/** Returns the timeline of a team. `from` and `until` narrow what is drawn, not the findings. @throws Failure */
export const readTimeline = ({ views }: Console, asked: Query) =>
  views.use(async ({ engine, period, limits, teams }) => {
    const uid = textIn(asked, 'uid');
    const from = numberIn(asked, 'from', period.from);
    const until = Math.max(from + 1, numberIn(asked, 'until', period.until));
    const team = teams.find((one) => one.uid === uid);
    if (!team) throw new Failure('negative', `UID ${uid} has no logs and no orders, and is not on the allowlist.`);
    const [dots, columns, findings] = await Promise.all([
      query<OrderDot>(engine, 'orders', { uid, from, until, most: DOTS }),
      query<Column>(engine, 'columns', { uid, from, until }),
      query<Finding>(engine, 'findings', { uid, silence: FOUND_SILENCE_MS }),
    ]);
    const kind = asked.get('kind');
    const kinds = Map.groupBy(findings, (one) => one.kind);
    const shown = (kind && kinds.get(kind)) || findings;
    return {
      ...{ uid, period, from, until, columns },
      within: limits.within,
      tolerance: TOLERANCE_MS,
      silences: team.silences,
      orders: dots[0]?.total ?? 0,
      dots: dots.map(({ total: _total, ...dot }) => dot),
      kinds: [...kinds].map(([name, all]) => ({ name, count: all.length })),
      found: shown.length,
      findings: shown.slice(0, FINDINGS),
    };
  });
