import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryIdOf } from '../../functions/ailog/entry.ts';
import { findTopLevelValue } from '../../functions/ailog/jsonScanner.ts';
import { isOrderId, ORDER_ID_LIMIT } from '../../functions/ailog/orderId.ts';
import { sameText } from '../../functions/auth/signature.ts';
import { ipSubject, windowAt } from '../../functions/weights/weights.ts';
import { runs } from '../setup/runs.ts';

const options = runs(1000, 100_000);
const check = <T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>) => fc.assert(property, options);

/** Any text, half emojis included. */
const text = fc.string({ unit: 'binary' });

/**
 * A reviver with Node's own source text access, which TypeScript does not declare yet. Unlike `findTopLevelValue`, it
 * parses the JSON.
 */
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;
function digitsByReviver(key: string, json: string): string | undefined {
  const sources = new Map<unknown, string | undefined>();
  const revive: Reviver = function (name, value, { source }) {
    if (name === key) sources.set(this, source);
    return value;
  };
  const root = JSON.parse(json, revive as (key: string, value: unknown) => unknown);
  return sources.get(root);
}

/** JSON texts of objects: numbers in every spelling, escaped or repeated keys, white space anywhere. */
const jsonObject = (() => {
  const space = fc.stringMatching(/^[ \t\n\r]{0,2}$/);
  const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,5})?([eE][+-]?\d{1,3})?$/);
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const key = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('"orderId"', '"order\\u0049d"', '"\\u006frderId"', '"orderID"', '""') },
    { weight: 1, arbitrary: text.map((name) => JSON.stringify(name)) },
    {
      weight: 1,
      arbitrary: text.map((name) => `"${[...name].map((c) => (c.length === 1 ? escaped(c) : c)).join('')}"`),
    },
  );
  const { object } = fc.letrec<{ object: string; array: string; value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      digits,
      fc.constantFrom('true', 'null', '"orderId"', '"\\\\"', '"\\""', '"{"', '"orderId\\":1"'),
      text.map((one) => JSON.stringify(one)),
      tie('object'),
      tie('array'),
    ),
    array: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    object: fc
      .array(fc.tuple(space, key, space, space, tie('value'), space), { maxLength: 5 })
      .map((members) => `{${members.map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`).join()}}`),
  }));
  return object;
})();

test('findTopLevelValue returns the same digits as Node’s own parser', () => {
  check(
    fc.property(jsonObject, (json) => {
      const parsed = JSON.parse(json).orderId;
      if (typeof parsed === 'number')
        expect(findTopLevelValue(json, 'orderId')?.text).toBe(digitsByReviver('orderId', json));
    }),
  );
});

test('an order id is an integer from 0 to 2^63 − 1 in canonical decimal form, or empty', () => {
  check(
    fc.property(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), (id) => {
      expect(isOrderId(String(id))).toBe(id >= 0n && id <= ORDER_ID_LIMIT);
    }),
  );
  check(
    fc.property(text, (other) => {
      if (isOrderId(other)) expect(other === '' || String(BigInt(other)) === other).toBe(true);
    }),
  );
});

/** 16 bytes as IPv6 text, not shortened. */
const ipv6 = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .filter((bytes) => !bytes.subarray(0, 10).every((byte) => byte === 0));
const groups = (bytes: Uint8Array) => {
  const hex = Buffer.from(bytes).toString('hex');
  return (hex.match(/.{4}/g) as string[]).join(':');
};

test('IPv6 addresses share a weight if and only if their first 64 bits are equal', () => {
  check(
    fc.property(ipv6, ipv6, fc.boolean(), (one, other, share) => {
      const second = share ? Uint8Array.from([...one.subarray(0, 8), ...other.subarray(8)]) : other;
      const same = Buffer.from(one.subarray(0, 8)).equals(second.subarray(0, 8));
      expect(ipSubject(groups(one)) === ipSubject(groups(second).toUpperCase())).toBe(same);
    }),
  );
});

test('each IPv4 address has its own weight, also when written as IPv6', () => {
  check(
    fc.property(fc.ipV4(), (address) => {
      expect(ipSubject(address)).toBe(address);
      expect(ipSubject(`::ffff:${address}`)).toBe(address);
    }),
  );
});

test('no text as an address throws an error', () => {
  check(
    fc.property(fc.oneof(text, fc.ipV4Extended(), fc.ipV6(), fc.webAuthority()), (one) => {
      expect(typeof ipSubject(one)).toBe('string');
    }),
  );
});

test('two requests have the same entry id if and only if key, timestamp and signature are equal', () => {
  const named = fc.record({ accessKey: text, timestamp: fc.stringMatching(/^\d{13}$/), signature: text });
  check(
    fc.property(named, named, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other);
      expect(entryIdOf(one) === entryIdOf(other)).toBe(same);
      expect(entryIdOf({ ...one })).toBe(entryIdOf(one));
      expect(entryIdOf(one)).toMatch(new RegExp(`^${one.timestamp}-[0-9a-f]{32}$`));
      // A character that moves from one part to the next changes the entry id.
      const moved = { ...one, accessKey: `${one.accessKey}x`, signature: one.signature };
      expect(entryIdOf(moved)).not.toBe(entryIdOf({ ...one, signature: `x${one.signature}` }));
    }),
  );
});

test('sameText is true if and only if the bytes are equal', () => {
  check(
    fc.property(text, text, (one, other) => {
      expect(sameText(one, one)).toBe(true);
      expect(sameText(one, other)).toBe(Buffer.from(one).equals(Buffer.from(other)));
    }),
  );
});

test('every time is in exactly one window, and windows are consecutive', () => {
  check(
    fc.property(fc.integer({ min: 0, max: 2 ** 43 }), fc.integer({ min: 1, max: 86_400 }), (now, seconds) => {
      const { start, end } = windowAt(now, seconds);
      expect(start <= now && now < end).toBe(true);
      expect(end - start).toBe(seconds * 1000);
      expect(windowAt(end, seconds).start).toBe(end);
      expect(windowAt(end - 1, seconds).start).toBe(start);
    }),
  );
});
