import { type Engine, queryOf } from '../../store/duckdb/duckdb.ts';

/** Compares the tables `leaf` and `compared`: sql/compare.sql. */
export const compare = ({ run }: Engine): Promise<void> => run(queryOf('compare', import.meta.url));
