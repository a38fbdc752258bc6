import { closeSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { openBrowser } from '../../console/server/openPage.ts';
import type { NamedOrders, ViewOptions } from '../../console/server/openView.ts';
import { serve } from '../../console/server/serve.ts';
import { createViews } from '../../console/server/views.ts';
import { CHILD_GAP_MS, CHILDREN, WITHIN_MS } from '../../review/figures/limits.ts';
import { noSync } from '../../review/rows/openRows.ts';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import { count, date, offset, span, texts } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number > 65_535) throw new InvalidArgumentError('A port is a number up to 65535.');
  return number;
}

interface ConsoleRun {
  /** How the figures are made. */
  readonly figures: ViewOptions;
  readonly lists: readonly NamedOrders[];
  readonly port: number;
  readonly open: boolean;
  readonly write: boolean;
  readonly sync: boolean;
  readonly json: boolean | undefined;
  /** The options that select the target, for commands of their own. */
  readonly targetOptions: readonly string[];
}

/** Serves the console until Ctrl-C. */
async function runConsole(terminal: Terminal, target: Target, run: ConsoleRun): Promise<void> {
  const { figures, lists, port, open, write, sync, json, targetOptions } = run;
  // Notes of single requests would flood the terminal, and no request decides about the exit code.
  const quiet = { ...terminal, note: () => {}, reportNegative: () => {}, reportUnchecked: () => {} };
  const syncArguments = sync ? ['data', 'sync', ...targetOptions] : undefined;
  const views = createViews(quiet, target, figures, { orders: lists, syncArguments });
  const { link, file, close } = await serve({ terminal: quiet, target, views, canWrite: write, targetOptions }, port);
  const stop = () => {
    close();
    views.stop();
  };
  terminal.signal.addEventListener('abort', stop, { once: true });
  if (json) await terminal.json({ url: link });
  else {
    await terminal.print(`Review console of ${target.name}, until Ctrl-C. The link works once: ${link}`);
    await terminal.print(`For another browser, open ${file}`);
  }
  if (open) openBrowser(file);
  await views.follow();
  await new Promise(() => {});
}

export default (terminal: Terminal) =>
  targetCommand('console', {
    summary: `Open a local web page to review all teams: a board, the timeline of each team, copies, a search.
It listens on this machine only, and prints a link that works once. It ends with Ctrl-C.`,
    examples: [
      ['console --orders orders.csv', 'compare with the orders of the exchange'],
      ['console --stack AiLogUpload-prod --no-open', 'only print the link'],
    ],
  })
    .option('--orders <file...>', 'the orders that need an AI log, as of report (repeatable)', texts)
    .option('--time-zone <offset>', 'the offset from UTC of order times without one (default: UTC)', offset)
    .option('--within <span>', 'a log later than this after its order is late', span, WITHIN_MS)
    .option(
      '--child-gap <span>',
      'an order this long after one that a log names may belong to it; 0: none does',
      span,
      CHILD_GAP_MS,
    )
    .option('--children <number>', 'the most orders that belong to one', count, CHILDREN)
    .option('--since <date>', 'the start of the period, as of report', date)
    .option('--until <date>', 'the end of the period, exclusive, as of report', date)
    .option('--port <number>', 'the port on 127.0.0.1 (default: any that is free)', port)
    .option('--no-open', 'print the link, and open no browser')
    .option('--write', 'let the page record verdicts; otherwise it only reads')
    .addOption(noSync())
    .action(async ({ orders = [], timeZone, since, until, port = 0, open, write = false, sync, json, ...rest }) => {
      const { within, childGap, children, local, stack, region, profile } = rest;
      const targetOptions = [
        ...(local ? ['--local'] : []),
        ...Object.entries({ stack, region, profile }).flatMap(([name, value]) => (value ? [`--${name}`, value] : [])),
      ];
      const lists = orders.map((path) => ({ name: basename(path), path: resolve(terminal.cwd(), path) }));
      for (const { path } of lists) closeSync(openRegularFile(path));
      const run = {
        figures: { within, childGap, children, since, until, zone: timeZone },
        lists,
        port,
        open,
        write,
        sync,
        json,
        targetOptions,
      };
      await withTarget(terminal, rest, (target) => runConsole(terminal, target, run));
    });
