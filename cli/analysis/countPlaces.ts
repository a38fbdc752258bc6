import { rowsOf } from '../entries/columns.ts';
import { formatPlaces, noPlaces, type Places } from '../inclusion/describeLocation.ts';
import { openLocator } from '../inclusion/locateEntry.ts';
import { unpackRowKeys } from '../inclusion/rowKeys.ts';
import type { Target } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../text/visible.ts';
import type { ReviewPart } from './reviewPart.ts';
import { isInLimits, type ReviewLimits } from './reviewTeams.ts';

/** Counts the logs of each team by their place in the transparency log. */
export async function countPlaces(terminal: Terminal, target: Target, limits: ReviewLimits) {
  const opened = await openLocator(terminal, target);
  const byTeam = new Map<string, Places>();
  return {
    /** False if the transparency log was not read. */
    areKnown: opened !== undefined,

    /** Adds the logs of a part that are in the period. */
    async visit({ logs, rowKeys }: ReviewPart): Promise<void> {
      if (!opened) return;
      let index = -1;
      for (const { uid, signedAt } of rowsOf(logs)) {
        index += 1;
        if (!isInLimits(signedAt, limits)) continue;
        const location = await opened.locate(unpackRowKeys(rowKeys, index));
        if (!location) continue;
        const places = byTeam.get(uid) ?? noPlaces();
        places[location.status] += 1;
        byTeam.set(uid, places);
      }
    },

    /** Returns the counts of a team; null if the transparency log was not read. */
    of: (uid: string): Readonly<Places> | null => (opened ? (byTeam.get(uid) ?? noPlaces()) : null),

    /** Says how many logs of these teams are in the log, and names the teams with logs that it contradicts. */
    notes(uids: ReadonlySet<string>): string[] {
      if (!opened) return [];
      const total = noPlaces();
      const contradicted: string[] = [];
      for (const [uid, places] of byTeam) {
        if (!uids.has(uid)) continue;
        for (const status of Object.keys(total) as (keyof Places)[]) total[status] += places[status];
        if (places.differs + places.missing > 0) contradicted.push(visible(uid));
      }
      const named =
        contradicted.length > 0 ? ` See ailog logs verify ${contradicted.map((uid) => `--uid ${uid}`).join(' ')}.` : '';
      return [`${formatPlaces(total)}${named}`];
    },
  };
}
