import type { Terminal } from '../terminal/terminal.ts';
import type { entriesReader } from './entriesReader.ts';
import type { EntryFilter } from './entryFilter.ts';
import { readPages } from './readPages.ts';

/** The maximum number of values that are named. */
const NAMED_VALUES = 20;

/** Notes that no entry matches a filter, and which stages and models the other entries have if they were given. */
export async function noteNoMatch(
  terminal: Terminal,
  reader: ReturnType<typeof entriesReader>,
  { stage, model, ...filter }: EntryFilter,
): Promise<void> {
  terminal.note('No entry matches.');
  if (stage === undefined && model === undefined) return;
  const values = { stages: new Set<string>(), models: new Set<string>() };
  for await (const { entries } of readPages(terminal, reader, filter)) {
    for (const entry of entries) {
      values.stages.add(entry.stage);
      values.models.add(entry.model);
    }
  }
  for (const [name, found] of Object.entries(values)) {
    const more = found.size > NAMED_VALUES ? ` and ${found.size - NAMED_VALUES} more` : '';
    const named = [...found].sort().slice(0, NAMED_VALUES);
    if (found.size > 0) terminal.note(`The ${name} are: ${named.join(', ')}${more}.`);
  }
}
