import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TeamReport } from '../../review/figures/reviewTeams.ts';
import { requireNoFile, syncFolder, writeFully } from '../../shell/files/write.ts';
import { bigintAsText } from '../../shell/text/json.ts';
import type { EntryDescription } from '../../store/entries/describeEntry.ts';

/** The format of statements. docs/proof.md documents it; docs/decisions/statements.md says why it is one file. */
export const STATEMENT_FORMAT = 'ai-log-statement/v1';

/** The figures that a report has only with an order list. A statement has none of them. */
export type FigureOfOrders = {
  [Name in keyof TeamReport]-?: undefined extends TeamReport[Name] ? Name : never;
}[keyof TeamReport];

/** The first line of a statement. Times are ISO 8601 in UTC. */
export interface StatementHeader {
  readonly format: typeof STATEMENT_FORMAT;
  readonly uid: string;
  readonly origin: string;
  /** The period, by the times at which the team signed; null: without limit. `until` is exclusive. */
  readonly since: string | null;
  readonly until: string | null;
  readonly generatedAt: string;
  /** The C2SP tlog-policy of the log. A verifier uses the policy that it got elsewhere. */
  readonly policy: string;
  readonly checkpoint: string;
  /**
   * The report on the team, without an order list. `period` is the period that was reviewed: `since` and `until`, or
   * else from the first entry to the last.
   */
  readonly figures: Omit<TeamReport, FigureOfOrders> & {
    readonly period: { readonly from: string; readonly until: string };
  };
  readonly entries: number;
}

/** A line of a statement: an entry, with its body as it was signed. */
export interface StatementEntry extends EntryDescription {
  /** Null if the stored body is damaged. */
  readonly body: string | null;
  /**
   * `logged`: it is in the log. `pending`: the log has not come past its time and the ten minutes after it. `differs`:
   * its row was changed since it was stored. `missing`: the log came past its time without it.
   */
  readonly status: 'logged' | 'pending' | 'differs' | 'missing';
  /** Null unless it is logged: its index in the log, and the inclusion proof in base64, the leaf's sibling first. */
  readonly index: number | null;
  readonly proof: readonly string[] | null;
}

export interface StatementEnd {
  readonly end: true;
  readonly entries: number;
  /** Hex SHA-256 of all bytes before this line. */
  readonly sha256: string;
}

/** Opens a new statement, named `FILE.part` until it is complete. @throws Failure if the file or its part exists */
export function openStatementFile(path: string) {
  const part = `${path}.part`;
  requireNoFile([path, part]);
  const file = openSync(part, 'wx', 0o600);
  const hash = createHash('sha256');
  const write = (line: object) => {
    const bytes = Buffer.from(`${JSON.stringify(line, bigintAsText)}\n`);
    writeFully(file, bytes);
    hash.update(bytes);
  };

  return {
    write: (line: StatementHeader | StatementEntry): void => write(line),
    /** Writes the last line, and gives the file its name. @throws if a file of that name exists now */
    finish(entries: number): void {
      write({ end: true, entries, sha256: hash.copy().digest('hex') } satisfies StatementEnd);
      fsyncSync(file);
      // Unlike a rename, a link never replaces what is there.
      linkSync(part, path);
      syncFolder(dirname(path));
    },
    discard(): void {
      closeSync(file);
      rmSync(part, { force: true });
    },
  };
}
