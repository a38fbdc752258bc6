import { join, resolve } from 'node:path';
import { orderId, span } from '../terminal/arguments.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Access, readAccess } from './access.ts';
import { answerTimeout, requestCommand } from './accessCommand.ts';
import type { DeliveryTimeouts } from './deliver.ts';
import { openJournal } from './journal.ts';
import { uploadFile } from './uploadFile.ts';
import { listLogs, type Result, uploadFolder } from './uploadFolder.ts';

/** The time to retry a log that is not stored unless `--patience` is given, in milliseconds. */
const DEFAULT_PATIENCE_MS = 60_000;
const RESULTS_FILE = 'ailog-results.jsonl';

/** The options of the upload of a folder. */
interface FolderOptions extends DeliveryTimeouts {
  readonly results: string | undefined;
  readonly again: boolean;
  readonly json: boolean;
}

/** Uploads a folder and shows the result of each log, even if the upload was interrupted. */
async function uploadAll(terminal: Terminal, access: Access, given: string, options: FolderOptions): Promise<void> {
  const folder = resolve(terminal.cwd(), given);
  const total = listLogs(folder).length;
  if (total === 0) throw new Failure('usage', `There are no .json files in ${given}.`);

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
  const failed = done.length - stored;
  terminal.note(
    `${total} logs: ${stored} stored, ${total - done.length} stored before, ${failed} not stored. Results: ${path}`,
  );
  if (failed > 0) terminal.reportNegative();
}

export const uploadLogs = (terminal: Terminal) =>
  requestCommand('upload', {
    summary: 'Check, sign and send a log or a folder of logs. The exit code is 0 only if all are stored.',
    examples: [
      ['upload log.json', 'upload one log, byte for byte'],
      ['upload log.json --order 590480926522704171', 'insert the order id'],
      ['upload - < log.json', 'read the standard input'],
      ['upload --dir logs', 'upload every .json file in order; run it again to continue'],
    ],
  })
    .argument('[file]', 'the log, JSON; - reads the standard input')
    .option('--order <id>', 'the id of its order, if the log does not have it', orderId)
    .option('--dir <folder>', 'upload the .json files of a folder, in order of their names')
    .option('--results <file>', `with --dir: the result file (default: ${RESULTS_FILE} in the folder)`)
    .option('--again', 'with --dir: re-upload logs that an earlier run may have stored; this can create a second entry')
    .option('--patience <span>', 'time to retry a log that is not stored (default: 1m)', span)
    .action(async (file, { dir, results, again, order, json, timeout, patience, ...where }) => {
      const wrong = (message: string) =>
        new Failure('usage', message, { advice: 'ailog upload --help shows the usage.' });
      if ((file === undefined) === (dir === undefined)) throw wrong('Give either a file or --dir.');
      if (dir === undefined && (results ?? again) !== undefined) throw wrong('--results and --again need --dir.');
      if (dir !== undefined && order !== undefined) throw wrong('--order needs a file, not --dir.');

      const waits = { timeout: answerTimeout(timeout), patience: patience ?? DEFAULT_PATIENCE_MS };
      const access = readAccess(terminal, where);
      if (dir !== undefined) {
        return uploadAll(terminal, access, dir, { ...waits, results, again: again ?? false, json: json ?? false });
      }
      const { entry, digest, ...more } = await uploadFile(terminal, access, file as string, { ...waits, order });
      if (json) return terminal.json({ entry, digest, ...more });
      await terminal.table([{ entry, digest }]);
      if (more.rateLimit) terminal.note(`Remaining quota: ${more.rateLimit}`);
    });
