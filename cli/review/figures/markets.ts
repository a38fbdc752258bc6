import { coinOf } from '../../../functions/features/coins.ts';
import { sideOf } from '../../../functions/features/trade.ts';
import type { AnyEngine } from '../../store/duckdb/duckdb.ts';

/** The end of an option's symbol: whoever expects a fall buys a put. */
const OPTION = /[-_][CP]$/i;

/** Makes the table `markets`: the coin of each symbol in the order lists, and the side, as they are read in logs. */
export async function makeMarkets({ read, table }: AnyEngine): Promise<void> {
  const add = await table('markets', { symbol: 'VARCHAR', side: 'VARCHAR', coin: 'VARCHAR', direction: 'VARCHAR' });
  const listed = await Array.fromAsync(
    read<{ symbol: string; side: string }>(
      "SELECT DISTINCT coalesce(symbol, '') AS symbol, coalesce(side, '') AS side FROM orders",
    ),
  );
  await add(
    listed.map(({ symbol, side }) => ({
      ...{ symbol, side, coin: coinOf(symbol) },
      direction: OPTION.test(symbol) ? undefined : sideOf(side),
    })),
  );
}
