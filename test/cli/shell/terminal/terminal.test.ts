import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../cli/shell/terminal/failure.ts';
import { createTerminal } from '../../../../cli/shell/terminal/terminal.ts';

/** Creates a terminal of this width. Without a width, its streams are files. */
function open({ columns = 0, env = {} as NodeJS.ProcessEnv } = {}) {
  const isTTY = columns > 0;
  const written: string[] = [];
  const streamOf = (name: string) => {
    const stream = Object.assign(new PassThrough(), { isTTY, columns });
    stream.on('data', (chunk) => written.push(`${name}: ${chunk}`));
    return stream as never;
  };
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => {} });
  const host = { env, stdin: stdin as never, stdout: streamOf('out'), stderr: streamOf('err'), cwd: () => '/' };
  /** Types keys when the question is on the screen. */
  const type = async (keys: string) => {
    await expect.poll(() => written.join('')).toContain('\u001b[?25l');
    stdin.write(keys);
  };
  return { terminal: createTerminal(host), written, type };
}

describe('notes and failures cannot control the terminal', () => {
  const HOSTILE = 'a\u001b[2J\u202e\nb';
  const SHOWN = 'a\\u001b[2J\\u202e\\nb';
  type Opened = ReturnType<typeof open>['terminal'];

  // biome-ignore format: one case a line
  test.each<[string, (terminal: Opened) => unknown, string[]]>([
    ['a note', (terminal) => terminal.note(HOSTILE), [`err: ${SHOWN}\n`]],
    ['a failure and its advice', (terminal) => terminal.fail(new Failure('negative', HOSTILE, { advice: HOSTILE })), [`err: ${SHOWN}\n`, `err: ${SHOWN}\n`]],
    ['a line of a failure', (terminal) => terminal.fail(new Failure('negative', ['These:', HOSTILE])), ['err: These:\n', `err: ${SHOWN}\n`]],
    ['a line', (terminal) => terminal.print('a\u001b[2J\u202e'), ['out: a\\u001b[2J\\u202e\n']],
  ])('as %s', async (_name, show, shown) => {
    const { terminal, written } = open();
    await show(terminal);
    expect(written).toEqual(shown);
  });

  test.each([
    [{ columns: 80 }, '\u001b[31mNo.\u001b[39m'],
    [{ columns: 80, env: { NO_COLOR: '1' } }, 'No.'],
    [{ columns: 80, env: { TERM: 'dumb' } }, 'No.'],
    [{}, 'No.'],
  ])('on a terminal with colour, a failure is red, but not its advice: %o', (host, shown) => {
    const { terminal, written } = open(host);
    terminal.fail(new Failure('negative', 'No.', { advice: 'Try again.' }));
    expect(written).toEqual([`err: ${shown}\n`, 'err: Try again.\n']);
  });
});

describe('a table', () => {
  const rows = [{ n: 1, text: 'x'.repeat(100) }];

  test('fits the terminal, has bold names, and a note says in which columns a text was cut', async () => {
    const { terminal, written } = open({ columns: 40 });
    await terminal.table([{ n: 1, text: 'x'.repeat(100), more: 'x'.repeat(100) }]);
    expect(written).toEqual([
      `out: \u001b[1mn  text${' '.repeat(15)}more\u001b[22m\n`,
      `out: 1  ${'x'.repeat(16)}…  ${'x'.repeat(16)}…\n`,
      'err: Cut to fit: text, more. --wide shows the\nwhole text.\n',
    ]);
  });

  test('names the columns that are left out', async () => {
    const { terminal, written } = open({ columns: 20 });
    await terminal.table([{ uid: '1', signed: '2026-11-21T12:53:04Z', stage: 'S' }]);
    expect(written.slice(1)).toEqual(['out: 1    S\n', 'err: Left out to fit:\nsigned. --wide shows\nall columns.\n']);
  });

  test('is plain and whole in a file', async () => {
    const { terminal, written } = open();
    await terminal.table(rows);
    expect(written).toEqual(['out: n  text\n', `out: 1  ${'x'.repeat(100)}\n`]);
  });
});

test('lines and facts are wrapped on a terminal, and whole in a file; JSON is never wrapped', async () => {
  const long = 'one two three four five six seven';
  for (const [columns, written] of [
    [
      20,
      [
        `out: one two three four\nfive six seven\n`,
        'out: fact    one two\n        three four\n        five six\n        seven\n',
      ],
    ],
    [0, [`out: ${long}\n`, `out: fact    ${long}\n`]],
  ] as const) {
    const opened = open({ columns });
    await opened.terminal.print(long);
    await opened.terminal.facts({ fact: long });
    expect(opened.written).toEqual(written);
  }
  const { terminal, written } = open({ columns: 20 });
  await terminal.json({ long });
  expect(written).toEqual([`out: {\n  "long": "${long}"\n}\n`]);
});

