import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { START_VARIABLES } from '../../cli/local/localSettings.ts';
import { program } from '../../cli/main.ts';
import { DEMO_NAMES } from '../../cli/store/targets/data.ts';
import { aiLogSchema } from '../../functions/ailog/schema.ts';
import { apiErrors } from '../../functions/errors.ts';
import { readIndexerConfig } from '../../functions/indexer/config.ts';
import { readSequencerConfig } from '../../functions/sequencer/config.ts';
import { readConfig } from '../../functions/upload/config.ts';
import { uploadSteps } from '../../functions/upload/handler.ts';
import { settings } from '../../infra/settings.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { eventOf, signedUpload, type Tables, world } from '../setup/world.ts';
import { FOLDER_ORDER } from './folderOrder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Returns the rows of a text's tables, without their heads, as lists of cells. */
const rows = (text: string): string[][] =>
  [...text.matchAll(/^\|( .* )\|$/gm)].map(([, row = '']) => row.split(/ \|(?= )/).map((cell) => cell.trim()));

/** Returns the part of a page below a heading, up to the next heading of the same or a higher level. */
function section(page: string, heading: string): string {
  const [, level = '', below = ''] = new RegExp(`^(#+) ${heading}\n(.*)`, 'ms').exec(page) ?? [];
  return below.split(new RegExp(`^#{1,${level.length}} `, 'm'))[0] ?? '';
}

/** Returns the words in backticks in a text. */
const inBackticks = (text = ''): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

test('docs/teams.md lists the catalogue: each status, code and message, in its order', () => {
  const listed = rows(read('docs/teams.md'))
    .filter(([status = '']) => /^\d{3}$/.test(status))
    .map(([status, code, msg]) => ({ status: Number(status), code, msg }));
  expect(listed).toEqual(Object.values(apiErrors));
});

test('docs/settings.md lists the variables that the code reads', () => {
  const readByFunction = new Set<string>();
  const recording = new Proxy({}, { get: (_, name) => void readByFunction.add(name as string) });
  expect(() => readConfig(recording)).toThrow(/missing or wrong/);
  expect(() => readSequencerConfig(recording)).toThrow(/missing or wrong/);
  expect(() => readIndexerConfig(recording)).toThrow(/missing/);
  const listed = rows(section(read('docs/settings.md'), 'Environment variables')).flatMap(([cell]) =>
    inBackticks(cell),
  );
  expect(listed.sort()).toEqual([...START_VARIABLES, ...DEMO_NAMES, ...readByFunction].sort());
});

test('docs/settings.md lists every setting as infra/settings.ts has it', () => {
  const listed = rows(section(read('docs/settings.md'), 'Settings')).filter(([name = '']) => name.startsWith('`'));
  expect(listed).toEqual(
    Object.entries(settings).map(([name, setting]) => [
      `\`${name}\``,
      [
        setting.default === undefined ? 'unset' : `\`${setting.default}\``,
        ...('whenKept' in setting ? [`where data is kept \`${setting.whenKept}\``] : []),
      ].join(', '),
      setting.allowed,
      expect.stringMatching(/^.{20,}$/),
    ]),
  );
});

