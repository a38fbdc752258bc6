import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';

interface Part<Row> {
  readonly columns?: readonly (keyof Row & string)[];
  readonly rowStart?: number;
  readonly rowEnd?: number;
}

/** Reads rows of a Parquet file, as `rowFile` writes it. */
export const readRows = <Row>(bytes: Uint8Array, { columns, ...range }: Part<Row> = {}): Promise<Row[]> =>
  parquetReadObjects({
    ...range,
    ...(columns && { columns: [...columns] }),
    file: { byteLength: bytes.length, slice: (start, end) => new Uint8Array(bytes.slice(start, end)).buffer },
    compressors: { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) },
    utf8: false,
  }) as Promise<Row[]>;
