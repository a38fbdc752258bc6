const or = (a: string, b: string) => `bitwise_or(${a}, ${b})`;
const shifted = (bits: string, by: number) => `bitwise_right_shift(${bits}, ${by})`;

/** Returns Trino's `unequal_bytes`, see engine.ts. */
function unequalBytes(a: string, b: string): string {
  const bits = [4, 2, 1].reduce((folded, by) => or(folded, shifted(folded, by)), `bitwise_xor(${a}, ${b})`);
  return `bitwise_and(${bits}, 72340172838076673)`;
}

/**
 * Returns a query of the analysis as Athena runs it: with its functions, and with the names that the tables have there.
 * @param names the tables of this run, by their names in the query
 */
export function athenaQuery(commented: string, names: ReadonlyMap<string, string>): string {
  const sql = commented.replace(/--.*$/gm, '');
  // A common table expression hides a table of its name.
  const own = new Set([...sql.matchAll(/(?:\bWITH|\),)\s+(\w+) AS \(/g)].map(([, name]) => name));
  return sql
    .replace(/\bunequal_bytes\(([\w.]+), ([\w.]+)\)/g, (_, a: string, b: string) => unequalBytes(a, b))
    .replace(/\b(FROM|JOIN)\s+(\w+)\b(\s+AS\s+\w+)?/g, (all, word: string, name: string, alias?: string) => {
      const table = own.has(name) ? undefined : names.get(name);
      return table === undefined ? all : `${word} ${table}${alias ?? ` AS ${name}`}`;
    });
}

/**
 * Reads a statement that engine.ts runs: it makes, fills or drops the table `name`.
 * @throws Error if Athena has no counterpart
 */
export function parseStatement(sql: string): { kind: 'create' | 'insert' | 'drop'; name: string; query?: string } {
  const [, dropped] = /^\s*DROP TABLE IF EXISTS (\w+)\s*$/.exec(sql) ?? [];
  if (dropped !== undefined) return { kind: 'drop', name: dropped };
  const [, filled, rows] = /^\s*INSERT INTO (\w+)\s+(.*)$/s.exec(sql) ?? [];
  if (filled !== undefined) return { kind: 'insert', name: filled, query: rows as string };
  const [, name, query, columns] =
    /^\s*CREATE (?:OR REPLACE )?TABLE (\w+)(?: AS\s+(.*)| \((.*)\)\s*)$/s.exec(sql) ?? [];
  if (name === undefined) throw new Error(`Athena has no such statement: ${sql}`);
  const empty = `SELECT ${columns?.replace(/(\w+) (\w+)/g, 'CAST(NULL AS $2) AS $1')} WHERE FALSE`;
  return { kind: 'create', name, query: query ?? empty };
}
