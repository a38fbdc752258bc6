import { type Engine, queryOf } from '../../store/duckdb/duckdb.ts';

/**
 * Reads all rows of the query in `sql/<name>.sql`.
 * @param parameters the values of `$name` in it. Numbers must be whole
 */
export function query<Row extends object>(
  { read }: Engine,
  name: string,
  parameters: Readonly<Record<string, string | number | bigint | null>> = {},
): Promise<Row[]> {
  const values = Object.entries(parameters).map(
    ([key, value]) => [key, typeof value === 'number' ? BigInt(value) : value] as const,
  );
  return Array.fromAsync(read<Row>(queryOf(name, import.meta.url), Object.fromEntries(values)));
}
