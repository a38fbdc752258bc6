import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openReview, type ReviewOptions } from '../../review/figures/openReview.ts';
import type { OrderFile } from '../../review/orders/order.ts';
import { countRows, filesOf, type Manifest, openStore } from '../../review/rows/rowStore.ts';
import { openTables, readFiles } from '../../review/rows/rowTables.ts';
import { Failure, failureOf } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { quoted } from '../../store/duckdb/duckdb.ts';
import type { Target } from '../../store/targets/target.ts';
import { workApart } from './processes.ts';

/** The memory of the engine, which only reads, in megabytes. */
const MEMORY = 300;

export type ViewOptions = Pick<ReviewOptions, 'within' | 'childGap' | 'announced' | 'since' | 'until' | 'zone'>;

/** `number` counts the views of this process, from 1 on; `folder` has files of this process. */
type ViewContent = Readonly<{ number: number; manifest: Manifest; orders: readonly NamedOrders[]; folder: string }>;

/** An order list with the name that people see. Its path is absolute. */
export type NamedOrders = OrderFile & { readonly name: string };

/** The rows of a manifest, which can be searched at once, and all figures on them. Later rows need another view. */
export type View = Awaited<ReturnType<typeof openView>>;

export type Figures = Awaited<View['figures']>;

export async function openView(
  terminal: Terminal,
  target: Target,
  { number, manifest, orders, folder }: ViewContent,
  options: ViewOptions,
) {
  const store = openStore(target);
  const engine = await openTables(store, manifest, MEMORY);
  const notes: string[] = [];
  // A list that was dropped onto the page is in a file of this process.
  const named = (text: string) => orders.reduce((part, { path, name }) => part.replaceAll(path, name), text);
  const noting = { ...terminal, note: (text: string) => void notes.push(named(text)) };
  const rows = { engine, problems: manifest.problems, stored: { store, manifest } };
  const makeFigures = async () => {
    try {
      const review = await openReview(noting, target, rows, { ...options, lists: orders }, workApart(terminal.signal));
      return { ...review, number, engine, notes };
    } catch (error) {
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const { outcome, message, ...failure } = failureOf(error);
      const advice = isGone ? 'Leave the order list out, or add it again.' : failure.advice;
      throw new Failure(outcome, named(message).split('\n'), { cause: error, advice });
    }
  };
  const copyPath = join(folder, `texts-${number}.duckdb`);
  let copying: Promise<void> | undefined;
  let allTexts = 'texts';
  const copyTexts = async () => {
    await engine.run(`ATTACH ${quoted(copyPath)} AS copied`);
    await engine.run('CREATE TABLE copied.texts AS SELECT uid, search FROM texts');
    allTexts = 'copied.texts';
  };
  const days = Map.groupBy(filesOf(manifest, 'texts'), ({ name }) => dirname(name).split('=')[1] ?? '');
  return {
    engine,
    rows: countRows(manifest),
    manifest,
    figures: makeFigures(),
    /** The SQL of each day's texts, the newest first. */
    texts: [...days]
      .sort(([one], [other]) => (one < other ? 1 : -1))
      .map(([day, files]) => [day, () => readFiles(store, files)] as const),

    /** Returns the table of all texts. The first call has them copied: DuckDB's files are read faster than Parquet. */
    allTexts(): string {
      copying ??= copyTexts().catch(() => {});
      return allTexts;
    },

    async close(): Promise<void> {
      await copying;
      engine.close();
      rmSync(copyPath, { force: true });
    },
  };
}
