import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { openJournal, RESULTS_FILE } from '../proof/evidence/journal.ts';
import { orderId, span } from '../shell/terminal/arguments.ts';
import { defineTerminalCommand, type OptionValues } from '../shell/terminal/defineCommand.ts';
import { Failure } from '../shell/terminal/failure.ts';
import type { Row } from '../shell/terminal/format.ts';
import { PROGRAM } from '../shell/terminal/programName.ts';
import type { Terminal } from '../shell/terminal/terminal.ts';
import { counted } from '../shell/text/numbers.ts';
import { escapeHidden, visible } from '../shell/text/visible.ts';
import { type Access, onService } from '../upload/access.ts';
import { describeRounded, isRounded } from '../upload/roundedOrders.ts';
import { type FileUpload, type UploadOptions, uploadFile } from '../upload/uploadFile.ts';
import { listLogs, type Result, requireLogs, uploadFolder, watchFolder } from '../upload/uploadFolder.ts';

const OPTIONS = {
  order: { flags: '--order <id>', help: 'the id of its order, if the log does not have it', read: orderId },
  dir: { flags: '--dir <folder>', help: 'upload the .json files of a folder, in order of their names' },
  watch: { flags: '--watch', help: 'with --dir: then upload each new file, until Ctrl-C' },
  results: { flags: '--results <file>', help: `the result file (default: ${RESULTS_FILE} beside the logs)` },
  again: {
    flags: '--again',
    help: 're-upload logs that an earlier run may have stored; this can create a second entry',
  },
  patience: { flags: '--patience <span>', help: 'time to retry a log that is not stored', read: span, default: 60_000 },
} as const;

const rowOf = ({ file, status, entryId, says }: Result): Row => ({ status, file, entry: entryId, says });

/** Shows all results of a run, then again the logs that are not stored, which a long list would hide. */
async function showResults(terminal: Terminal, results: readonly Result[]): Promise<void> {
  if (results.length > 0) await terminal.table(results.map(rowOf), { wraps: true });
  const failed = results.filter(({ status }) => status !== 'stored');
  if (failed.length === 0 || failed.length === results.length) return;
  await terminal.print('\nNot stored:');
  await terminal.table(failed.map(rowOf), { wraps: true });
}

/** Warns about stored logs without an order or with a rounded one. The competition requires the order of a trade. */
function warnOfOrders(terminal: Terminal, results: readonly Result[]): void {
  const stored = results.filter(({ status }) => status === 'stored');
  const isFolder = stored.length > 1;
  for (const result of stored) {
    if (result.warning && !(isFolder && isRounded(result)))
      terminal.note(`Warning: ${result.file}: ${result.warning}`.replace(/[^?]$/, '$&.'));
  }
  const rounded = isFolder ? describeRounded(stored) : undefined;
  if (rounded) terminal.note(`Warning: ${rounded}.`);
  const [first, ...others] = stored.filter(({ orderId, warning }) => orderId === null && warning === undefined);
  if (!first) return;
  const which = others.length === 0 ? `${first.file} names` : `${others.length + 1} logs, such as ${first.file}, name`;
  terminal.note(
    `Warning: ${which} no order. A log that led to an order must name it: "orderId" in the log, or --order.`,
  );
}

/** Says which stored logs have no receipt. Their uploads are valid, and only the service's word. */
function noteMissingReceipts(terminal: Terminal, results: readonly Result[]): void {
  const [first, ...others] = results.filter(({ status, receipt }) => status === 'stored' && receipt === undefined);
  if (!first) return;
  const many = `receipts for ${others.length + 1} logs, such as`;
  terminal.note(`The service sent no ${others.length === 0 ? 'receipt for' : many} ${first.file}.`);
}

