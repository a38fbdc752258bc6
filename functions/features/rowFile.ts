import { constants, zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { FEATURE_COLUMNS, type FeatureRow, NULLABLE, type RowOf } from './featureRow.ts';

type ColumnType = (typeof FEATURE_COLUMNS)[keyof FeatureRow] | 'DOUBLE';

/** The columns of a file, in their order. Those of `nullable` can be null. */
export interface Columns<Row> {
  readonly types: Readonly<Record<keyof Row & string, ColumnType>>;
  readonly nullable?: readonly (keyof Row)[];
}

const PARQUET_TYPES = {
  VARCHAR: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  BIGINT: { type: 'INT64' },
  INTEGER: { type: 'INT32' },
  BOOLEAN: { type: 'BOOLEAN' },
  DOUBLE: { type: 'DOUBLE' },
  // Athena's documentation does not say that `binary` reads the form of fixed length.
  BINARY: { type: 'BYTE_ARRAY' },
} as const satisfies Record<ColumnType, Partial<SchemaElement>>;

export const ATHENA_TYPES = {
  VARCHAR: 'string',
  BIGINT: 'bigint',
  INTEGER: 'int',
  BOOLEAN: 'boolean',
  DOUBLE: 'double',
  BINARY: 'binary',
} as const satisfies Record<ColumnType, string>;

/** The columns of the files of feature rows, of folded texts (`search`, where `logs list TEXT` looks) and of leaves. */
export const ENTRY_COLUMNS: Columns<FeatureRow> = { types: FEATURE_COLUMNS, nullable: NULLABLE };
export const TEXT_COLUMNS = { types: { uid: 'VARCHAR', entry_id: 'VARCHAR', search: 'VARCHAR' } } as const;
export const LEAF_COLUMNS = { types: { index: 'BIGINT', leaf: 'BINARY' } } as const;

export type TextRow = RowOf<typeof TEXT_COLUMNS.types>;

/** Random values: a dictionary of them is never smaller, and takes half the time of a file to find out. */
const RANDOM = /^(leaf|entry_id|search|body|s\d+|\w+_digest)$/;

const compressors = {
  // The checksum of each page costs a thousandth of its bytes, and tells if one of them was changed since.
  ZSTD: (bytes: Uint8Array) =>
    zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } }),
};

/**
 * Opens a Parquet file that is written in parts, compressed with zstd. @returns `write` appends rows as a row group;
 * `take` returns the bytes since its last call; after `finish`, they end the file
 */
export function openRowFile<Row extends object>({ types, nullable = [] }: Columns<Row>) {
  const columns = Object.entries(types) as [keyof Row & string, ColumnType][];
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    codec: 'ZSTD',
    compressors,
    createdBy: 'ailog',
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(
        ([name, type]): SchemaElement => ({
          name,
          ...PARQUET_TYPES[type],
          repetition_type: nullable.includes(name) ? 'OPTIONAL' : 'REQUIRED',
        }),
      ),
    ],
  });
  return {
    write(rows: readonly Row[]): void {
      const columnData = columns.map(([name]) => ({
        name,
        data: rows.map((row) => row[name]),
        ...(RANDOM.test(name) && { encoding: 'PLAIN' as const }),
      }));
      if (rows.length > 0) file.write({ columnData, rowGroupSize: rows.length });
    },
    take(): Uint8Array {
      const bytes = writer.getBytes().slice();
      writer.index = 0;
      return bytes;
    },
    finish: (): void => void file.finish(),
  };
}

/** Returns rows as a Parquet file, see `openRowFile`. */
export function rowFile<Row extends object>(columns: Columns<Row>, rows: readonly Row[]): Uint8Array {
  const file = openRowFile(columns);
  file.write(rows);
  file.finish();
  return file.take();
}
