import { useEffect, useRef, useState } from 'preact/hooks';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import type { Answer } from '../server/routes.ts';
import { AsTable, SHAPES, Shape } from './parts.tsx';
import { change } from './place.ts';
import { delayScale, delayTicks, timeTicks } from './scale.ts';

type Timeline = Answer<'timeline'>;
type Dot = Timeline['dots'][number];

/** Heights in CSS pixels: models, delays, a lane of what has no delay, the space above the lanes, counts, texts. */
const BANDS = 12;
const DELAYS = 154;
const LANE = 16;
const GAP = 6;
const COUNTS = 30;
const TEXTS = 16;

/** The width of the names of delays. */
const LEFT = 76;

/** The lanes below the delays: orders without a log of their own, and the silences. */
const LANES = ['child order', 'not named', 'no log', 'silence'];

/** The columns of counts, see `sql/columns.sql`. */
const COLUMNS = 120;

/** Where everything is, for drawing and for finding what is under the pointer. */
function layoutOf(timeline: Timeline, width: number) {
  const delays = timeline.dots.flatMap(({ delay }) => delay ?? []);
  const top = timeline.columns.some(({ model }) => model !== null) ? BANDS + 8 : 0;
  // A band or an axis without data gets no space.
  const bottom = top + (delays.length > 0 ? DELAYS : 0);
  const y = delayScale(delays, timeline, top, bottom);
  const used = new Set([...timeline.kinds.map(({ name }) => name), ...timeline.dots.map(({ timing }) => timing)]);
  const lanes = LANES.filter((lane) => used.has(lane));
  const laneOf = (lane: string) => bottom + GAP + LANE * (0.5 + lanes.indexOf(lane));
  const deepest = bottom + GAP + LANE * lanes.length;
  const x = (at: number) => LEFT + ((at - timeline.from) / (timeline.until - timeline.from)) * (width - LEFT - 8);
  const most = Math.max(...timeline.dots.map(({ value }) => value ?? 0), 1e-9);
  return {
    ...{ x, y, top, bottom, lanes, laneOf, deepest },
    height: deepest + COUNTS + TEXTS + 4,
    timeAt: (place: number) => timeline.from + ((place - LEFT) / (width - LEFT - 8)) * (timeline.until - timeline.from),
    dotAt: ({ at, delay, timing }: Dot) => [x(at), delay === null ? laneOf(timing) : y(delay)] as const,
    radiusOf: ({ value }: Dot) => (value === null ? 2.5 : 1.75 + 4.25 * Math.sqrt(value / most)),
  };
}

const INK: Readonly<Record<string, string>> = {
  late: '--mark',
  early: '--early',
  'no log': '--bad',
  'not named': '--warn',
  'child order': '--quiet',
  'in time': '--log',
};

function draw(canvas: HTMLCanvasElement, timeline: Timeline, at: string | undefined): void {
  const { clientWidth: width } = canvas;
  const { x, y, top, bottom, lanes, laneOf, deepest, height, dotAt, radiusOf } = layoutOf(timeline, width);
  const scale = devicePixelRatio;
  [canvas.width, canvas.height] = [width * scale, height * scale];
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
  const styles = getComputedStyle(canvas);
  const ink = (name: string) => styles.getPropertyValue(name);
  pen.scale(scale, scale);
  pen.font = '11px system-ui, "Open Sans", sans-serif';
  pen.textBaseline = 'middle';
  pen.fillStyle = ink('--gap');
  const inside = (at: number) => Math.max(LEFT, Math.min(width - 8, x(at)));
  for (const { from, until } of lanes.includes('silence') ? timeline.silences : []) {
    const [start = 0, end = 0] = [from, until].map((one) => inside(Date.parse(one ?? '')));
    pen.fillRect(start, laneOf('silence') - LANE / 2 + 2, end - start, LANE - 4);
  }
  pen.textAlign = 'right';
  for (const { ms, text, isLimit } of bottom > top ? delayTicks(timeline) : []) {
    const place = y(ms);
    if (place < top || place > bottom) continue;
    pen.fillStyle = ink(isLimit ? '--bad' : '--line');
    pen.fillRect(LEFT, Math.round(place), width - LEFT - 8, 1);
    pen.fillStyle = ink(isLimit ? '--bad' : '--quiet');
    pen.fillText(text, LEFT - 8, place);
  }
  pen.fillStyle = ink('--quiet');
  for (const lane of lanes) pen.fillText(lane, LEFT - 8, laneOf(lane));
  pen.fillText('UTC', LEFT - 8, height - 6);
  pen.textAlign = 'center';
  for (const [time, text] of timeTicks(timeline.from, timeline.until)) {
    pen.fillStyle = ink('--line');
    pen.fillRect(Math.round(x(time)), top, 1, height - top - TEXTS);
    pen.fillStyle = ink('--quiet');
    if (x(time) > LEFT + 12 && x(time) < width - 20) pen.fillText(text, x(time), height - 6);
  }
  drawColumns(pen, timeline, ink);
  for (const timing of Object.keys(INK)) {
    pen.strokeStyle = pen.fillStyle = ink(INK[timing] as string);
    pen.lineWidth = 1.5;
    pen.globalAlpha = timing === 'in time' ? 0.75 : 1;
    const all = new Path2D();
    const shape = new Path2D(SHAPES[timing]);
    for (const dot of timeline.dots) {
      if (dot.timing !== timing) continue;
      const [left, top] = dotAt(dot);
      const size = radiusOf(dot) / 4;
      all.addPath(shape, { a: size, d: size, e: left - 5 * size, f: top - 5 * size });
    }
    if (['no log', 'not named', 'child order'].includes(timing)) pen.stroke(all);
    else pen.fill(all);
  }
  pen.globalAlpha = 1;
  const chosen = timeline.dots.find(({ id }) => `o${id}` === at);
  const finding = timeline.findings.find(({ id }) => id === at);
  pen.strokeStyle = ink('--accent');
  pen.lineWidth = 2;
  pen.beginPath();
  if (chosen) pen.arc(...dotAt(chosen), radiusOf(chosen) + 4, 0, 7);
  else if (finding) pen.rect(x(finding.at), top, 0, deepest - top);
  pen.stroke();
}

