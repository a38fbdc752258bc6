import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEMO_NAMES } from '../../cli/local/demo.ts';
import { apiErrors } from '../../functions/errors.ts';
import { perTable, tableVariable } from '../../functions/tables.ts';
import { settings } from '../../infra/settings.ts';

const url = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = (path: string) => readFileSync(url(path), 'utf8');

/** The rows of a document's tables, as lists of cells. */
const rows = (text: string): string[][] =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));

test('docs/errors.md lists the catalogue: each status, code and message, in its order', () => {
  const listed = rows(read('docs/errors.md'))
    .filter(([status = '']) => /^\d{3}$/.test(status))
    .map(([status, code, msg]) => ({ status: Number(status), code, msg }));
  expect(listed).toEqual(Object.values(apiErrors));
});

test('docs/environment.md lists the variables that the code reads', () => {
  const named = rows(read('docs/environment.md')).map(([cell = '']) => /^`(\w+)`$/.exec(cell)?.[1]);
  const config = [...read('functions/config.ts').matchAll(/'([A-Z]+_[A-Z_]+)'|\b(CREDENTIALS_KEY_\w+):/g)];
  const ofTables = Object.values(perTable(tableVariable));
  const start = [...read('cli/local/start.ts').matchAll(/const \{ (PORT)[^}]*?(DYNAMODB_ENDPOINT)/g)].flatMap((m) =>
    m.slice(1),
  );
  const used = [...start, ...DEMO_NAMES, ...ofTables, ...config.map(([, quoted, typed]) => quoted ?? typed)];
  expect(named.filter((name) => name !== undefined)).toEqual([...new Set(used)]);
});

describe('the README', () => {
  const readme = read('README.md');

  test('lists every setting as infra/settings.ts has it', () => {
    const [, table = ''] = /^\| setting \|.*\n\|.*\n((?:\|.*\n)+)/m.exec(readme) ?? [];
    expect(rows(table)).toEqual(
      Object.entries(settings).map(([name, setting]) => [
        `\`${name}\``,
        [
          setting.default === undefined ? 'unset' : `\`${setting.default}\``,
          ...('inProd' in setting ? [`in prod \`${setting.inProd}\``] : []),
        ].join(', '),
        setting.allowed,
        setting.description,
      ]),
    );
  });

  test('draws the middlewares in the order of handler.ts, each in its file', () => {
    const middlewares = [...read('functions/upload/handler.ts').matchAll(/^ {4}(\w+): \1\(/gm)].map(([, name]) => name);
    const drawn = [...readme.matchAll(/(\w+)\["\1 · (\S+)"\]/g)].map(([, name = '', file = '']) => ({ name, file }));
    expect(drawn.map(({ name }) => name)).toEqual([...middlewares, 'storeEntry']);
    for (const { name, file } of drawn) {
      expect(read(`functions/${file}`)).toMatch(new RegExp(`export const ${name}\\b`));
    }
  });
});

test.each(['README.md', 'docs/CONTRIBUTING.md', 'docs/errors.md', 'docs/performance.md', 'docs/reliability.md'])(
  '%s names only files and scripts that exist',
  (path) => {
    const text = read(path);
    const files = [...text.matchAll(/`((?:functions|infra|test|docs|cli)\/[\w./-]*)`/g)].map(([, file = '']) => file);
    const links = [...text.matchAll(/\]\(((?!https?:)[\w./-]+)\)/g)].map(([, link = '']) =>
      path.startsWith('docs/') ? `docs/${link}` : link,
    );
    expect([...files, ...links].filter((file) => !existsSync(url(file)))).toEqual([]);
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  },
);
