import { readFileSync } from 'node:fs';
import type { Engine } from '../analysis/engine.ts';

/**
 * Reads all rows of the query in `sql/<name>.sql`.
 * @param parameters the values of `$name` in it. Numbers must be whole
 */
export function query<Row extends object>(
  { read }: Engine,
  name: string,
  parameters: Readonly<Record<string, string | number | bigint | null>> = {},
): Promise<Row[]> {
  const sql = readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), 'utf8');
  const values = Object.entries(parameters).map(
    ([key, value]) => [key, typeof value === 'number' ? BigInt(value) : value] as const,
  );
  return Array.fromAsync(read<Row>(sql, Object.fromEntries(values)));
}
