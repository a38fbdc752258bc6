import { createHandler } from '../../functions/upload/handler.ts';
import type { UploadEvent } from '../../functions/upload/request.ts';
import { eventOf, signedUpload, world } from '../setup/world.ts';
import { accept, logOf, SIZES } from './handler.ts';
import { headOf, median, timeOf } from './measure.ts';

const ROUNDS = 300;

/** Measures each middleware by name. */
export async function measureMiddleware(): Promise<string[]> {
  const fixture = await world();
  const team = await fixture.team();
  const handle = createHandler(fixture.dependencies());
  const upload = async (body: string) => {
    const event: UploadEvent<never, 'middlewareMs'> = eventOf(signedUpload(team, { body }));
    const all = await timeOf(() => accept(handle, event));
    return { ...event.middlewareMs, all };
  };

  const columns: Record<string, number>[] = [];
  for (const bytes of Object.values(SIZES)) {
    const body = logOf(bytes);
    const rounds: Record<string, number>[] = [];
    for (let i = 0; i < ROUNDS; i += 1) rounds.push(await upload(body));
    const names = Object.keys(rounds[0] ?? {});
    const column = Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => round[name] ?? 0))]));
    columns.push(column);
  }
  const middlewares = Object.keys(columns[0] ?? {});
  return [
    `### Middlewares, milliseconds, median of ${ROUNDS} uploads`,
    '',
    ...headOf(`| middleware | ${Object.keys(SIZES).join(' | ')} |`),
    ...middlewares.map(
      (middleware) => `| ${middleware} | ${columns.map((column) => column[middleware]?.toFixed(2)).join(' | ')} |`,
    ),
  ];
}
