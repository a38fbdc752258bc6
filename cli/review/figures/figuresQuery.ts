import { queryOf } from '../../store/duckdb/duckdb.ts';

/** Returns a query of the figures: `sql/<name>.sql`. */
export const figuresQuery = (name: string): string => queryOf(name, import.meta.url);