/** Draws the model of most logs at the top, and the counts of orders and logs at the bottom. */
function drawColumns(pen: CanvasRenderingContext2D, { columns }: Timeline, ink: (name: string) => string): void {
  const { clientWidth: width, clientHeight: bottom } = pen.canvas;
  const models = [...new Set(columns.flatMap(({ model }) => model ?? []))];
  const each = (width - LEFT - 8) / COLUMNS;
  const most = Math.max(...columns.flatMap(({ orders, logs }) => [orders, logs]), 1);
  for (const { part, orders, logs, model } of columns) {
    const left = LEFT + part * each;
    pen.fillStyle = ink('--accent');
    pen.globalAlpha = model === null ? 0 : Math.max(0.15, 0.75 - 0.2 * models.indexOf(model));
    pen.fillRect(left, 0, each + 0.5, BANDS - 2);
    pen.globalAlpha = 1;
    for (const [place, count] of [orders, logs].entries()) {
      const height = (count / most) * COUNTS;
      pen.fillStyle = ink(place === 0 ? '--order' : '--log');
      pen.fillRect(left + (place * each) / 2, bottom - TEXTS - height, each / 2 - 0.5, height);
    }
  }
}

/** Describes an order under the pointer. */
function sayDot({ id, at, timing, delay, value }: Dot): string {
  const log = delay === null ? '' : `, log ${formatDuration(Math.abs(delay))} ${delay < 0 ? 'before' : 'after'} it`;
  return `Order ${id}, ${formatTime(at)}: ${timing}${log}${value === null ? '' : `, value ${value.toLocaleString('en')}`}`;
}

/** The orders of a team: when they were placed, and how long after them their logs were signed. */
export function Chart({ timeline, at }: { timeline: Timeline; at: string | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState<Dot>();
  const [start, setStart] = useState<number>();
  useEffect(() => {
    const redraw = () => canvas.current && draw(canvas.current, timeline, at);
    redraw();
    const ending = new AbortController();
    addEventListener('resize', redraw, ending);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw, ending);
    return () => ending.abort();
  }, [timeline, at]);
  const nearest = ({ offsetX, offsetY }: MouseEvent): Dot | undefined => {
    const { dotAt } = layoutOf(timeline, canvas.current?.clientWidth ?? 1);
    const near = timeline.dots
      .map((dot) => ({ dot, distance: Math.hypot(dotAt(dot)[0] - offsetX, dotAt(dot)[1] - offsetY) }))
      .filter(({ distance }) => distance < 14);
    return near.sort((one, other) => one.distance - other.distance)[0]?.dot;
  };
  const release = (event: MouseEvent) => {
    const { timeAt } = layoutOf(timeline, canvas.current?.clientWidth ?? 1);
    if (start !== undefined && Math.abs(event.offsetX - start) > 8) {
      const [from = 0, until = 0] = [start, event.offsetX]
        .map((place) => Math.round(timeAt(place)))
        .sort((a, b) => a - b);
      change({ from: Math.max(timeline.period.from, from), until: Math.min(timeline.period.until, until) });
    } else {
      const dot = nearest(event);
      if (dot) change({ at: `o${dot.id}`, log: undefined });
    }
    setStart(undefined);
  };
  const models = [...new Set(timeline.columns.flatMap(({ model }) => model ?? []))];
  return (
    <figure class="chart">
      <canvas
        ref={canvas}
        style={{ height: layoutOf(timeline, 1).height }}
        role="img"
        aria-label={`${timeline.orders} orders of UID ${timeline.uid} by time and delay of their logs. The tables below have all of them.`}
        onMouseDown={({ offsetX }) => setStart(offsetX)}
        onMouseUp={release}
        onMouseMove={(event) => setPointed(nearest(event))}
        onMouseLeave={() => setPointed(undefined)}
      />
      <figcaption class="quiet">
        {pointed ? (
          sayDot(pointed)
        ) : (
          <>
            {Object.keys(INK).map((timing) => (
              <span>
                <Shape kind={timing} /> {timing}{' '}
              </span>
            ))}
            – larger for a larger order. Top: {models.slice(0, 4).join(', ') || 'no model'}. Bottom: orders grey, logs
            blue. Drag to zoom.
          </>
        )}
        {timeline.dots.length < timeline.orders &&
          ` Shown: ${timeline.dots.length} of ${timeline.orders} orders, those to look at and the largest. Zoom in for all.`}
      </figcaption>
      <AsTable
        name="The orders"
        make={() =>
          timeline.dots
            .toSorted((one, other) => one.at - other.at)
            .map(({ at, id: order, timing, delay, value }) => {
              return { placed: formatTime(at), order, timing, 'log after, s': delay && delay / 1000, value };
            })
        }
      />
      <AsTable
        name="Orders and logs over time"
        make={() =>
          timeline.columns.map(({ part, orders, logs, model }) => {
            const from = formatTime(timeline.from + (part * (timeline.until - timeline.from)) / COLUMNS);
            return { from, orders, logs, 'model of most logs': model };
          })
        }
      />
    </figure>
  );
}
