import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { bodyOf } from '../../../functions/ailog/bodyOf.ts';
import { type FeatureRow, featureRow, PoisonedEntry } from '../../../functions/features/featureRow.ts';
import { ENTRY_COLUMNS, openRowFile } from '../../../functions/features/rowFile.ts';
import { namingFile, removedAtExit, requireNoFile, writeFully } from '../../shell/files/write.ts';
import type { EntryPage } from '../entries/entriesReader.ts';
import { type ExportCounts, isLate, NO_COUNTS } from './exportPage.ts';

/** The rows, and the characters of bodies, after which a row group ends. */
const GROUP_ROWS = 20_000;
const GROUP_CHARACTERS = 16 * 1024 * 1024;

type Row = FeatureRow & { readonly body?: string };

/** Writes a file under another name, and gives it its name when it is whole. @throws Failure if the file exists */
export async function writeWhole<Result>(path: string, write: (part: string) => Promise<Result>): Promise<Result> {
  requireNoFile([path]);
  const part = `${path}.part`;
  const remove = removedAtExit(part);
  try {
    const result = await write(part);
    requireNoFile([path]);
    renameSync(part, path);
    return result;
  } finally {
    remove();
  }
}

/**
 * Writes the feature rows of entries to a Parquet file, with their bodies if wanted.
 * @param options `began`: when the export began, in milliseconds since 1970 @returns `damaged`: entries without a row
 */
export async function exportParquet(
  pages: AsyncIterable<EntryPage>,
  path: string,
  { bodies, began }: { bodies: boolean; began: number },
): Promise<ExportCounts> {
  const { types, nullable } = ENTRY_COLUMNS;
  const parquet = openRowFile<Row>({ types: bodies ? { ...types, body: 'VARCHAR' } : types, nullable } as never);
  const counts = { ...NO_COUNTS };
  const file = openSync(path, 'w', 0o600);
  const save = () => writeFully(path, file, parquet.take());
  let rows: Row[] = [];
  let characters = 0;
  const endGroup = () => {
    parquet.write(rows);
    save();
    rows = [];
    characters = 0;
  };
  try {
    for await (const { entries } of pages) {
      for (const entry of entries) {
        if (isLate(entry, began)) {
          counts.late += 1;
          continue;
        }
        try {
          const { row } = featureRow(entry);
          const body = bodies ? bodyOf(entry).toString() : undefined;
          rows.push({ ...row, ...(body !== undefined && { body }) });
          characters += body?.length ?? 0;
          counts.entries += 1;
        } catch (error) {
          if (!(error instanceof PoisonedEntry)) throw error;
          counts.damaged += 1;
        }
        if (rows.length >= GROUP_ROWS || characters >= GROUP_CHARACTERS) endGroup();
      }
    }
    endGroup();
    parquet.finish();
    save();
    namingFile(path, () => fsyncSync(file));
    return counts;
  } finally {
    closeSync(file);
  }
}
