import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { FATAL_CONDITIONS } from '../../functions/sequencer/fatalError.ts';
import { queries } from '../../infra/monitoring/queries.ts';
import { settings } from '../../infra/settings.ts';
import { newWitness } from '../c2sp/keys.ts';
import { synth } from '../infra/synth.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';

const FOLDER = fileURLToPath(new URL('../../docs/runbook/', import.meta.url));
const pages = readdirSync(FOLDER);
const read = (page: string) => readFileSync(FOLDER + page, 'utf8');
const all = pages.map(read).join('\n');
const policyFile = join(temporaryFolder(), 'witnesses.policy');
writeFileSync(
  policyFile,
  `witness w ${formatVerifierKey(newWitness('w.example.com').key)} https://w.example.com\nquorum w`,
);
/** A deployment with every alarm. */
const prod = synth({ stage: 'prod', analytics: 'true', witnesses: policyFile });

/** The rows of a page's table, as lists of cells. */
const rows = (page: string): string[][] =>
  [...read(page).matchAll(/^ *\| (.*) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '));

test('the index lists every page', () => {
  const listed = rows('README.md').map(([link = '']) => /\]\((.*)\)/.exec(link)?.[1]);
  expect([...listed, 'README.md'].sort()).toEqual([...pages].sort());
});

test('alarms.md says of every alarm where to look', () => {
  const alarms = Object.entries(prod.resources)
    .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
    .map(([id]) => id.replace(/^MonitoringAlarms|[0-9A-F]{8}$/g, ''));
  expect(rows('alarms.md').map(([name]) => name)).toEqual(alarms);
});

test('stopped-tlog.md says of every condition that stops the log what it means and what to do', () => {
  const conditions = rows('stopped-tlog.md').map(([condition]) => condition);
  expect(conditions.sort()).toEqual(FATAL_CONDITIONS.map((condition) => `\`${condition}\``).sort());
});

test('queries, outputs, settings and pages that are named exist', () => {
  const named = [...all.replace(/\s+/g, ' ').matchAll(/(?<!-)quer(?:y|ies) "([^"]+)"(?: and "([^"]+)")?/g)].flatMap(
    ([, one, other]) => (other ? [one, other] : [one]),
  );
  expect(named.filter((name) => !((name as string) in queries))).toEqual([]);
  expect(named.length).toBeGreaterThan(8);
  const outputs = [...all.matchAll(/OutputKey=='(\w+)'/g)].map(([, key]) => key as string);
  expect(outputs.filter((key) => !(key in prod.outputs))).toEqual([]);
  const given = [...all.matchAll(/-c (\w+)=/g)].map(([, name]) => name as string);
  expect(given.filter((name) => !(name in settings))).toEqual([]);
  const links = [...all.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page as string);
  expect(links.filter((page) => !pages.includes(page))).toEqual([]);
});

describe('every command of ailog that is named', () => {
  const commands = [
    ...all.matchAll(
      /npx ailog ((?:allowlist|keys|logs|ops|upload|doctor|tlog|prove|statement|verify)(?: [a-z][a-z-]*)?)([^\n`|)]*)/g,
    ),
  ].map(([, command = '', rest = '']) => [command, [...rest.matchAll(/--[a-z-]+/g)].map(([flag]) => flag)] as const);
  const flagsOf = Map.groupBy(commands, ([command]) => command);
  const cases = [...flagsOf].map(
    ([command, uses]) => [command, [...new Set(uses.flatMap(([, flags]) => flags))]] as const,
  );

  test.each(cases)('%s takes %j', async (command, flags) => {
    const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...command.split(' '), '--help']);
    expect(stdout).toContain(`Usage: ailog ${command}`);
    const known = new Set(stdout.match(/--[a-z-]+/g));
    expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
  });
});
