import { join, resolve } from 'node:path';
import { orderId, span } from '../terminal/arguments.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Access, readAccess } from './access.ts';
import { accessCommand } from './accessCommand.ts';
import type { DeliveryTimeouts } from './deliver.ts';
import { openJournal } from './journal.ts';
import { uploadFile } from './uploadFile.ts';
import { logsIn, type Result, uploadFolder } from './uploadFolder.ts';

const TIMEOUT_MS = 10_000;
const DEFAULT_PATIENCE_MS = 60_000;
const RESULTS_FILE = 'ailog-results.jsonl';

/** What of a folder's upload is said at its end, and how it is said. */
interface FolderOptions extends DeliveryTimeouts {
  readonly results: string | undefined;
  readonly again: boolean;
  readonly json: boolean;
}

/** Uploads a folder and shows what became of its logs, of as many as it got to. */
async function uploadAll(terminal: Terminal, access: Access, given: string, options: FolderOptions): Promise<void> {
  const folder = resolve(terminal.cwd(), given);
  const total = logsIn(folder).length;
  if (total === 0) throw new Failure('usage', `There is no log in ${given}: their names end with .json.`);

  const { results, json, ...rest } = options;
  const path = results === undefined ? join(folder, RESULTS_FILE) : resolve(terminal.cwd(), results);
  const journal = openJournal(path);
  const done: Result[] = [];
  try {
    await uploadFolder(terminal, access, folder, { ...rest, journal, done: (result) => done.push(result) });
  } finally {
    journal.close();
    if (json) await terminal.json(done);
    else if (done.length > 0) {
      await terminal.table(done.map(({ file, result, entry, says }) => ({ result, file, entry, says })));
    }
  }
  const stored = done.filter(({ result }) => result === 'stored').length;
  const not = done.length - stored;
  terminal.note(`${total} logs: ${stored} stored now, ${total - done.length} before, ${not} not. Results: ${path}`);
  if (not > 0) terminal.reportNegative();
}

export const uploadLogs = (terminal: Terminal) =>
  accessCommand('upload', {
    summary: 'Check, sign and send a log, or a folder of them; 0 only where it is stored.',
    examples: [
      ['upload log.json', 'one log, as it is, byte for byte'],
      ['upload log.json --order 590480926522704171', 'with the order id put into it'],
      ['upload - < log.json', 'from the standard input'],
      ['upload --dir logs', 'every .json in logs, in order; run it again to go on'],
    ],
  })
    .argument('[file]', 'the log, JSON; - reads the standard input')
    .option('--url <url>', 'the base URL (default: AILOG_URL)')
    .option('--order <id>', 'the order it belongs to, where the log does not say', orderId)
    .option('--dir <folder>', 'upload the .json files of a folder, in the order of their names')
    .option('--results <file>', `with --dir: the result file (default: ${RESULTS_FILE} in the folder)`)
    .option('--again', 'with --dir: sign anew what an earlier run may have stored; it may become two entries')
    .option('--timeout <span>', 'how long to wait for an answer (default: 10s)', span)
    .option('--patience <span>', 'how long to go on with a log that is not stored (default: 1m)', span)
    .action(async (file, { dir, results, again, order, json, timeout, patience, ...where }) => {
      const wrong = (message: string) => new Failure('usage', message, { advice: 'ailog upload --help shows how.' });
      if ((file === undefined) === (dir === undefined)) throw wrong('Give either a file or --dir.');
      if (dir === undefined && (results ?? again) !== undefined) throw wrong('--results and --again belong to --dir.');
      if (dir !== undefined && order !== undefined) throw wrong('--order belongs to one log, not to a folder.');
      if (timeout === 0) throw wrong('--timeout must be longer than 0.');

      const access = readAccess(terminal, where);
      const waits = { timeout: timeout ?? TIMEOUT_MS, patience: patience ?? DEFAULT_PATIENCE_MS };
      if (dir !== undefined) {
        return uploadAll(terminal, access, dir, { ...waits, results, again: again ?? false, json: json ?? false });
      }
      const { entry, digest, ...more } = await uploadFile(terminal, access, file as string, { ...waits, order });
      if (json) return terminal.json({ entry, digest, ...more });
      await terminal.table([{ entry, digest }]);
      if (more.rateLimit) terminal.note(`Left of the quotas: ${more.rateLimit}`);
    });
