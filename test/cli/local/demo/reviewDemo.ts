import type { DemoTeam } from '../../../../cli/local/demo/competition.ts';
import type { ReviewLimits } from '../../../../cli/review/figures/makeFigures.ts';
import { type Log, reviewOf, T0, type TestOrder } from '../../review/figures/review.ts';

/** Reviews the teams of a competition. Without a time of receipt, a log was received 40 ms after it was signed. */
export const reviewDemo = (teams: readonly DemoTeam[], twice = false, limits: Partial<ReviewLimits> = {}) =>
  reviewOf(
    teams.flatMap(({ uid, logs }) =>
      logs.map(({ signedAt, receivedAt = signedAt + 40, body }): Log => {
        const { model, stage } = JSON.parse(body);
        const [, orderId] = /^\{"orderId":(\d+)/.exec(body) ?? [];
        return { uid, second: (signedAt - T0) / 1000, received: (receivedAt - T0) / 1000, orderId, model, stage, body };
      }),
    ),
    {
      orders: teams.flatMap(({ orders }) =>
        orders.map(
          ({ uid, placedAt, orderId, cancelled = false, symbol, side, size, price }): TestOrder => [
            ...([uid, (placedAt - T0) / 1000, orderId, cancelled, symbol, side, size, price] as const),
          ],
        ),
      ),
      limits,
      twice,
    },
  );
