import type { Result } from './uploadFolder.ts';

/** The share of 18-digit ids that look rounded by chance. */
const BY_CHANCE = 1 / 128;

/** Returns true if the warning of a log is that its order looks rounded: the only one of a log that names an order. */
export const isRounded = ({ orderId, warning }: Pick<Result, 'orderId' | 'warning'>): boolean =>
  typeof orderId === 'string' && warning !== undefined;

/** Says how many logs name an order that looks rounded, and if so many can be chance. Undefined if none does. */
export function describeRounded(logs: readonly Pick<Result, 'file' | 'orderId' | 'warning'>[]): string | undefined {
  const total = logs.filter(({ orderId }) => typeof orderId === 'string').length;
  const rounded = logs.filter(isRounded);
  const [first] = rounded;
  if (!first) return undefined;
  // Chance exceeds this in fewer than 1 of 500 folders, of any size.
  const areTooMany = rounded.length > 2 + 4 * BY_CHANCE * total;
  const look = `${rounded.length} of ${total} order ids ${rounded.length === 1 ? 'looks' : 'look'} rounded`;
  const chance = areTooMany ? 'too many for chance' : 'this can be chance';
  return `${look}, such as ${first.orderId} in ${first.file}: ${chance}. JSON.parse loses the last digits: take order ids from the text of the exchange's answer`;
}
