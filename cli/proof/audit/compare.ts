import { type Engine, queryOf } from '../../store/duckdb/duckdb.ts';

/**
 * Compares a log with rows.
 * @param engine has `leaf` (idx, hash), the entries of the log, and `compared` (hash), the rows. It gets `logged`,
 * `without_row` and `unlogged`, see sql/compare.sql
 */
export const compare = ({ run }: Engine): Promise<void> => run(queryOf('compare', import.meta.url));
