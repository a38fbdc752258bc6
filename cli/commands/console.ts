import { closeSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { openDrafts } from '../console/server/drafts.ts';
import { openBrowser } from '../console/server/openPage.ts';
import { serve } from '../console/server/serve.ts';
import { createViews } from '../console/server/views.ts';
import { reviewOptions } from '../review/figures/reviewOptions.ts';
import { applyRules } from '../review/figures/rules.ts';
import { noSync } from '../review/rows/openRows.ts';
import { openRegularFile } from '../shell/files/openRegularFile.ts';
import { isPort, WrongArgument } from '../shell/terminal/arguments.ts';
import { defineTerminalCommand } from '../shell/terminal/defineCommand.ts';
import { onTarget } from '../store/targets/target.ts';

function port(text: string): number {
  if (!isPort(text)) throw new WrongArgument('A port is a number up to 65535.');
  return Number(text);
}

export default defineTerminalCommand({
  words: 'console',
  for: 'Reviewers',
  summary: 'Open a local web page to review all teams.',
  details: `It has a board, the timeline of each team, copies and a search.
It listens on this machine only, and prints a link that works once. It ends with Ctrl-C.`,
  examples: [
    ['console --orders orders.csv', 'compare with the orders of the exchange'],
    ['console --stack AiLogUpload-prod --no-open', 'only print the link'],
  ],
  options: {
    ...reviewOptions,
    sync: noSync,
    port: { flags: '--port <number>', help: 'the port on this machine (default: any that is free)', read: port },
    open: { flags: '--no-open', help: 'print the link, and open no browser' },
    canWrite: { flags: '--write', help: 'let the page record verdicts; otherwise it only reads' },
  },
  on: onTarget,
  async run({ orders = [], port: number = 0, open, canWrite, sync, json, ...figures }, { target, where, terminal }) {
    const { local, stack, region, profile } = where;
    const targetOptions = [
      ...(local ? ['--local'] : []),
      ...Object.entries({ stack, region, profile }).flatMap(([name, value]) => (value ? [`--${name}`, value] : [])),
    ];
    const lists = orders.map((path) => ({ name: basename(path), path: resolve(terminal.cwd(), path) }));
    for (const { path } of lists) closeSync(openRegularFile(path));
    // Notes of single requests would flood the terminal, and no request decides about the exit code.
    const quiet = { ...terminal, note: () => {}, reportNegative: () => {}, reportUnchecked: () => {} };
    const { since, until, zone, rules } = figures;
    const limits = { ...applyRules(rules && resolve(terminal.cwd(), rules), figures), since, until, zone };
    const syncArguments = sync ? ['data', 'sync', ...targetOptions] : undefined;
    const views = createViews(quiet, target, limits, { orders: lists, syncArguments });
    const { link, file, close } = await serve(
      { terminal: quiet, target, views, drafts: openDrafts(target), canWrite, targetOptions },
      number,
    );
    const stop = () => {
      close();
      views.stop();
    };
    terminal.signal.addEventListener('abort', stop, { once: true });
    try {
      if (json) await terminal.json({ url: link });
      else {
        await terminal.print(`Review console of ${target.name}, until Ctrl-C. The link works once: ${link}`);
        await terminal.print(`For Safari or another browser, open ${file}`);
      }
      if (open) openBrowser(file);
      await views.follow();
      await new Promise(() => {});
    } finally {
      stop();
    }
  },
});
