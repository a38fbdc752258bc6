import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runbookCalls } from '../../infra/runbookCalls.ts';

const FOLDER = fileURLToPath(new URL('../../docs/runbook', import.meta.url));

/** Commands whose right has another name; undefined for those that everybody may use, and for help. */
const RIGHTS: Readonly<Record<string, string | undefined>> = {
  'sts get-caller-identity': undefined,
  's3 sync': undefined,
  'cloudformation wait': 'cloudformation:DescribeStacks',
  'dynamodb wait': 'dynamodb:DescribeTable',
  's3api list-object-versions': 's3:ListBucketVersions',
};

/** Returns the rights of the commands that a page shows. */
function rightsIn(text: string): string[] {
  const commands = text.matchAll(/(?<=^ *|[`{(] ?|do )aws ([a-z0-9-]+) ([a-z0-9-]+)([^\n]*)/gm);
  const rights = [...commands].flatMap(([, service = '', command = '', rest = '']) => {
    const name = `${service} ${command}`;
    if (name === 's3 cp') return rest.includes('help') ? [] : [`s3:${/^ s3:/.test(rest) ? 'Get' : 'Put'}Object`];
    if (name in RIGHTS) return RIGHTS[name] ?? [];
    const call = command.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    return [`${service.replace(/^s3api$/, 's3').replace('-', '')}:${call}`];
  });
  return [...new Set(rights)].sort();
}

const listed = (page: string): string[] =>
  [...new Set((runbookCalls[page] ?? []).flatMap((row) => (row.at(-1) as string).split(' ')))].sort();

const pages = globSync(join(FOLDER, '*.md')).map((path) => basename(path));

test.each(pages)('%s makes the calls of the table, and no others', (page) => {
  expect(listed(page)).toEqual(rightsIn(readFileSync(join(FOLDER, page), 'utf8')));
});

test('the table has no other pages', () => {
  expect(Object.keys(runbookCalls).filter((page) => !pages.includes(page))).toEqual(['console']);
  expect(pages.flatMap(listed).length).toBeGreaterThan(50);
});
