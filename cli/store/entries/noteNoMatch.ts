import type { Terminal } from '../../shell/terminal/terminal.ts';
import type { Target } from '../targets/target.ts';
import { entriesReader } from './entriesReader.ts';
import type { EntryFilter } from './entryFilter.ts';
import { readPages } from './readPages.ts';

const NAMED_VALUES = 20;

/** Notes that no entry matches a filter, and what `noteValues` notes. */
export function noteNoMatch(terminal: Terminal, target: Target, filter: EntryFilter): Promise<void> {
  terminal.note('No entry matches.');
  return noteValues(terminal, target, filter);
}

/** Notes which stages and models the entries have that match the rest of a filter, if it has a stage or a model. */
export async function noteValues(terminal: Terminal, { db, tables }: Target, wanted: EntryFilter): Promise<void> {
  const { stage, model, ...filter } = wanted;
  if (stage === undefined && model === undefined) return;
  const values = { stages: new Set<string>(), models: new Set<string>() };
  for await (const { entries } of readPages(terminal, entriesReader(db, tables.aiLogs), filter)) {
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