describe('README.md', () => {
  const readme = read('README.md');

  test('links to every page of docs/', () => {
    const pages = globSync('docs/*.md', { cwd: ROOT });
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.filter((page) => !readme.includes(`](${page}`))).toEqual([]);
  });

  test('fits a screen: at most 120 lines of 140 characters, and no paragraph in a table', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(121);
    expect(readme.split('\n').filter((line) => line.length > 140)).toEqual([]);
    expect(
      rows(readme)
        .flat()
        .filter((cell) => cell.length > 90),
    ).toEqual([]);
  });

  test('says whether it has run on AWS, what it costs, and how it is deployed', () => {
    const total = rows(read('docs/evidence.md')).find(([service]) => service === '**total**') ?? [];
    expect(/^- \*\*Cost\*\*.*?\$(\d+)/m.exec(readme)?.[1]).toBe(`${Math.round(Number(total[3]?.replaceAll('*', '')))}`);
    expect(readme).toContain('](docs/not-proven.md)');
    expect(readme).toContain(`version ${packageJson.version}, not released`);
    expect(section(readme, 'Deploy').match(/^np[mx] .+$/gm)).toHaveLength(3);
  });

  test('docs/settings.md names the engine packages that package.json installs', () => {
    const engines = Object.entries(packageJson.optionalDependencies).filter(([name]) => name.startsWith('@dynoxide/'));
    const [[installed, version] = []] = engines;
    expect(engines.map(([name]) => name)).toEqual(['@dynoxide/linux-x64']);
    expect(read('docs/settings.md')).toContain(`\`${installed}\``);
    expect(/--no-save @dynoxide\/\S+@([\d.]+)`/.exec(read('docs/settings.md'))?.[1]).toBe(version);
  });
});

describe('docs/design.md', () => {
  const design = read('docs/design.md');
  let fixture: Tables;
  let steps: string[];
  beforeAll(async () => {
    fixture = await world();
    steps = [...Object.keys(uploadSteps(fixture.dependencies()).steps), 'storeEntry'];
  });
  const life = section(design, 'The life of one upload');
  const table = rows(life).filter(([step = '', , , ...rest]) => step.startsWith('`') && rest.length === 2);

  test('answers each question with at most three files', () => {
    const questions = rows(section(design, 'Questions and where the answer is')).slice(1);
    expect(questions.length).toBeGreaterThanOrEqual(12);
    const files = questions.map(([question, cell = '']) => [question, [...cell.matchAll(/`([\w./-]+)`/g)].length]);
    expect(files.filter(([, count]) => count === 0 || Number(count) > 3)).toEqual([]);
  });

  test('explains the steps in the order of handler.ts', () => {
    expect(steps.length).toBeGreaterThan(10);
    expect(table.map(([step]) => step)).toEqual(steps.map((step) => `\`${step}\``));
  });

  test('an upload is told by few files: those of its pipeline, and the rules that they apply', () => {
    const pipeline = globSync('functions/upload/**/*.ts', { cwd: ROOT, exclude: ['**/index.ts', '**/config.ts'] });
    const rules = pipeline.flatMap((file) =>
      [...read(file).matchAll(/^import (?!type)[^;]*? from '(?:\.\.\/)+(\w+\/\w+\.ts)';$/gms)].map(([, rule]) => rule),
    );
    expect(pipeline.length + new Set(rules).size).toBeLessThanOrEqual(26);
  });

  test('names each field of the event beside the step that adds it', async () => {
    const { steps, handle } = uploadSteps(fixture.dependencies());
    const added: [step: string, field: string][] = [];
    const team = await fixture.team();
    let running = '';
    const event = new Proxy(eventOf(signedUpload(team)), {
      set(target, field, value) {
        added.push([running, field as string]);
        return Reflect.set(target, field, value);
      },
    });
    for (const [name, { before }] of Object.entries(steps)) {
      running = name;
      await before?.({ event } as Parameters<NonNullable<typeof before>>[0]);
    }
    running = 'storeEntry';
    expect((await handle(event)).statusCode).toBe(200);
    for (const { after } of Object.values(steps)) await after?.({ event } as Parameters<NonNullable<typeof after>>[0]);

    const listed = table.flatMap(([step = '', , , adds]) =>
      inBackticks(adds).map((field) => [inBackticks(step)[0], field]),
    );
    // These are added only if a dependency fails.
    const failures = [
      ['readRecords', 'decryptFailed'],
      ['storeEntry', 'receiptError'],
    ];
    expect(listed.sort()).toEqual([...added, ...failures].sort());
  });
});

test('docs/design.md lists every folder of the code, in the order in which they import each other', () => {
  const listed = rows(section(read('docs/design.md'), 'How the code is organized')).flatMap(([cell = '']) =>
    [...cell.matchAll(/`((?:functions|infra|cli)(?:\/\w+)+)\/`/g)].map(([, folder]) => folder),
  );
  /** A folder and those in it. The folders of commands are not listed: they are the groups of the commands. */
  const within = (folder: string): string[] => [
    folder,
    ...(folder === 'cli/commands' ? [] : (FOLDER_ORDER[folder] ?? []))
      .filter((one) => !/[.*]/.test(one))
      .flatMap((one) => within(`${folder}/${one}`)),
  ];
  expect(listed).toEqual(['functions', 'infra', 'cli'].flatMap((top) => within(top).slice(1)));
});

/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Returns true if words name a command or a group of `ailog`, perhaps followed by arguments. */
function isCommand([word = '', below = '']: readonly string[]): boolean {
  const isWord = (text: string) => /^[a-z][a-z-]*$/.test(text);
  if (!isWord(word) || word === 'help' || word in program.commands) return true;
  return word in program.groups && (!isWord(below) || `${word} ${below}` in program.commands);
}

const pages = Object.fromEntries(
  ['README.md', '.github/SECURITY.md', ...globSync('docs/**/*.md', { cwd: ROOT }).sort()].map((path) => [
    path,
    read(path),
  ]),
);

/** Returns what a check finds on each page, as `page: finding`. */
const onPages = (find: (text: string, path: string) => readonly string[]): string[] =>
  Object.entries(pages).flatMap(([path, text]) => find(text, path).map((found) => `${path}: ${found}`));

/** Returns the first groups of the matches of a pattern. */
const namesIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);

