import type { Block, Blocks, Command, Context, Plan } from './defineCommand.ts';
import { Failure } from './failure.ts';
import type { Row } from './format.ts';
import { useProxy } from './proxy.ts';
import type { Terminal } from './terminal.ts';

export type Values = Readonly<Record<string, unknown>>;

export type Forms = Readonly<Record<'json' | 'csv' | 'yes' | 'dryRun', boolean>>;

async function showBlock(terminal: Terminal, block: Block, { words, forms = [] }: Command): Promise<void> {
  if (typeof block === 'string') return terminal.print(block);
  if ('text' in block) return terminal.write(block.text);
  if ('note' in block) return terminal.note(block.note);
  if ('facts' in block) return terminal.facts(block.facts, { full: block.full });
  if ('lines' in block) {
    for (const line of block.lines) await terminal.print(line, block.wrap);
    return;
  }
  if (!forms.includes('wide')) throw new Error(`${words} prints a table, and does not say that it can be wide`);
  const { table, ...options } = block;
  if (table.length > 0) await terminal.table(table, options);
}

async function showBlocks(terminal: Terminal, blocks: Blocks, command: Command): Promise<void> {
  for await (const block of blocks) await showBlock(terminal, block, command);
}

const isAsync = (value: unknown): value is AsyncIterable<Row> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const isRows = (value: unknown): value is Iterable<Row> | AsyncIterable<Row> =>
  isAsync(value) || (typeof value === 'object' && value !== null && Symbol.iterator in value);

type Lines = AsyncIterable<string> | Iterable<string>;

async function print(
  terminal: Terminal,
  command: Command,
  { json, csv }: Forms,
  { value, lines, text }: { readonly value: unknown; readonly lines?: Lines | undefined; readonly text: () => Blocks },
): Promise<void> {
  if (csv) {
    const { csvLines } = await import('./printCsv.ts');
    const printed = lines ?? (isRows(value) ? csvLines(value) : undefined);
    if (!printed) throw new Failure('usage', 'This answer is no list of rows: leave out --csv.');
    for await (const line of printed) await terminal.write(line);
    return;
  }
  if (json) return isAsync(value) ? terminal.jsonArray(value) : terminal.json(value);
  await showBlocks(terminal, text(), command);
}

async function answer(
  terminal: Terminal,
  command: Command,
  { asked, forms, opened }: { readonly asked: Values; readonly forms: Forms; readonly opened: object },
): Promise<void> {
  const remarks: string[] = [];
  let failure: { readonly error: unknown } | undefined;
  const context: Context = {
    terminal,
    dryRun: forms.dryRun,
    remark: (sentence) => void remarks.push(sentence),
    endWith(error) {
      failure = { error };
    },
  };
  const printAnswer = async (value: unknown) =>
    print(terminal, command, forms, {
      value: command.json && (forms.json || (forms.csv && !command.csv)) ? await command.json(value as never) : value,
      lines: forms.csv ? command.csv?.(value as never, asked as never) : undefined,
      text: () => command.shows?.(value as never, asked as never) ?? [],
    });
  const ran = await command.run(asked as never, { ...opened, ...context } as never);
  if (command.shape === 'answer') await printAnswer(ran);
  else {
    const { plan, questions = [], apply } = ran as Plan<unknown, unknown>;
    const text = () => command.plans?.(plan as never, asked as never) ?? [];
    const open = questions.filter((question) => (typeof question === 'string' ? !forms.yes : !question.given));
    if (apply === undefined || forms.dryRun) {
      await print(terminal, command, forms, { value: plan, text });
      if (apply) remarks.push('Nothing was changed: --dry-run.');
    } else {
      // A question has no place in the answer of a program that reads it.
      if (open.length > 0 && !forms.json && !forms.csv) await showBlocks(terminal, text(), command);
      for (const question of open) {
        if (typeof question === 'string') await terminal.confirm(question);
        else await terminal.confirm(question.ask, question.option);
      }
      await printAnswer(await apply());
    }
  }
  for (const sentence of remarks) terminal.note(sentence);
  if (failure) throw failure.error;
}

/** Runs a command: opens what it works on, asks, prints its answer, and closes. @throws Failure */
export async function runCommand(terminal: Terminal, command: Command, asked: Values, forms: Forms): Promise<void> {
  if (forms.json && forms.csv) throw new Failure('usage', 'Give either --json or --csv, not both.');
  command.check?.(asked as never);
  const unused = useProxy(terminal.env);
  if (unused !== undefined) terminal.note(unused);
  const work = async (opened: object) => {
    if (command.shape !== 'terminal') return answer(terminal, command, { asked, forms, opened });
    await command.run({ ...asked, json: forms.json } as never, { ...opened, terminal } as never);
  };
  await (command.on ? command.on.use(terminal, asked as never, work) : work({}));
}
