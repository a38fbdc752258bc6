import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyRules, describeRules, type Rule, rules, sayRules } from '../../../../cli/review/figures/rules.ts';
import { formatSpan } from '../../../../cli/shell/terminal/arguments.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const path = join(temporaryFolder(), 'rules.json');
const NONE = { within: undefined, childGap: undefined };

/** Applies the rules of a file with a text. */
function applied(text: string, given: Partial<Record<keyof typeof NONE, number>> = {}) {
  writeFileSync(path, text);
  return applyRules(path, { ...NONE, ...given });
}

test('without a file, nothing is announced, and the times are those of the options', () => {
  expect(applyRules(undefined, NONE)).toEqual({ within: 60_000, childGap: 600_000, announced: [] });
  expect(applyRules(undefined, { within: 20_000, childGap: 0 })).toMatchObject({ within: 20_000, childGap: 0 });
});

// biome-ignore format: one case a line
test.each<[string, Parameters<typeof applied>[1], ReturnType<typeof applyRules>]>([
  ['{}', {}, { within: 60_000, childGap: 600_000, announced: [] }],
  ['{"log-within": "5m"}', {}, { within: 300_000, childGap: 600_000, announced: ['log-within'] }],
  ['{"log-within": "5m"}', { within: 300_000 }, { within: 300_000, childGap: 600_000, announced: ['log-within'] }],
  ['{"child-gap": "0", "log-for-each-order": true}', { within: 1000 }, { within: 1000, childGap: 0, announced: ['child-gap', 'log-for-each-order'] }],
])('%s with %j', (text, given, expected) => {
  expect(applied(text, given)).toEqual(expected);
});

// biome-ignore format: one case a line
test.each<[string, Parameters<typeof applied>[1], string]>([
  ['log-within 60s', {}, 'it is no JSON.'],
  ['[]', {}, 'it is no JSON object.'],
  ['null', {}, 'it is no JSON object.'],
  ['{"log-withn": "60s"}', {}, '"log-withn" is no rule.'],
  ['{"toString": true}', {}, '"toString" is no rule.'],
  ['{"log-within": true}', {}, '"log-within": A span is a number with a unit'],
  ['{"log-for-each-order": false}', {}, '"log-for-each-order" is true, or left out.'],
  ['{"log-within": "5m"}', { within: 60_000 }, '--within 1m contradicts the rule in'],
])('%s with %j is refused', (text, given, message) => {
  expect(() => applied(text, given)).toThrow(message);
});

test('says which rules are in force, and which of them were announced', () => {
  const limits = applied('{"log-within": "90s", "different-logs": true}');
  expect(sayRules(limits)).toBe(
    'Rules that the organisers announced (--rules): log-within 90s, different-logs. Others, which make questions only: log-for-each-order, child-gap 10m, complete-logs.',
  );
  expect(sayRules(applyRules(undefined, NONE))).toMatch(/announced \(--rules\): none\./);
  const expected = Object.keys(rules).map((rule) => [rule, limits.announced.includes(rule as Rule)]);
  expect(describeRules(limits).map(({ rule, announced }) => [rule, announced])).toEqual(expected);
});

test('docs/review.md lists the rules', () => {
  const page = readFileSync(new URL('../../../../docs/review.md', import.meta.url), 'utf8');
  const rows = Object.entries(rules).map(([name, { says, from, option, ...rule }]) => {
    const by = 'ms' in rule ? formatSpan(rule.ms) : 'not announced';
    return `| \`${name}\` | ${says} | ${by} | ${from} | \`${option}\` |\n`;
  });
  expect(page).toContain(`| option |\n|---|---|---|---|---|\n${rows.join('')}`);
});