test('pages end each block of code that they begin, with its language', () => {
  const broken = Object.entries(pages).filter(([, text]) => {
    const fences = Array.from(text.matchAll(/^ *```(.*)$/gm), ([, language]) => language !== '');
    return fences.length % 2 === 1 || fences.some((begins, place) => begins !== (place % 2 === 0));
  });
  expect(broken.map(([path]) => path)).toEqual([]);
});

test('pages name only files that exist', () => {
  const missing = onPages((text) =>
    namesIn(text, /`((?:functions|infra|test|docs|cli)\/[\w./-]*)`/g).filter((file) => !existsSync(join(ROOT, file))),
  );
  expect(missing).toEqual([]);
});

test('pages link only to files and headings that exist', () => {
  const broken = onPages((text, path) =>
    namesIn(text, /\]\(((?!https?:)[^)\s]+)\)/g).filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : normalize(join(path, '..', file));
      if (!existsSync(join(ROOT, target))) return true;
      return (
        anchor !== undefined &&
        !namesIn(read(target), /^#+ (.*)$/gm)
          .map(anchorOf)
          .includes(anchor)
      );
    }),
  );
  expect(broken).toEqual([]);
});

test('pages name only scripts and commands that exist', () => {
  const unknown = onPages((text) => [
    ...namesIn(text, /npm run ([\w:]+)/g).filter((script) => !(script in packageJson.scripts)),
    ...namesIn(text, /(?:npx |`)ailog ([^\n`]+)/g).filter((line) => !isCommand(line.split(' '))),
  ]);
  expect(unknown).toEqual([]);
});

/** Returns whether a text has a field of a log, in the syntax of JSON or of a programming language. */
const hasField = (text: string, field: string) => new RegExp(`\\b${field}\\b\\\\?["\\]]*\\s*[:=]`).test(text);

test('pages describe every field of an AI log, and show logs with all required ones', () => {
  const { properties, required } = aiLogSchema;
  const contract = inBackticks(section(read('docs/interface.md'), 'The contract'));
  const undescribed = Object.keys(properties).filter((field) => !contract.includes(field));
  const incomplete = onPages((text) => {
    const blocks = text.match(/^```.*?^```$/gms) ?? [];
    const lines = text.split('\n').filter((line) => hasField(line, 'stage'));
    return [...blocks, ...lines]
      .filter((part) => hasField(part, 'explanation'))
      .flatMap((part) =>
        required.filter((field) => !hasField(part, field)).map((field) => `no ${field} in ${part.slice(0, 60)}`),
      );
  });
  expect({ undescribed, incomplete }).toEqual({ undescribed: [], incomplete: [] });
});

test('what is not proven or not measured is on one page, to which every other page links that says so', () => {
  const says = (text: string) => /\bnot\s+(?:proven|measured)\b/i.test(text.replaceAll(/^```.*?^```$/gms, ''));
  const saying = Object.entries(pages).filter(([path, text]) => path !== 'docs/not-proven.md' && says(text));
  expect(saying.length).toBeGreaterThan(3);
  const linked = /\]\((?:\.\.\/|docs\/)?not-proven\.md(?:#[\w-]+)?\)/;
  expect(saying.filter(([, text]) => !linked.test(text)).map(([path]) => path)).toEqual([]);
});

test('pages show teams no npx ailog, which would run whatever package has that name', () => {
  expect(onPages((text) => text.match(/npx ailog (?:upload|sign|doctor)\b.*/g) ?? [])).toEqual([]);
});
