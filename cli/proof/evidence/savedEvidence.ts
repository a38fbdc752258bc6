import { closeSync, existsSync, fstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import { createFile } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { PROGRAM } from '../../shell/terminal/programName.ts';
import { quorumTime } from '../inclusion/publication.ts';
import type { PublicFiles } from '../inclusion/publicFiles.ts';
import { openFiles } from '../inclusion/publicLog.ts';
import type { EvidenceFormat } from './evidence.ts';
import { receiptEvidence } from './receiptEvidence.ts';
import { readSmallFile } from './smallFile.ts';

const FORMAT = 'ai-log-saved/v1';
const INDEX = 'saved.json';
const RECEIPTS = 'receipts';
const RECEIPT = /^receipts\/([\w-]+\.receipt)$/;
const LOG = 'log';

const ADVICE = `Give the folder as ${PROGRAM} verify --save wrote it.`;

/** What `saved.json` says: where the log was, when it was read, and when it had stored each file. */
interface Saved {
  readonly format: typeof FORMAT;
  readonly url: string;
  /** Milliseconds since 1970, by the clock of whoever saved it. */
  readonly savedAt: number;
  /**
   * The receipts, and the files of the log that were read; null: the log had no such file. Times in milliseconds since
   * 1970, if its server said when it had stored one.
   */
  readonly files: Readonly<Record<string, { readonly storedAt?: number | undefined } | null>>;
}

/** Passes reads on, and keeps what they return. */
export function recordFiles({ url, read }: PublicFiles) {
  const kept = new Map<string, Awaited<ReturnType<typeof read>>>();
  const recorded: PublicFiles = {
    url,
    async read(path, limit) {
      const file = await read(path, limit);
      kept.set(path, file);
      return file;
    },
  };
  return {
    recorded,

    /**
     * Writes receipts into a new folder, with the files of the log that were read: for others, who come to the same
     * verdict without the log. @param receipts their notes by entry ids @throws Failure if the folder exists
     */
    save(folder: string, receipts: ReadonlyMap<string, string>): void {
      if (statSync(folder, { throwIfNoEntry: false })) {
        throw new Failure('usage', `${folder} already exists.`, { advice: 'Give another folder: --save FOLDER.' });
      }
      const write = (path: string, content: string | Uint8Array) => {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        createFile(join(folder, path), content);
      };
      const pathOf = (entryId: string) => `${RECEIPTS}/${entryId}.receipt`;
      for (const [entryId, note] of receipts) write(pathOf(entryId), note);
      for (const [path, file] of kept) if (file) write(`${LOG}/${path}`, file.bytes);
      const files = [
        ...[...receipts.keys()].map((entryId) => [pathOf(entryId), {}]),
        ...[...kept].map(([path, file]) => [path, file ? { storedAt: file.storedAt } : null]),
      ];
      const saved: Saved = { format: FORMAT, url, savedAt: Date.now(), files: Object.fromEntries(files) };
      write(INDEX, `${JSON.stringify(saved, undefined, 2)}\n`);
    },
  };
}

/** Returns true if a path is a folder that `recordFiles` saved. */
export const isSaved = (path: string): boolean =>
  // Node 20 throws if a part of the path is a file.
  existsSync(join(path, INDEX));

/** Reads a part of a saved folder. @throws Failure if it is not there, or not what `recordFiles` wrote */
function readPart<Part>(folder: string, path: string, parse: (file: number) => Part): Part {
  try {
    const file = openRegularFile(join(folder, path));
    try {
      return parse(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new Failure('usage', `${join(folder, path)} cannot be read: ${(cause as Error).message}`, {
      advice: ADVICE,
      cause,
    });
  }
}

function parseIndex(file: number): Saved {
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  const { format, url, savedAt, files } = saved ?? {};
  if (
    format === FORMAT &&
    typeof url === 'string' &&
    Number.isSafeInteger(savedAt) &&
    typeof files === 'object' &&
    files
  )
    return saved;
  throw new Error(`It is not ${FORMAT}.`);
}

/**
 * A folder that `recordFiles` saved. With witnesses, what it says is as of the cosignatures on its checkpoint;
 * otherwise as of the time at which somebody says to have saved it.
 */
export const savedEvidence: EvidenceFormat = {
  name: 'saved folder',
  options: [],
  recognizes: () => false,
  async *verify({ path: folder }, context) {
    const { url, savedAt, files } = readPart(folder, INDEX, parseIndex);
    const read: PublicFiles['read'] = async (path, limit) => {
      const file = Object.hasOwn(files, path) ? files[path] : undefined;
      // The log had no such file when the folder was saved.
      if (file === null) return undefined;
      const bytes = readPart(folder, join(LOG, path), (descriptor) => {
        if (fstatSync(descriptor).size > limit) throw new Error(`It is longer than ${limit} bytes.`);
        return readFileSync(descriptor);
      });
      return { bytes, storedAt: Number.isSafeInteger(file?.storedAt) ? file?.storedAt : undefined };
    };
    const log = await openFiles({ url, read }, context.policy);
    const asOf = quorumTime(log.checkpoint, context.policy) ?? savedAt;
    // Whoever wrote the index could name files outside the folder.
    const receipts = Object.keys(files).flatMap((path) => RECEIPT.exec(path)?.[1] ?? []);
    if (receipts.length === 0) {
      throw new Failure('usage', `${join(folder, INDEX)} names no receipt.`, { advice: ADVICE });
    }
    for (const name of receipts.sort()) {
      const receipt = readSmallFile(join(folder, RECEIPTS, name));
      yield* receiptEvidence.verify(receipt, { ...context, logs: [{ ...log, isSaved: true, now: () => asOf }] });
    }
  },
};
