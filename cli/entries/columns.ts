/** Objects, property by property. Columns move to another thread in a fraction of the time of objects. */
export interface Columns<Row> {
  readonly count: number;
  readonly names: readonly (keyof Row)[];
  readonly values: readonly (readonly unknown[])[];
}

/** Returns some properties of objects in columns. */
export const columnsOf = <Row>(rows: readonly Row[], names: readonly (keyof Row)[]): Columns<Row> => ({
  count: rows.length,
  names,
  values: names.map((name) => rows.map((row) => row[name])),
});

/** Yields the objects again, with the properties that are not undefined. */
export function* rowsOf<Row>({ count, names, values }: Columns<Row>): Generator<Row> {
  for (let index = 0; index < count; index += 1) {
    const row: Partial<Row> = {};
    for (let column = 0; column < names.length; column += 1) {
      const value = values[column]?.[index];
      if (value !== undefined) row[names[column] as keyof Row] = value as Row[keyof Row];
    }
    yield row as Row;
  }
}
