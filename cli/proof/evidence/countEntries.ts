import { spellingOfNumber } from '../../../functions/ailog/jsonScanner.ts';
import { parseJson } from '../../../functions/ailog/plainNames.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import type { LineVerdict } from './verify.ts';

/** The models that are named, those that are told apart, and the characters of a name: a team chooses all three. */
const NAMED_MODELS = 10;
const COUNTED_MODELS = 1000;
const SHOWN_CHARACTERS = 60;

/** Returns the order, with every digit, and the model of an AI log. Only its body vouches for them. */
export function logIn(body: unknown): { readonly order: string; readonly model: string } {
  const log = typeof body === 'string' ? orUndefined(() => parseJson(body)) : undefined;
  const { orderId, model } = (log ?? {}) as Readonly<Record<string, unknown>>;
  const order = typeof orderId === 'number' ? spellingOfNumber(String(body), 'orderId') : orderId;
  const isOrder = typeof order === 'string' && /^[1-9]\d{0,18}$/.test(order);
  return { order: isOrder ? order : '', model: typeof model === 'string' ? model : '' };
}

export function entryCounter() {
  const models = new Map<string, number>();
  let [entries, withOrder, first, last] = [0, 0, Number.POSITIVE_INFINITY, 0];
  return {
    add({ facts, members, word }: LineVerdict): void {
      const signedAt = Number(facts.entryId?.slice(0, 13));
      if (word === 'WRONG' || facts.hasBody !== true || !members?.body) return;
      const { order, model } = logIn(members.body);
      entries += 1;
      if (order !== '') withOrder += 1;
      [first, last] = [Math.min(first, signedAt), Math.max(last, signedAt)];
      const shown = model.slice(0, SHOWN_CHARACTERS).toWellFormed();
      if (models.has(shown) || models.size < COUNTED_MODELS) models.set(shown, (models.get(shown) ?? 0) + 1);
    },
    /** Returns rows of a name and a text; none without bodies. A model is quoted: no name looks like several. */
    rows(): (readonly [name: string, text: string])[] {
      if (entries === 0) return [];
      const byCount = [...models].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
      const named = byCount.slice(0, NAMED_MODELS).map(([model, count]) => `${JSON.stringify(model)} ${count}`);
      if (byCount.length > NAMED_MODELS) named.push('and others');
      return [
        ['counted', `from these entries, and compared with nothing: ${entries}`],
        ['signed', `from ${new Date(first).toISOString()} to ${new Date(last).toISOString()}`],
        ['with order', String(withOrder)],
        ['models', named.join(', ')],
      ];
    },
  };
}
