import { closeSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { openBrowser } from '../../console/server/openPage.ts';
import { serve } from '../../console/server/serve.ts';
import { createViews } from '../../console/server/views.ts';
import { reviewCommand } from '../../review/figures/reviewCommand.ts';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { withTarget } from '../../store/targets/target.ts';

function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number > 65_535) throw new InvalidArgumentError('A port is a number up to 65535.');
  return number;
}

export default (terminal: Terminal) =>
  reviewCommand('console', {
    summary: `Open a local web page to review all teams: a board, the timeline of each team, copies, a search.
It listens on this machine only, and prints a link that works once. It ends with Ctrl-C.`,
    examples: [
      ['console --orders orders.csv', 'compare with the orders of the exchange'],
      ['console --stack AiLogUpload-prod --no-open', 'only print the link'],
    ],
  })
    .option('--port <number>', 'the port on 127.0.0.1 (default: any that is free)', port)
    .option('--no-open', 'print the link, and open no browser')
    .option('--write', 'let the page record verdicts; otherwise it only reads')
    .action(async ({ orders = [], port = 0, open, write: canWrite = false, sync, json, ...rest }) => {
      const { within, childGap, since, until, timeZone: zone, ...where } = rest;
      const { local, stack, region, profile } = where;
      const targetOptions = [
        ...(local ? ['--local'] : []),
        ...Object.entries({ stack, region, profile }).flatMap(([name, value]) => (value ? [`--${name}`, value] : [])),
      ];
      const lists = orders.map((path) => ({ name: basename(path), path: resolve(terminal.cwd(), path) }));
      for (const { path } of lists) closeSync(openRegularFile(path));
      await withTarget(terminal, where, async (target) => {
        // Notes of single requests would flood the terminal, and no request decides about the exit code.
        const quiet = { ...terminal, note: () => {}, reportNegative: () => {}, reportUnchecked: () => {} };
        const figures = { within, childGap, since, until, zone };
        const syncArguments = sync ? ['data', 'sync', ...targetOptions] : undefined;
        const views = createViews(quiet, target, figures, { orders: lists, syncArguments });
        const { link, file, close } = await serve({ terminal: quiet, target, views, canWrite, targetOptions }, port);
        const stop = () => {
          close();
          views.stop();
        };
        terminal.signal.addEventListener('abort', stop, { once: true });
        try {
          if (json) await terminal.json({ url: link });
          else {
            await terminal.print(`Review console of ${target.name}, until Ctrl-C. The link works once: ${link}`);
            await terminal.print(`For another browser, open ${file}`);
          }
          if (open) openBrowser(file);
          await views.follow();
          await new Promise(() => {});
        } finally {
          stop();
        }
      });
    });