test('JSON and facts have no hidden characters', async () => {
  const { terminal, written } = open();
  await terminal.json({ a: '\u009b' });
  await terminal.facts({ a: '\u009b\n', long: 'x'.repeat(5000), none: undefined });
  await terminal.facts({ long: 'x'.repeat(5000) }, { full: true });
  expect(written).toEqual([
    'out: {\n  "a": "\\u009b"\n}\n',
    'out: a       \\u009b\\n\n',
    `out: long    ${'x'.repeat(4096)}… (904 more characters)\n`,
    `out: long    ${'x'.repeat(5000)}\n`,
  ]);
});

test('the signal is that of the host, or never aborted', () => {
  const { terminal } = open();
  expect(terminal.signal.aborted).toBe(false);
  const signal = AbortSignal.abort();
  expect(createTerminal({ ...terminal, stdout: process.stdout, stderr: process.stderr, signal }).signal).toBe(signal);
});

test('values become one JSON array, however many they are', async () => {
  const texts = await Promise.all(
    [[], [1], [1, { a: '\u009b' }]].map(async (values) => {
      const { terminal, written } = open();
      await terminal.jsonArray(values);
      return written.join('').replaceAll('out: ', '');
    }),
  );
  expect(texts).toEqual(['[]\n', '[\n1\n]\n', '[\n1,\n{\n  "a": "\\u009b"\n}\n]\n']);
});

test('a write waits until the reader keeps up', async () => {
  const { terminal } = open();
  const stdout = new PassThrough({ highWaterMark: 1 });
  const slow = createTerminal({ ...terminal, stdout: stdout as never, stderr: stdout as never } as never);
  let done = false;
  const writing = slow.write('long').then(() => {
    done = true;
  });
  await new Promise(setImmediate);
  expect(done).toBe(false);
  stdout.resume();
  await writing;
});

describe('the exit code', () => {
  test.each<[string, (report: ReturnType<typeof createTerminal>) => void, number]>([
    ['nothing was reported', () => {}, 0],
    ['a negative result', (report) => report.reportNegative(), 1],
    ['something could not be checked', (report) => report.reportUnchecked(), 5],
    [
      'both, in either order',
      (report) => {
        report.reportUnchecked();
        report.reportNegative();
        report.reportUnchecked();
      },
      1,
    ],
  ])('%s', (_name, act, code) => {
    const { terminal } = open();
    act(terminal);
    expect(terminal.exitCode).toBe(code);
  });
});

describe('a question', () => {
  const CHANGED_NOTHING = { outcome: 'negative', message: 'Nothing was changed.' };
  const INTERRUPTED = { outcome: 'interrupted', message: 'Interrupted. Nothing was changed.' };

  test('names the option that answers it if there is no terminal', async () => {
    const { terminal } = open();
    const message = 'Really? Cannot ask: no terminal.';
    await expect(terminal.confirm('Really?')).rejects.toMatchObject({
      outcome: 'usage',
      message,
      advice: 'Give --yes to confirm.',
    });
    await expect(terminal.confirm('Really?', '--lift')).rejects.toMatchObject({
      message,
      advice: 'Give --lift to confirm.',
    });
  });

  test.each([
    ['y', undefined],
    ['\r', CHANGED_NOTHING],
    ['n', CHANGED_NOTHING],
    ['\u0003', INTERRUPTED],
    ['\u0004', INTERRUPTED],
  ])('answered with %j', async (keys, failure) => {
    const { terminal, written, type } = open({ columns: 80 });
    const asked = terminal.confirm('Really?').catch((error) => error);
    await type(keys);
    if (failure) expect(await asked).toMatchObject(failure);
    else expect(await asked).toBeUndefined();
    expect(written.join('')).toContain('Really?');
    expect(written.join('')).not.toContain('out: ');
  });
});

describe('progress', () => {
  test('is erased before a note and a failure', () => {
    const { terminal, written } = open({ columns: 80 });
    terminal.progress(undefined, 'Reading');
    terminal.note('A note.');
    terminal.fail(new Failure('negative', 'No.'));
    expect(written).toEqual([
      'err: \r\u001b[KReading',
      'err: \r\u001b[K',
      'err: A note.\n',
      'err: \r\u001b[K',
      'err: \u001b[31mNo.\u001b[39m\n',
    ]);
  });

  test.each([
    ['a file', {}],
    ['a terminal without colour', { columns: 80, env: { NO_COLOR: '1' } }],
    ['a dumb terminal', { columns: 80, env: { TERM: 'dumb' } }],
  ])('is not shown on %s', (_name, options) => {
    const { terminal, written } = open(options);
    const progress = terminal.progress(2, 'Reading');
    progress.advance(1, 'a');
    progress.stop('done');
    expect(written).toEqual([]);
  });
});
