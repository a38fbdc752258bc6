import { basename } from 'node:path';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatTime } from '../../shell/text/time.ts';
import { countOf, type Engine, quoted } from '../../store/duckdb/duckdb.ts';
import { linesOf, NAMED } from './checkLines.ts';
import type { OrderLines } from './orderColumns.ts';
import { isSkipped, isTwice, leaveZone } from './orderSql.ts';
import { findZone, labelOf, type StatedZone, textOfName } from './orderZones.ts';
import { shown } from './shown.ts';

/** The most zones of a list, and the most characters of one in a column. */
const ZONES = 20;
const ZONE_UNITS = 100;

/** The time zones of a list. */
export interface ListZones {
  /** The zones of times without one, and whence they come. Empty: all times have one. */
  readonly zones: readonly StatedZone[];
  /** What the list says of its zone, if --time-zone says something else. */
  readonly overridden?: string;
  /** The orders whose times occurred twice in a zone, when its clocks went back. */
  readonly twice: number;
}

/** What is known of a list besides its content. */
export interface ListFacts {
  /** The owner of all orders of a list without a UID. */
  readonly uid?: string | undefined;
  /** The zone of times without one: an offset, such as `+08:00`, or a name, such as `Europe/Berlin`. */
  readonly zone?: string | undefined;
  /** The name of the file, if its path has another one. */
  readonly name?: string | undefined;
}

/** @throws Failure that names the lines with times that the clocks of a named zone skipped */
async function refuseSkipped({ read }: Pick<Engine, 'read'>, path: string, zone: string, where: string): Promise<void> {
  const skipped = `listed WHERE ${where} AND ${isSkipped(zone)}`;
  const lines = await Array.fromAsync(
    read<{ line: number; at: number }>(`SELECT line, placed_at AS at FROM ${skipped} ORDER BY line LIMIT ${NAMED}`),
  );
  if (lines.length === 0) return;
  const texts = lines.map(({ line, at }) => `Line ${line}: ${formatTime(at).replace(/[TZ]/g, ' ').trim()}.`);
  const what = `has times that the clocks of ${zone} skipped, when they went forward:`;
  throw new Failure('usage', [`${path} ${what}`, ...linesOf(texts, await countOf({ read }, skipped))], {
    advice: 'The list has another time zone: give it by --time-zone.',
  });
}

/**
 * Moves the times without a zone from UTC to the zone of the list: the given one, else that of a column, or what the
 * heading, the text beside the orders or the file's name states, or else UTC.
 * @throws Failure if what they state is not clear, or if the clocks of the zone skip a time
 */
export async function settleZones(
  { run, read }: Engine,
  path: string,
  { columns, stated: beside }: OrderLines,
  { zone, name = basename(path) }: ListFacts,
): Promise<ListZones> {
  const all = <Row extends object>(query: string) => Array.fromAsync(read<Row>(query));
  const question = (problem: string) =>
    new Failure('usage', `${path} ${problem}`, {
      advice: 'Say it: --time-zone with an offset, such as +08:00, or a name, such as Asia/Shanghai.',
    });
  const heading = columns.headings.time ?? '';
  const { stated, question: problem } = findZone([
    { text: textOfName(heading), from: `the heading ${shown(heading)}`, isOfTimes: true },
    ...beside,
    { text: textOfName(name), from: "the file's name" },
  ]);
  const column = columns.headings.zone;
  const cells = `listed WHERE lacks_zone AND coalesce(zone, '') <> ''`;
  const named = await all<{ zone: string }>(`SELECT DISTINCT zone FROM ${cells} ORDER BY 1 LIMIT ${ZONES + 1}`);
  if (!zone && named.length > ZONES)
    throw question(`has more than ${ZONES} time zones in the column ${shown(column ?? '')}.`);
  let twice = 0;
  const leave = async (from: string, where: string): Promise<void> => {
    if (from.includes('/')) {
      await refuseSkipped({ read }, path, from, where);
      twice += await countOf({ read }, `listed WHERE ${where} AND ${isTwice(from)}`);
    }
    await run(leaveZone(from, where));
  };
  const zones: StatedZone[] = [];
  for (const { zone: cell } of zone ? [] : named) {
    const from = `the column ${shown(column ?? '')}`;
    const of = cell.length > ZONE_UNITS ? {} : findZone([{ text: cell, from, isOfTimes: true }]);
    const none = `has no time zone in ${from}: ${shown(cell.slice(0, ZONE_UNITS))}.`;
    if (!of.stated) throw question(of.question ?? none);
    zones.push(of.stated);
    await leave(of.stated.zone, `lacks_zone AND zone = ${quoted(cell)}`);
  }
  const rest = zone ? 'lacks_zone' : `lacks_zone AND coalesce(zone, '') = ''`;
  if ((await countOf({ read }, `listed WHERE ${rest}`)) === 0) return { zones, twice };
  if (!zone && problem !== undefined) throw question(problem);
  const used = zone ? { zone, from: '--time-zone' } : (stated ?? { zone: '+00:00', from: '' });
  await leave(used.zone, rest);
  const others = [
    ...(stated && stated.zone !== zone ? [`${labelOf(stated.zone)} from ${stated.from}`] : []),
    ...(named.length > 0 ? [`those of the column ${shown(column ?? '')}`] : []),
  ];
  return { zones: [...zones, used], twice, ...(zone && others.length > 0 && { overridden: others.join('; ') }) };
}
