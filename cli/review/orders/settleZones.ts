import { basename } from 'node:path';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatTime } from '../../shell/text/time.ts';
import { countOf, type Engine, quoted, rowsOf } from '../../store/duckdb/duckdb.ts';
import { linesOf, NAMED } from './checkLines.ts';
import type { OrderFile } from './order.ts';
import type { OrderLines } from './orderColumns.ts';
import { isSkipped, isTwice, leaveZone } from './orderSql.ts';
import { findZone, labelOf, type StatedZone, textOfName } from './orderZones.ts';
import { shown } from './shown.ts';

const ZONES = 20;
const ZONE_UNITS = 100;

/** The owner and the name of a list. `zone`: that of times without one, such as `+08:00` and `Europe/Berlin`. */
export type ListFacts = Omit<OrderFile, 'path'> & Readonly<{ zone?: string | undefined }>;

/** @throws Failure that names the lines with times that the clocks of a named zone skipped */
async function refuseSkipped(engine: Engine, path: string, zone: string, where: string): Promise<void> {
  const skipped = `listed WHERE ${where} AND ${isSkipped(zone)}`;
  const query = `SELECT line, placed_at AS at FROM ${skipped} ORDER BY line LIMIT ${NAMED}`;
  const lines = await rowsOf<{ line: number; at: number }>(engine, query);
  if (lines.length === 0) return;
  const texts = lines.map(({ line, at }) => `Line ${line}: ${formatTime(at).replace(/[TZ]/g, ' ').trim()}.`);
  const what = `has times that the clocks of ${zone} skipped, when they went forward:`;
  throw new Failure('usage', [`${path} ${what}`, ...linesOf(texts, await countOf(engine, skipped))], {
    advice: 'The list has another time zone: give it by --time-zone.',
  });
}

/**
 * Moves the times without a zone from UTC to the zone of the list: the given one, else that of a column, or what the
 * heading, the text beside the orders or the file's name states, or else UTC.
 * @returns the zones of times without one, and whence they come; how many times occurred twice, when clocks went back;
 * and what the list says of its zone, if --time-zone says something else (`overridden`)
 * @throws Failure if what they state is not clear, or if the clocks of the zone skip a time
 */
export async function settleZones(
  engine: Engine,
  path: string,
  { columns, stated: beside }: OrderLines,
  { zone, name = basename(path) }: ListFacts,
): Promise<{ zones: readonly StatedZone[]; twice: number; overridden?: string }> {
  const question = (problem: string) =>
    new Failure('usage', `${path} ${problem}`, {
      advice: 'Say it: --time-zone with an offset, such as +08:00, or a name, such as Asia/Shanghai.',
    });
  const heading = columns.headings.time ?? '';
  const { stated, question: problem } = findZone([
    { text: textOfName(heading), from: `the heading ${shown(heading)}`, isOfTimes: true },
    ...beside,
    { text: textOfName(name), from: "the file's name", isName: true },
  ]);
  const column = `the column ${shown(columns.headings.zone ?? '')}`;
  const cells = `listed WHERE lacks_zone AND coalesce(zone, '') <> ''`;
  const query = `SELECT DISTINCT zone FROM ${cells} ORDER BY 1 LIMIT ${ZONES + 1}`;
  const named = await rowsOf<{ zone: string }>(engine, query);
  if (!zone && named.length > ZONES) throw question(`has more than ${ZONES} time zones in ${column}.`);
  let twice = 0;
  const leave = async (from: string, where: string): Promise<void> => {
    if (from.includes('/')) {
      await refuseSkipped(engine, path, from, where);
      twice += await countOf(engine, `listed WHERE ${where} AND ${isTwice(from)}`);
    }
    await engine.run(leaveZone(from, where));
  };
  const zones: StatedZone[] = [];
  for (const { zone: cell } of zone ? [] : named) {
    const of = cell.length > ZONE_UNITS ? {} : findZone([{ text: cell, from: column, isOfTimes: true }]);
    const none = `has no time zone in ${column}: ${shown(cell.slice(0, ZONE_UNITS))}.`;
    if (!of.stated) throw question(of.question ?? none);
    zones.push(of.stated);
    await leave(of.stated.zone, `lacks_zone AND zone = ${quoted(cell)}`);
  }
  const rest = zone ? 'lacks_zone' : `lacks_zone AND coalesce(zone, '') = ''`;
  if ((await countOf(engine, `listed WHERE ${rest}`)) === 0) return { zones, twice };
  if (!zone && problem !== undefined) throw question(problem);
  const used = zone ? { zone, from: '--time-zone' } : (stated ?? { zone: '+00:00', from: '' });
  await leave(used.zone, rest);
  const others = [
    ...(stated && stated.zone !== zone ? [`${labelOf(stated.zone)} from ${stated.from}`] : []),
    ...(named.length > 0 ? [`those of ${column}`] : []),
  ];
  return { zones: [...zones, used], twice, ...(zone && others.length > 0 && { overridden: others.join('; ') }) };
}
