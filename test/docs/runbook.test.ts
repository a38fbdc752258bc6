import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FATAL_CONDITIONS } from '../../functions/sequencer/fatalError.ts';
import { queries } from '../../infra/monitoring/queries.ts';
import { settings } from '../../infra/settings.ts';
import { policyFile, synth } from '../infra/synth.ts';
import { localWorld, runCommand } from '../setup/world.ts';

const FOLDER = fileURLToPath(new URL('../../docs/runbook/', import.meta.url));
const pages = readdirSync(FOLDER);
const read = (page: string) => readFileSync(FOLDER + page, 'utf8');
/** A deployment with every alarm. */
const prod = synth({ stage: 'prod', analytics: 'true', witnesses: policyFile });

const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^ *```bash\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
const sectionOf = (page: string, heading: string): string => {
  const [, text] = new RegExp(`^## ${heading}\\n(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(read(page)) ?? [];
  if (text === undefined) throw new Error(`${page} has no section ${heading}.`);
  return text;
};

/** The rows of a page's first table, as lists of cells. */
const rows = (page: string): string[][] =>
  [...(/^ *\|.*?(?=\n\n)/ms.exec(read(page))?.[0] ?? '').matchAll(/^ *\| (.*) \|$/gm)]
    .slice(1)
    .map(([, row = '']) => row.split(' | '));

test('the index lists every page', () => {
  const listed = rows('README.md').map(([link = '']) => /\]\((.*)\)/.exec(link)?.[1]);
  const names = listed.map((link = '') => link.split('#')[0] || 'README.md');
  expect([...new Set(names)].sort()).toEqual([...pages].sort());
});

test('alarms.md says of every alarm where to look', () => {
  const alarms = Object.entries(prod.resources)
    .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
    .map(([id]) => id.replace(/^MonitoringAlarms|[0-9A-F]{8}$/g, ''));
  expect(rows('alarms.md').map(([name]) => name)).toEqual(alarms);
});

test('tlog.md says of every condition that stops the log what it means and what to do', () => {
  const conditions = rows('tlog.md').map(([condition]) => condition);
  expect(conditions.sort()).toEqual(FATAL_CONDITIONS.map((condition) => `\`${condition}\``).sort());
});

const all = pages.map(read).join('\n');

test('queries, outputs and settings that are named exist', () => {
  const named = [...all.replace(/\s+/g, ' ').matchAll(/(?<!-)quer(?:y|ies) "([^"]+)"(?: and "([^"]+)")?/g)].flatMap(
    ([, one, other]) => (other ? [one, other] : [one]),
  );
  expect(named.filter((name) => !((name as string) in queries))).toEqual([]);
  expect(named.length).toBeGreaterThan(8);
  const outputs = [...all.matchAll(/OutputKey=='(\w+)'/g)].map(([, key]) => key as string);
  expect(outputs.filter((key) => !(key in prod.outputs))).toEqual([]);
  const given = [...all.matchAll(/(?:-c |"|[Ss]et `)([a-z]\w+)(?:=|": |` to)/g)].map(([, name]) => name as string);
  const stages = ['prod', 'prod-2', 'rehearsal', 'stages'];
  expect(given.filter((name) => !(name in settings) && !stages.includes(name))).toEqual([]);
  expect(given.length).toBeGreaterThan(20);
});

test('every command of ailog that is named takes the options that it is given', async () => {
  const uses = all.matchAll(
    /npx ailog ((?:allowlist|keys|logs|ops|upload|doctor|tlog|prove|statement|verify)(?: [a-z][a-z-]*)?)([^\n`|)]*)/g,
  );
  const wrong: string[] = [];
  for (const [, command = '', rest = ''] of uses) {
    const { stdout } = await runCommand([...command.split(' '), '--help']);
    if (!stdout.includes(`Usage: ailog ${command}`)) wrong.push(command);
    const known = new Set(stdout.match(/--[a-z-]+/g));
    wrong.push(
      ...(rest.match(/--[a-z-]+/g) ?? []).filter((flag) => !known.has(flag)).map((flag) => `${command} ${flag}`),
    );
  }
  expect(wrong).toEqual([]);
});

test('the rehearsal turns on what only prod has, and deploys twice, so that there is a canary', () => {
  const text = sectionOf('before-the-competition.md', 'Rehearse');
  const deployments = text.match(/npm run deploy .*/g) ?? [];
  expect(deployments).toHaveLength(2);
  const block = JSON.parse(`{${/"rehearsal": .*/.exec(text)?.[0]}}`).rehearsal;
  const onlyWhenKept = Object.entries(settings).flatMap(([name, setting]) =>
    'whenKept' in setting && name !== 'logRetentionDays' ? [name] : [],
  );
  expect(Object.keys(block)).toEqual(['disposable', ...onlyWhenKept]);
  expect(deployments[1]).not.toBe(deployments[0]);
});

test('alarms.md names other alarms by their names', () => {
  const named = new Set(
    rows('alarms.md')
      .join(' | ')
      .match(/\b[A-Z][a-z]+(?:[A-Z][a-z]+)+(?=[ ,.:]| \|)/g),
  );
  const alarms = [...read('alarms.md').matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name);
  const known = new Set([...alarms, ...Object.keys(prod.outputs)]);
  const others = ['CloudWatch', 'DynamoDB', 'AiLogs', 'ReceiptKeys'];
  expect([...named].filter((name) => !known.has(name) && !others.includes(name))).toEqual([]);
});

test('a pause by competition.md stops those that were approved, and its end approves them and no others', async () => {
  const local = await localWorld();
  const statuses = { 1001: 'approved', 1002: 'disqualified', 1003: 'suspended', 1004: 'approved' } as const;
  for (const [uid, status] of Object.entries(statuses)) await local.allowlist.put({ uid, status });
  const list = async () => JSON.parse((await local.ailog(['allowlist', 'list', '--json'])).stdout);
  const [pause = '', end = ''] = blocksOf(sectionOf('competition.md', 'Pause'));
  const [, feed, suspend] =
    /(.*) > approved.json\n(.*)\n/.exec(pause.replaceAll(/npx ailog | --stack "\$STACK"/g, '')) ?? [];
  const { stdout } = await local.ailog((feed as string).split(' '));
  const uids = JSON.parse(stdout).map(({ uid }: { uid: string }) => uid);
  expect(uids).toEqual(['1001', '1004']);
  const run = (line = '') =>
    local.ailog([
      ...line
        .replace(/ \$\(jq -r '\.\[\]\.uid' approved\.json\)/, '')
        .replace(/"pause.*"/, 'pause')
        .split(' '),
      ...uids,
    ]);
  expect(await run(suspend)).toMatchObject({ exitCode: 0 });
  expect(new Set((await list()).map(({ status }: { status: string }) => status))).toEqual(
    new Set(['suspended', 'disqualified']),
  );
  expect(await run(end.trim().replaceAll(/npx ailog | --stack "\$STACK"/g, ''))).toMatchObject({ exitCode: 0 });
  const after = (await list()).map(({ uid, status }: Record<string, string>) => [uid, status]);
  expect(Object.fromEntries(after)).toEqual(statuses);
});
