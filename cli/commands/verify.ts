import { createReadStream } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { orUndefined } from '../../functions/orUndefined.ts';
import { askLog } from '../proof/evidence/askLog.ts';
import { entryCounter } from '../proof/evidence/countEntries.ts';
import { WORDS, type Word } from '../proof/evidence/judge.ts';
import { policyOption, readPolicy } from '../proof/evidence/readPolicy.ts';
import { rowsOf, sentencesOf } from '../proof/evidence/sentences.ts';
import { readSmallFile } from '../proof/evidence/smallFile.ts';
import { type LineVerdict, type Trusted, verify } from '../proof/evidence/verify.ts';
import { openLog } from '../proof/log/openLog.ts';
import { logFilesAt } from '../proof/log/publicFiles.ts';
import { openRegularFile } from '../shell/files/openRegularFile.ts';
import { defineCommand } from '../shell/terminal/defineCommand.ts';
import { Failure } from '../shell/terminal/failure.ts';
import { pause } from '../shell/terminal/signals.ts';
import { formatInstant } from '../shell/text/time.ts';
import { visible } from '../shell/text/visible.ts';

type FileVerdict = LineVerdict & { readonly file: string };

/** Returns the bytes of a file that evidence names, from its folder, up to 1 MiB; undefined: there is none. */
const readBeside = (evidence: string, name: string): Buffer | undefined =>
  orUndefined(() => readSmallFile(join(dirname(evidence), basename(name))))?.bytes;

const TIMES: ReadonlySet<string> = new Set(['receivedAt', 'deadline', 'seenBy', 'cameAt', 'until', 'since']);

/** Returns facts for `--json`: times as ISO 8601. */
const describe = (facts: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => {
      if (typeof value === 'number' && TIMES.has(name)) return [name, formatInstant(value)];
      return [name, typeof value === 'object' && !Array.isArray(value) ? describe(value) : value];
    }),
  );

const block = (title: string, rows: readonly (readonly [name: string, text: string])[]): string[] => [
  visible(title),
  ...rows.map(([name, text]) => `  ${name.padEnd(12)}${visible(text)}`),
];

/** Prints what does not hold, and the rest in sum; all with `verbose`. */
async function* blocksOf(verdicts: AsyncIterable<FileVerdict>, { verbose, log }: { verbose: boolean; log?: string }) {
  const rowsOfVerdict = (verdict: LineVerdict) => [...rowsOf(verdict), ...sentencesOf(verdict, log !== undefined)];
  let held: FileVerdict | undefined;
  let entries = 0;
  const open = new Map<string, number>();
  const counter = entryCounter();
  for await (const verdict of verdicts) {
    counter.add(verdict);
    const { word, about, file } = verdict;
    if (verbose || word !== 'ok') {
      yield { lines: block(`${word.padEnd(6)}  ${file}`, rowsOfVerdict(verdict)) };
      continue;
    }
    if (about === 'entry') {
      entries += 1;
      held = verdict;
    }
    for (const [kind, text] of sentencesOf(verdict, log !== undefined)) {
      const start = text.split(':', 1).join();
      if (kind === 'not proven') open.set(start, (open.get(start) ?? 0) + 1);
    }
  }
  if (entries === 1 && held) yield { lines: block(`ok      ${held.file}`, rowsOfVerdict(held)) };
  else if (entries > 1) {
    const sums = [...open].map(([text, count]) => ['not proven', `${count} lines: ${text}`] as const);
    yield { lines: block(`ok      ${entries} entries; --verbose shows each`, sums) };
  }
  const counted = counter.rows();
  if (counted.length > 0) yield { lines: counted.map(([name, text]) => `${name.padEnd(14)}${visible(text)}`) };
}

export default defineCommand({
  words: 'verify',
  for: 'Teams',
  summary: 'Verify receipts, journals of uploads, statements and exports, offline.',
  details:
    'Only --log uses the network. Each line gets one word: ok (exit code 0), WRONG (1), LATE or MISSING (6), NO PROOF (5). The command also says what a line does not prove.',
  examples: [
    ['verify receipt.txt --body log.json', 'a receipt and the body that it is about, with ./tlog.policy'],
    ['verify logs/ailog-results.jsonl', 'the receipts of all uploads of a folder, with its logs'],
    ['verify receipt.txt --log https://tlog.example.org/ailog', 'also look the entry up in the public log'],
    ['verify alpha.statement --policy tlog.policy', 'every entry of a statement'],
  ],
  args: {
    files: { name: '<file...>', help: 'the header AI-LOG-RECEIPT, or JSON lines: journals, statements, exports' },
  },
  options: {
    policyFile: policyOption,
    body: { flags: '--body <file>', help: 'the body that was sent, for a receipt' },
    place: { flags: '--log <url|folder>', help: 'look the entries up in the public log, or in your copy of it' },
    verbose: { flags: '--verbose', help: 'show each line, not only those that do not hold' },
  },
  async run({ files, policyFile, body, place }, { terminal, remark }) {
    const at = (file: string) => resolve(terminal.cwd(), file);
    const { policy, path: policyPath } = readPolicy(terminal, policyFile);
    if (body !== undefined && files.length > 1) throw new Failure('usage', '--body needs one file.');
    const given = body === undefined ? undefined : readSmallFile(at(body));
    if (given && !given.isWhole) throw new Failure('usage', `${body} is larger than 1 MiB, so it is not a body.`);
    const opened = files.map((file) => ({ file, path: at(file), descriptor: openRegularFile(at(file)) }));
    const log: Trusted['log'] =
      place === undefined
        ? undefined
        : await askLog(await openLog(logFilesAt(place, at(place), terminal.signal), policy));
    const counts = new Map<Word, number>();

    return (async function* verdicts(): AsyncGenerator<FileVerdict> {
      for (const { file, path, descriptor } of opened) {
        const bodyOf = (name: string | undefined) => (name === undefined ? given?.bytes : readBeside(path, name));
        const chunks = createReadStream(path, { fd: descriptor });
        for await (const verdict of verify(chunks, { policy, bodyOf, log })) {
          await pause(terminal.signal);
          counts.set(verdict.word, (counts.get(verdict.word) ?? 0) + 1);
          yield { file, ...verdict };
        }
      }
      if (counts.has('WRONG')) terminal.reportNegative();
      if (counts.has('MISSING') || counts.has('LATE')) terminal.reportBroken();
      if (counts.has('NO PROOF') || counts.size === 0) terminal.reportUnchecked();
      const told = WORDS.toReversed().flatMap((word) => (counts.has(word) ? [`${word}: ${counts.get(word)}`] : []));
      remark(`${told.join(', ') || 'There is no evidence in it'}. Trusted: the keys in ${policyPath}.`);
      if (policyFile === undefined) remark('Make sure that this policy is the one of the organisers.');
    })();
  },
  async *json(verdicts) {
    for await (const { members: _, facts, ...verdict } of verdicts) {
      yield { ...verdict, ...describe({ ...facts, file: undefined, log: facts.file }), file: verdict.file };
    }
  },
  shows: (verdicts, { verbose, place }) => blocksOf(verdicts, { verbose, ...(place !== undefined && { log: place }) }),
});
