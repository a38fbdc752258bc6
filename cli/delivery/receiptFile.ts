import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { decodeReceiptHeader } from '../evidence/receiptNote.ts';
import { writeNew } from '../files/write.ts';
import { Failure } from '../terminal/failure.ts';

/** Returns the content of the file: the note, or the header itself if it is damaged, so that nothing is lost. */
function contentOf(header: string): string {
  try {
    return decodeReceiptHeader(header);
  } catch {
    return header;
  }
}

/**
 * Checks that a receipt can be written to a file, before the upload that gets it.
 * @param known the receipt of an earlier run. The file may have it already.
 * @returns a function that writes the value of AI-LOG-RECEIPT, and returns when it is on disk. It never overwrites a file.
 * @throws Failure if the file exists with anything else, or cannot be created
 */
export function prepareReceiptFile(path: string, known: string | undefined): (header: string) => void {
  try {
    if (existsSync(path)) {
      if (known !== undefined && readFileSync(path, 'utf8') === contentOf(known)) return () => {};
      throw new Failure('usage', `${path} exists already, and is not overwritten. Nothing was sent.`, {
        advice: 'Give another file: --receipt FILE.',
      });
    }
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    throw new Failure('usage', `The receipt cannot be written to ${path}: ${code}. Nothing was sent.`, {
      advice: 'Give a file in an existing folder: --receipt FILE.',
      cause,
    });
  }
  return (header) => writeNew([{ path, text: contentOf(header) }]);
}
