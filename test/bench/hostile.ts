import { createHash } from 'node:crypto';
import { judgeEntry } from '../../cli/proof/evidence/judge.ts';
import { type Members, readLine } from '../../cli/proof/evidence/lines.ts';
import { formatTable } from '../../cli/shell/terminal/format.ts';
import { prettyJson } from '../../cli/shell/text/prettyJson.ts';
import { entryTextOf } from '../../cli/store/entries/describeEntry.ts';
import { findText } from '../../cli/store/entries/findText.ts';
import { verifyContent } from '../../cli/store/entries/verifyContent.ts';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { featureRow } from '../../functions/features/featureRow.ts';
import { received } from '../ailog/received.ts';
import { logText } from '../setup/upload.ts';

/** The size of each body in bytes: the largest that the service accepts. */
const BYTES = 1024 * 1024;
const ROUNDS = 5;

const NOTHING_KNOWN = { policy: parsePolicy('quorum none\n'), receiptKeys: [], checkpoint: undefined };

const PROSE = 'Momentum fades – the “breakout” failed, so we sell half at 91 250 and wait for a retest of the range. ';

const LOG = { stage: 'Decision', model: 'GPT-5', input: { n: 1 }, explanation: 'The trend is over.' };

/** Returns a body of nearly 1 MiB. @param part is repeated in the text of the output, as JSON writes it */
function bodyOf(part: string, before = ''): string {
  const room = BYTES - 400 - Buffer.byteLength(before);
  const times = Math.floor(room / Buffer.byteLength(JSON.stringify(part).slice(1, -1)));
  return logText({ ...LOG, output: { text: before + part.repeat(times) } });
}

/** Returns a body with another output. @param output JSON */
const bodyWith = (output: string) => logText(LOG, { output });

const list = (count: number, item: (n: number) => string) => Array.from({ length: count }, (_, n) => item(n)).join(',');

const bodies: Readonly<Record<string, string>> = {
  'plain: prose': bodyOf(PROSE),
  'plain: Russian prose': bodyOf('Импульс слабеет, поэтому мы продаём половину и ждём. '),
  'plain: 30 000 short texts': bodyWith(`{${list(30_000, (n) => `"k${n}":"sell half now, wait"`)}}`),
  'U+0301 U+0316': bodyOf('\u0301\u0316'),
  'U+0301 U+034F U+0316': bodyOf('\u0301\u034f\u0316'),
  'U+FF9E U+0316': bodyOf('\uff9e\u0316'),
  'U+FDFA': bodyOf('\ufdfa'),
  'U+3316': bodyOf('\u3316'),
  'U+0301': bodyOf('\u0301'),
  'e U+0301': bodyOf('e\u0301'),
  'U+1F82': bodyOf('\u1f82'),
  'one word': bodyOf('x', 'é'),
  'one-letter words': bodyOf('é '),
  'nested 2 000 deep': bodyWith(`{"a":${'[{"a":'.repeat(1000)}"${PROSE.repeat(9000)}"${'}]'.repeat(1000)}}`),
  '100 000 names': bodyWith(`{${list(100_000, (n) => `"${n}":1`)}}`),
  '500 000 numbers': bodyWith(`{"a":[${list(500_000, () => '1')}]}`),
  'half surrogates': bodyOf('\ud83d'),
  'U+200D': bodyOf('\u200d'),
  'emoji with joiners': bodyOf('👨‍👩‍👧'),
  'invisible in words': bodyOf('a\u034f'),
  backslashes: bodyOf('\\'),
  quotes: bodyOf('"'),
  'line breaks': bodyOf('\n'),
  spaces: bodyWith(`{"a":[${`1,${' '.repeat(20)}`.repeat(45_000)}1]}`),
};

/** The work of a command on one entry, by name. */
const steps: Readonly<Record<string, (body: string, entry: Entry) => unknown>> = {
  report: (_body, entry) => featureRow(entry),
  search: (body, entry) => findText('nothing like this', entry, body),
  found: (body, entry) => findText('trend is over', { ...entry, stage: body.slice(0, 100_000) }, body),
  show: (body) => [...prettyJson(body)].length,
  list: (body) => formatTable([{ text: body, more: body }], { width: 80 }),
  verify: (body, entry) => verifyContent(entry, Buffer.from(body)),
  statement: (body, entry) => {
    const bytes = Buffer.from(JSON.stringify({ entry: entryTextOf(entry), body }));
    return judgeEntry(readLine({ number: 1, bytes, isEnded: true }) as Members, NOTHING_KNOWN);
  },
};

function entryOf(body: string): Entry {
  const rawBody = Buffer.from(body);
  const signature = createHash('sha256').update(rawBody).digest('base64');
  return composeEntry(LOG, { ...received, signature, rawBody });
}

/** Returns the CPU time of the fastest of some rounds, in milliseconds. */
function cpuMs(work: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...rounds);
}

/** Measures the CPU time of commands on one entry of hostile text, and its ratio to the slowest plain text. */
export async function measureHostile(): Promise<string[]> {
  const names = Object.keys(steps);
  const times = Object.entries(bodies).map(([name, body]) => {
    const entry = entryOf(body);
    return [name, names.map((step) => cpuMs(() => steps[step]?.(body, entry)))] as const;
  });
  const plain = names.map((_, step) =>
    Math.max(...times.filter(([name]) => name.startsWith('plain')).map(([, ofBody]) => ofBody[step] as number)),
  );
  const ratio = (ms: number, step: number) => ms / Math.max(1, plain[step] as number);
  const highest = names.map((_, step) => Math.max(...times.map(([, ofBody]) => ratio(ofBody[step] as number, step))));
  return [
    'CPU time for one entry of 1 MiB in ms (ratio to the slowest plain text)',
    ['text'.padEnd(28), ...names.map((name) => name.padStart(13))].join(''),
    ...times.map(([name, ofBody]) =>
      [
        name.padEnd(28),
        ...ofBody.map((ms, step) => `${ms.toFixed(0)} (${ratio(ms, step).toFixed(1)})`.padStart(13)),
      ].join(''),
    ),
    ['highest ratio'.padEnd(28), ...highest.map((one) => one.toFixed(1).padStart(13))].join(''),
  ];
}
