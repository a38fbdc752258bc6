import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding, Kind } from '../../../../cli/proof/audit/findings.ts';
import { parseCommit } from '../../../../functions/tlog/commit.ts';
import { HOUR_MS, localWorld, type RunOptions } from '../../../setup/world.ts';

/** The output of an audit as JSON, as far as the tests name it. */
interface AuditJson
  extends Record<'size' | 'rows' | 'logged' | 'pending' | 'expired' | 'known' | 'duplicates', number> {
  readonly unchecked: readonly string[];
  readonly findings: readonly Finding[];
}

/** Opens local data with a transparency log that can be audited. @param begins an hour ago by default */
export async function openAudited({ begins = Date.now() - HOUR_MS, retentionDays = 0 } = {}) {
  const world = await localWorld().sequenced({ begins, retentionDays });
  return {
    ...world,

    /** Runs the sequencer when some time has passed. Commits are stored when they say, by the clock of the log. */
    async sequence(ms?: number): Promise<void> {
      await world.sequence(ms);
      const commits = join(world.logFolder, 'commits');
      for (const name of readdirSync(commits)) {
        const { time } = parseCommit(readFileSync(join(commits, name), 'utf8'));
        utimesSync(join(commits, name), time / 1000, time / 1000);
      }
    },

    /** Audits the local log. */
    async audit(args: readonly string[] = [], options: RunOptions = {}) {
      const ran = await world.ailog(['tlog', 'audit', '--json', ...args], options);
      if (ran.stdout === '') throw new Error(ran.stderr);
      const result = JSON.parse(ran.stdout) as AuditJson;
      return { ...ran, ...result, kinds: [...new Set(result.findings.map(({ kind }) => kind))].sort() as Kind[] };
    },
  };
}

export type Audited = Awaited<ReturnType<typeof openAudited>>;
