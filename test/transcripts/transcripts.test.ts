/**
 * What commands print, word for word: one text file for each command, in the folder of its words. It has lines
 * `$ ailog …`, each with its output, stdout and stderr together, and `[exit 2]` if the exit code is not 0. To write the
 * outputs: `UPDATE=1 npx vitest run --project unit test/transcripts`.
 *
 * `world.ts` says which data there is; a transcript that begins with `# empty` starts with empty tables, and one that
 * begins with `# shared` changes no data, and runs where others have run. Placeholders such as `<entry-1>` and `<key-1>`
 * stand for what differs from run to run, in the commands too; an id that a command prints first gets the next number.
 * `cat FILE` shows a file, `sleep 10` lets the sequencer run, and `< FILE` is the standard input.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { program } from '../../cli/main.ts';
import { runCommand } from '../setup/world.ts';
import { buildWorld, type Place } from './world.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Ids that get a placeholder with a number when they appear. */
const IDS: readonly (readonly [RegExp, string])[] = [
  [/\b\d{13}-[0-9a-f]{32}\b/g, 'entry'],
  [/\bailog_[0-9a-f]{32}\b/g, 'key'],
];

/** Other texts that differ from run to run, and a placeholder for each. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b20(?!25)\d\d-\d\d-\d\d\b/g, '<day>'],
  [/\b\d{13}(?!\d)/g, '<ms>'],
  [/\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*/g, '+<public key>'],
  [/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/g, '<base64>'],
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/\b[0-9a-f]{32}\b/g, '<passphrase>'],
  [/\b[0-9a-f]{16}\b/g, '<id>'],
  [/(?<=\bindex"?:? )\d+\b/g, '<i>'],
  [/;[rt]=\d+/g, ';<left>'],
  [/^bytes +\d+$/gm, 'bytes       <bytes>'],
  [/(?<=("|signed by +|keys +))[0-9a-f]{8}\b/g, '<key id>'],
  [/\bYWktbG9nLXJlY2VpcHQv[\w+/]+=*/g, '<receipt>'],
];

/** Those of which the length differs too. */
const UNEVEN: readonly (readonly [RegExp, string])[] = [
  [/(?<=\bbytes"?:? +)\d{4,}/g, '<bytes>'],
  [/\b127\.0\.0\.1:\d{4,5}\b/g, '<host>'],
  [/\blocal:(?!admin)[^\s,"]+/g, 'local:<user>'],
  [/(?<= )(\d+ min )?\d+(\.\d+)? m?s(?=[ .,])|(?<= )\d+ min(?= ago)/g, '<span>'],
  [/(?<="(lag|age)Seconds": )\d+/g, '<n>'],
];

/** Replaces texts with a placeholder. In a table, it takes as much room as they did. */
const put = (text: string, pattern: RegExp | string, name: string): string =>
  text.replaceAll(pattern, (match: string, ...rest: unknown[]) => {
    const at = rest.find((one) => typeof one === 'number') ?? 0;
    return text.startsWith('  ', at + match.length) ? name.padEnd(match.length) : name;
  });

/** Replaces what differs from run to run, and gives new ids a placeholder. */
function stable(text: string, { names, uneven }: Place): string {
  for (const [pattern, kind] of IDS) {
    for (const [id] of text.matchAll(pattern)) {
      if ([...names.values()].includes(id)) continue;
      const count = [...names.keys()].filter((name) => name.startsWith(`<${kind}-`)).length;
      names.set(`<${kind}-${count + 1}>`, id);
    }
  }
  const even = [...names].reduce((rest, [name, value]) => put(rest, value, name), text);
  const named = VOLATILE.reduce((rest, [pattern, name]) => put(rest, pattern, name), even);
  const places = [...uneven].reduce((rest, [name, value]) => rest.replaceAll(value, name), named);
  const all = UNEVEN.reduce((rest, [pattern, name]) => rest.replace(pattern, name), places);
  // The alignment depends on the lengths of these.
  return all === named ? all : all.replace(/(?<=\S) {2,}/g, '  ');
}

/** Splits a command line into words, as a shell does; quotes keep blanks. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');

/** Runs a line of a transcript. @returns its output as it is */
async function run(place: Place, line: string): Promise<string> {
  const given = [...place.names, ...place.uneven].reduce((rest, [name, value]) => rest.replaceAll(name, value), line);
  const [, command = '', input] = /^(.*?)(?: < (\S+))?$/.exec(given) ?? [];
  const [name, ...args] = wordsOf(command);
  if (name === 'sleep') return place.sequence().then(() => '');
  if (name === 'cat') return readFileSync(join(place.folder, args[0] as string), 'utf8');
  if (name !== 'ailog') throw new Error(`A transcript can run ailog, cat and sleep: ${line}`);
  const text = input === undefined ? '' : readFileSync(join(place.folder, input), 'utf8');
  const ran = await runCommand(args, { cwd: place.folder, input: text, mixed: true });
  const end = ran.stdout === '' || ran.stdout.endsWith('\n') ? '' : '\n';
  return `${ran.stdout}${end}${ran.exitCode === 0 ? '' : `[exit ${ran.exitCode}]\n`}`;
}

const world = await buildWorld();
const shared = await world.open();

/** Runs the commands of a transcript. @returns the transcript as it should be */
async function transcribe(text: string): Promise<string> {
  const isShared = text.startsWith('# shared\n');
  const place = isShared
    ? { ...shared, names: new Map(shared.names), stop: async () => {} }
    : await world.open({ isEmpty: text.startsWith('# empty\n') });
  const written: string[] = [];
  try {
    for (const line of text.split('\n').filter((one) => /^[#$] /.test(one))) {
      const output = line.startsWith('$ ') ? stable(await run(place, line.slice(2)), place) : '';
      written.push(`${line}\n${output}`);
    }
  } finally {
    await place.stop();
  }
  return written.join('');
}

const transcripts = globSync('**/*.txt', { cwd: FOLDER }).sort();

describe.concurrent('a transcript is what the commands print', () => {
  test.each(transcripts)('%s', async (file) => {
    const path = join(FOLDER, file);
    const before = readFileSync(path, 'utf8');
    const now = await transcribe(before);
    if (process.env.UPDATE) writeFileSync(path, now);
    else expect(now).toBe(before);
  });
});

test('every command has a transcript, and so has a session', () => {
  const words = transcripts.map((file) => file.replace(/\.txt$/, '').replace('/', ' '));
  expect(words.sort()).toEqual([...Object.keys(program.commands), 'session'].sort());
});