async function uploadAll(
  terminal: Terminal,
  access: Access,
  given: string,
  { results, watch, json, ...rest }: UploadOptions & { watch: boolean; json: boolean },
): Promise<void> {
  const folder = resolve(terminal.cwd(), given);
  const files = watch ? listLogs(folder) : requireLogs(folder, given);

  const path = results === undefined ? join(folder, RESULTS_FILE) : resolve(terminal.cwd(), results);
  const journal = await openJournal(path, access);
  const all: Result[] = [];
  let before = 0;
  const show = (result: Result) => {
    if (json) return terminal.write(`${escapeHidden(JSON.stringify(result))}\n`);
    return terminal.print(visible(Object.values(rowOf(result)).filter(Boolean).join('  ')));
  };
  const done = async (result: Result) => {
    all.push(result);
    if (watch) await show(result);
  };
  const skipped = () => {
    before += 1;
  };
  const upload = { ...rest, journal, done, skipped };
  try {
    if (watch) {
      terminal.note(`Watching ${given} for .json files. Ctrl-C stops.`);
      await watchFolder(terminal, access, folder, upload);
    } else await uploadFolder(terminal, access, folder, files, upload);
  } finally {
    journal.close();
    try {
      if (!watch) await (json ? terminal.json(all) : showResults(terminal, all));
    } finally {
      warnOfOrders(terminal, all);
      noteMissingReceipts(terminal, all);
      const stored = all.filter(({ status }) => status === 'stored').length;
      const total = watch ? all.length + before : files.length;
      const untried = total - all.length - before;
      const counts = [`${stored} stored`, `${before} stored before`, `${all.length - stored} not stored`];
      if (untried > 0) counts.push(`${untried} not tried`);
      terminal.note(`${counted(total, 'log')}: ${counts.join(', ')}. Results: ${path}`);
      if (stored < all.length) terminal.reportNegative();
    }
  }
}

type Given = OptionValues<typeof OPTIONS> & { readonly file: string | undefined };

function requireFitting({ file, order, dir, watch, results, again }: Given): void {
  const mistakes: readonly [isMade: boolean, message: string][] = [
    [(file === undefined) === (dir === undefined), 'Give either a file or --dir.'],
    [dir === undefined && watch, '--watch needs --dir.'],
    [file === '-' && (results !== undefined || again), '--results and --again need a file or --dir.'],
    [dir !== undefined && order !== undefined, '--order needs a file, not --dir.'],
  ];
  const [, mistake] = mistakes.find(([isMade]) => isMade) ?? [];
  if (mistake) throw new Failure('usage', mistake, { advice: `${PROGRAM} upload --help shows the usage.` });
}

async function uploadOne(
  terminal: Terminal,
  access: Access,
  file: string,
  { json, ...options }: FileUpload & { json: boolean },
): Promise<void> {
  if (file !== '-' && statSync(resolve(terminal.cwd(), file), { throwIfNoEntry: false })?.isDirectory()) {
    throw new Failure('usage', `${file} is a folder, not a file.`, { advice: `Upload its logs with --dir ${file}.` });
  }
  const { rateLimit, ...uploaded } = await uploadFile(terminal, access, file, options);
  const { entryId, bodySha256, receipt, attempts } = uploaded;
  // The standard input has no result file, so its receipt must not get lost.
  const place = receipt && (file === '-' ? receipt : `in ${options.results ?? join(dirname(file), RESULTS_FILE)}`);
  const shown = json
    ? terminal.json({ status: 'stored', ...uploaded, rateLimit })
    : terminal.facts({ status: 'stored', entryId, bodySha256, receipt: place }, { full: true });
  await shown.catch((error) => {
    // The receipt of a log from the standard input is nowhere else.
    terminal.note(`The log is stored: entry ${entryId}${place ? `, receipt ${place}` : ''}.`);
    throw error;
  });
  if (attempts === 0) terminal.note(`${file} was stored before. Nothing was sent.`);
  const result: Result = { ...uploaded, file: file === '-' ? 'the log' : file, status: 'stored' };
  warnOfOrders(terminal, [result]);
  if (attempts === 0 && receipt === undefined) terminal.note(`The result file has no receipt of ${file}.`);
  else noteMissingReceipts(terminal, [result]);
  if (rateLimit) terminal.note(`Remaining quota: ${rateLimit}`);
}

export default defineTerminalCommand({
  words: 'upload',
  for: 'Teams',
  summary: 'Check, sign and send a log or a folder of logs, each once.',
  details: 'The exit code is 0 only if all are stored.',
  examples: [
    ['upload log.json', 'upload one log, byte for byte'],
    ['upload log.json --order 590480926522704171', 'insert the order id'],
    ['upload - < log.json', 'read the standard input'],
    ['upload --dir logs', 'upload every .json file in order; run it again to continue'],
    ['upload --dir logs --watch', 'go on with each new file until Ctrl-C'],
  ],
  args: { file: { name: '[file]', help: 'the log, JSON; - reads the standard input' } },
  options: OPTIONS,
  check: requireFitting,
  on: onService,
  forms: ['wide'],
  async run({ file, order, dir, watch, results, again, patience, json }, { access, timeout, terminal }) {
    const common = { timeout, patience, again, results };
    if (dir !== undefined) await uploadAll(terminal, access, dir, { ...common, watch, json });
    else if (file !== undefined) await uploadOne(terminal, access, file, { ...common, order, json });
  },
});
