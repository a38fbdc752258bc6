import { dirname, join, resolve } from 'node:path';
import { type Access, answerTimeout, readAccess, requestCommand } from '../delivery/access.ts';
import type { DeliveryTimeouts } from '../delivery/deliver.ts';
import { uploadFile } from '../delivery/uploadFile.ts';
import { listLogs, type Result, uploadFolder } from '../delivery/uploadFolder.ts';
import { watchFolder } from '../delivery/watchFolder.ts';
import { openJournal } from '../evidence/journal.ts';
import { RESULTS_FILE } from '../evidence/resultFile.ts';
import { orderId, span } from '../terminal/arguments.ts';
import { Failure } from '../terminal/failure.ts';
import type { Row } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted } from '../text/numbers.ts';
import { escapeHidden, visible } from '../text/visible.ts';

/** The time to retry a log that is not stored unless `--patience` is given, in milliseconds. */
const DEFAULT_PATIENCE_MS = 60_000;

interface FolderOptions extends DeliveryTimeouts {
  readonly results: string | undefined;
  readonly again: boolean;
  readonly earlierKeys: readonly string[];
  readonly watch: boolean;
  readonly json: boolean;
}

const rowOf = ({ file, status, entryId, says }: Result): Row => ({ status, file, entry: entryId, says });

/** Shows the results of a run: all of them, then those that are not stored, which would be lost in a long list. */
async function showResults(terminal: Terminal, results: readonly Result[]): Promise<void> {
  if (results.length > 0) await terminal.table(results.map(rowOf));
  const failed = results.filter(({ status }) => status !== 'stored');
  if (failed.length === 0 || failed.length === results.length) return;
  await terminal.print('\nNot stored:');
  await terminal.table(failed.map(rowOf));
}

/** Warns about stored logs that name no order. The competition requires the order of a log that led to one. */
function warnOfMissingOrders(
  terminal: Terminal,
  results: readonly Pick<Result, 'file' | 'status' | 'orderId' | 'warning'>[],
): void {
  const stored = results.filter(({ status }) => status === 'stored');
  for (const { file, warning } of stored) if (warning) terminal.note(`Warning: ${file}: ${warning}.`);
  const [first, ...others] = stored.filter(({ orderId, warning }) => orderId === null && warning === undefined);
  if (!first) return;
  const which = others.length === 0 ? `${first.file} names` : `${others.length + 1} logs, such as ${first.file}, name`;
  terminal.note(
    `Warning: ${which} no order. A log that led to an order must name it: "orderId" in the log, or --order.`,
  );
}

/** Says which stored logs have no receipt. Their uploads are valid, and only the service's word. */
function noteMissingReceipts(
  terminal: Terminal,
  results: readonly Pick<Result, 'file' | 'status' | 'receipt'>[],
): void {
  const [first, ...others] = results.filter(({ status, receipt }) => status === 'stored' && receipt === undefined);
  if (!first) return;
  const which =
    others.length === 0 ? `receipt for ${first.file}` : `receipts for ${others.length + 1} logs, such as ${first.file}`;
  terminal.note(`The service sent no ${which}.`);
}

/** Uploads a folder and shows the result of each log, even if the upload was interrupted. */
async function uploadAll(terminal: Terminal, access: Access, given: string, options: FolderOptions): Promise<void> {
  const { results, earlierKeys, watch, json, ...rest } = options;
  const folder = resolve(terminal.cwd(), given);
  const files = listLogs(folder);
  if (files.length === 0 && !watch) throw new Failure('usage', `There are no .json files in ${given}.`);

  const path = results === undefined ? join(folder, RESULTS_FILE) : resolve(terminal.cwd(), results);
  const journal = await openJournal(path, { ...access, earlierKeys });
  const done: Result[] = [];
  let before = 0;
  const show = (result: Result) => {
    if (json) return terminal.print(escapeHidden(JSON.stringify(result)));
    return terminal.print(visible(Object.values(rowOf(result)).filter(Boolean).join('  ')));
  };
  const upload = {
    ...rest,
    journal,
    done: (result: Result) => {
      done.push(result);
      if (watch) void show(result);
    },
    skipped: () => {
      before += 1;
    },
  };
  try {
    if (watch) terminal.note(`Watching ${given} for .json files. Ctrl-C stops.`);
    await (watch
      ? watchFolder(terminal, access, folder, upload)
      : uploadFolder(terminal, access, folder, files, upload));
  } finally {
    journal.close();
    if (!watch) await (json ? terminal.json(done) : showResults(terminal, done));
    warnOfMissingOrders(terminal, done);
    noteMissingReceipts(terminal, done);
    const stored = done.filter(({ status }) => status === 'stored').length;
    const counts = [
      `${stored} stored`,
      `${before} stored before`,
      `${done.length - stored} not stored`,
      ...(watch || done.length + before === files.length ? [] : [`${files.length - done.length - before} not tried`]),
    ];
    terminal.note(
      `${counted(watch ? done.length + before : files.length, 'log')}: ${counts.join(', ')}. Results: ${path}`,
    );
    if (stored < done.length) terminal.reportNegative();
  }
}

