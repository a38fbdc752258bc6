import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { FEATURE_COLUMNS, type FeatureRow, NULLABLE } from '../../functions/features/featureRow.ts';
import { ENTRY_COLUMNS, openRowFile, rowFile, TEXT_COLUMNS } from '../../functions/features/rowFile.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';

const values = {
  VARCHAR: fc.string({ unit: 'grapheme', maxLength: 20 }),
  BIGINT: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  INTEGER: fc.integer(),
  BOOLEAN: fc.boolean(),
  BINARY: fc.uint8Array({ minLength: 32, maxLength: 32 }),
};

const anyRow = fc.record(
  Object.fromEntries(Object.entries(FEATURE_COLUMNS).map(([name, type]) => [name, values[type]])),
) as unknown as fc.Arbitrary<FeatureRow>;

const sampleRows = (): FeatureRow[] =>
  fc.sample(anyRow, { numRuns: 60, seed: 21 }).map((row, index) => ({
    ...row,
    order_id: [null, 590480926522704171n, 2n ** 63n - 1n][index % 3] as bigint | null,
    stage: ['Decision', 'Idea', '决策 🎯'][index % 3] as string,
  }));

async function readByDuckDb(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  const path = join(temporaryFolder(), 'rows.parquet');
  writeFileSync(path, bytes);
  const db = await DuckDBInstance.create(':memory:');
  const connection = await db.connect();
  const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
  const rows = reader.getRowObjects();
  connection.closeSync();
  db.closeSync();
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'object' && value !== null && 'bytes' in value
          ? Buffer.from(value.bytes as Uint8Array)
          : value,
      ]),
    ),
  );
}

const readByHyparquet = (bytes: Uint8Array) =>
  parquetReadObjects({
    file: new Uint8Array(bytes).buffer,
    compressors: { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) },
    utf8: false,
  });

const asBuffers = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value) : value]),
  );

test.each([
  ['DuckDB', readByDuckDb],
  ['hyparquet', readByHyparquet],
])('%s reads back every value, every digit and every null', async (_name, read) => {
  const rows = sampleRows();
  const found = await read(rowFile(ENTRY_COLUMNS, rows));
  expect(found.map(asBuffers)).toEqual(rows.map(asBuffers));
});

test('the file is compressed with zstd, and only what a log need not say can be null', () => {
  const bytes = rowFile(ENTRY_COLUMNS, sampleRows());
  const { schema, row_groups, created_by } = parquetMetadata(new Uint8Array(bytes).buffer);
  expect([created_by, schema[0]?.name]).toEqual(['ailog', 'root']);
  expect(row_groups[0]?.columns.every(({ meta_data }) => meta_data?.codec === 'ZSTD')).toBe(true);
  const nullable = schema.filter(({ repetition_type }) => repetition_type === 'OPTIONAL').map(({ name }) => name);
  expect(nullable).toEqual([...NULLABLE]);
  expect(
    schema.slice(1).every(({ name, repetition_type }) => nullable.includes(name) !== (repetition_type === 'REQUIRED')),
  ).toBe(true);
});

test('columns of random values have no dictionary, and those of a few values have one', () => {
  const rows = Array.from({ length: 50 }, () => sampleRows()[0] as FeatureRow);
  const [group] = parquetMetadata(new Uint8Array(rowFile(ENTRY_COLUMNS, rows)).buffer).row_groups;
  const encodings = new Map(
    group?.columns.map(({ meta_data }) => [meta_data?.path_in_schema.join(), meta_data?.encodings.join()]),
  );
  for (const name of ['leaf', 'entry_id', 's0', 'text_digest']) expect(encodings.get(name), name).not.toContain('DICT');
  for (const name of ['uid', 'stage', 'model']) expect(encodings.get(name), name).toContain('DICT');
});

test('each page has the checksum of zstd', () => {
  const bytes = Buffer.from(rowFile(ENTRY_COLUMNS, sampleRows()));
  const frame = Buffer.from('28b52ffd', 'hex');
  const flags: number[] = [];
  for (let at = bytes.indexOf(frame); at !== -1; at = bytes.indexOf(frame, at + 1))
    flags.push((bytes[at + 4] as number) & 4);
  expect(flags.length).toBeGreaterThanOrEqual(Object.keys(FEATURE_COLUMNS).length);
  expect(new Set(flags)).toEqual(new Set([4]));
});

test('a file without rows has the columns all the same', async () => {
  const bytes = rowFile(TEXT_COLUMNS, []);
  expect(await readByDuckDb(bytes)).toEqual([]);
  expect(parquetMetadata(new Uint8Array(bytes).buffer).row_groups).toEqual([]);
});

test('a file that is written and taken in parts is the same file', async () => {
  const rows = sampleRows();
  const file = openRowFile(ENTRY_COLUMNS);
  const parts: Uint8Array[] = [];
  for (const part of [rows.slice(0, 20), [], rows.slice(20)]) {
    file.write(part);
    parts.push(file.take());
  }
  file.finish();
  parts.push(file.take());
  expect(parts.slice(0, 3).map(({ length }) => length > 0)).toEqual([true, false, true]);
  expect((await readByDuckDb(Buffer.concat(parts))).map(asBuffers)).toEqual(rows.map(asBuffers));
});