export default (terminal: Terminal) =>
  requestCommand('upload', {
    summary: 'Check, sign and send a log or a folder of logs, each once. The exit code is 0 only if all are stored.',
    examples: [
      ['upload log.json', 'upload one log, byte for byte'],
      ['upload log.json --order 590480926522704171', 'insert the order id'],
      ['upload log.json --receipt log.note', 'write its receipt to a file, also if it was stored before'],
      ['upload - < log.json', 'read the standard input'],
      ['upload --dir logs', 'upload every .json file in order; run it again to continue'],
      ['upload --dir logs --watch', 'go on with each new file until Ctrl-C'],
    ],
  })
    .argument('[file]', 'the log, JSON; - reads the standard input')
    .option('--order <id>', 'the id of its order, if the log does not have it', orderId)
    .option('--dir <folder>', 'upload the .json files of a folder, in order of their names')
    .option('--watch', 'with --dir: then upload each new file, until Ctrl-C')
    .option('--receipt <file>', 'write the receipt to this file too; the result file has it anyway')
    .option('--results <file>', `the result file (default: ${RESULTS_FILE} beside the logs)`)
    .option('--again', 're-upload logs that an earlier run may have stored; this can create a second entry')
    .option(
      '--earlier-key <key>',
      "an earlier access key of this team, whose results count as this team's; can be repeated",
      (key: string, before: readonly string[] | undefined) => [...(before ?? []), key],
    )
    .option('--patience <span>', 'time to retry a log that is not stored', span, DEFAULT_PATIENCE_MS)
    .action(
      async (file, { dir, watch, results, receipt, again, earlierKey, order, json, timeout, patience, ...where }) => {
        const wrong = (message: string) =>
          new Failure('usage', message, { advice: 'ailog upload --help shows the usage.' });
        if ((file === undefined) === (dir === undefined)) throw wrong('Give either a file or --dir.');
        if (dir === undefined && watch) throw wrong('--watch needs --dir.');
        if (file === '-' && (results ?? again ?? earlierKey) !== undefined) {
          throw wrong('--results, --again and --earlier-key need a file or --dir.');
        }
        if (dir !== undefined && order !== undefined) throw wrong('--order needs a file, not --dir.');
        if (dir !== undefined && receipt !== undefined) {
          throw wrong('--receipt needs a file, not --dir. The result file has the receipts of a folder.');
        }

        const common = {
          timeout: answerTimeout(timeout),
          patience,
          results,
          again: again ?? false,
          earlierKeys: earlierKey ?? [],
        };
        const access = readAccess(terminal, where);
        if (dir !== undefined) {
          return uploadAll(terminal, access, dir, { ...common, watch: watch ?? false, json: json ?? false });
        }
        const { rateLimit, ...uploaded } = await uploadFile(terminal, access, file as string, {
          ...common,
          order,
          receipt,
        });
        const { entryId, bodySha256, orderId: named, warning, attempts } = uploaded;
        const kept = uploaded.receipt;
        // The standard input has no result file, so its receipt must not get lost.
        const place =
          uploaded.receiptFile ??
          (file === '-' ? kept : `in ${results ?? join(dirname(file as string), RESULTS_FILE)}`);
        const shown = { status: 'stored', entryId, bodySha256, receipt: kept === undefined ? undefined : place };
        if (json) await terminal.json({ status: 'stored', ...uploaded, rateLimit });
        else await terminal.facts(shown, { full: true });
        if (attempts === 0) terminal.note(`${file} was stored before. Nothing was sent.`);
        const result: Result = {
          file: file === '-' ? 'the log' : (file as string),
          status: 'stored',
          orderId: named,
          ...(warning !== undefined && { warning }),
          ...(kept !== undefined && { receipt: kept }),
        };
        warnOfMissingOrders(terminal, [result]);
        if (attempts === 0 && kept === undefined) terminal.note(`The result file has no receipt of ${file}.`);
        else noteMissingReceipts(terminal, [result]);
        if (rateLimit) terminal.note(`Remaining quota: ${rateLimit}`);
      },
    );
