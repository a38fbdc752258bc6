import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readDemo } from '../../cli/store/targets/data.ts';
import { execute, start } from '../setup/execute.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';

/** A command of the session, and its output. */
interface Step {
  readonly command: string;
  readonly output: string;
}

/** Parses the `console` block of a page: commands after `$ `, each with its output. */
function stepsOf(page: string): Step[] {
  const [, block = ''] = /```console\n(.*?)```/s.exec(page) ?? [];
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...lines] = text.split('\n');
      return { command, output: lines.join('\n') };
    });
}

/** Returns the page with these steps in its `console` block. */
const withSteps = (page: string, steps: readonly Step[]): string =>
  page.replace(/```console\n.*?```/s, () => {
    const block = steps.map(({ command, output }) => `$ ${command}\n${output}`).join('');
    return `\`\`\`console\n${block}\`\`\``;
  });

/** Patterns of text that differs from run to run, and a placeholder for each. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{13}-[0-9a-f]{32}\b/g, '<entry>'],
  [/\bailog_[0-9a-f]{32}\b/g, '<key>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/\b\d{13}\b/g, '<ms>'],
  [/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/g, '<signature>'],
  [/\blocal:\S+/g, 'local:<user>'],
  // The leaves of a batch are sorted by their hashes.
  [/\bindex \d+\b/g, 'index <i>'],
  [/\bentry hash [0-9a-f]{64}\b/g, 'entry hash <hash>'],
  [/\b[0-9a-f]{8}\b/g, '<key id>'],
  [/;[rt]=\d+/g, ';<left>'],
  [/(?<= )\d+ s(?= )/g, '<span>'],
  // The alignment depends on the lengths of the values above.
  [/ {2,}/g, '  '],
];

/** Replaces everything that differs from run to run with placeholders. */
const stable = (text: string): string => VOLATILE.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text);

/** Returns the ids in an output that a later command may use: entry ids and access keys, in order. */
const namesIn = (text: string): string[] => text.match(/\b(\d{13}-[0-9a-f]{32}|ailog_[0-9a-f]{32})\b/g) ?? [];

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PAGE = file('docs/cli.md');

/** The address of the service on the page. The service of this test uses a free port. */
const URL_ON_PAGE = 'http://127.0.0.1:8787';

/** Starts the local service with empty data in a new folder, with `ailog` on the path. */
async function startLocal() {
  const folder = temporaryFolder();
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  symlinkSync(file('cli/main.ts'), join(programs, 'ailog'));
  // `npm run demo` works on the folder it is run in.
  const scripts = { demo: `node ${file('cli/local/demo/fillDemo.ts')}` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
  writeFileSync(join(folder, '.npmrc'), 'loglevel=silent\n');
  const PATH = `${programs}:${join(process.execPath, '..')}:${process.env.PATH}`;
  const service = start([process.execPath, file('cli/local/start.ts')], { cwd: folder, env: { PATH, PORT: '0' } });
  const answers = async () => {
    const { AILOG_URL = '' } = readDemo(join(folder, '.local/demo.env')) ?? {};
    return fetch(AILOG_URL).then(
      () => AILOG_URL,
      () => undefined,
    );
  };
  let url = await answers();
  while (url === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    url = await answers();
  }
  return { folder, url, env: { PATH }, stop: () => service.kill('SIGTERM'), ended: service.ended };
}

test('the session in docs/cli.md matches the real output', { timeout: 300_000 }, async () => {
  const page = readFileSync(PAGE, 'utf8');
  const steps = stepsOf(page);
  expect(steps.length).toBeGreaterThan(10);
  const { folder, url, env, stop, ended } = await startLocal();
  // Create the files that the page shows with cat.
  for (const { command, output } of steps) {
    const [, name] = /^cat (\S+)$/.exec(command) ?? [];
    if (name) writeFileSync(join(folder, name), output);
  }

  /** Ids on the page, mapped to the ids of this run. */
  const names = new Map<string, string>();
  const walked: Step[] = [];
  try {
    for (const { command, output } of steps) {
      const here = [...names].reduce((text, [there, name]) => text.replaceAll(there, name), command);
      const { stdout } = await execute(['sh', '-c', `{ ${here.replaceAll(URL_ON_PAGE, url)}; } 2>&1`], {
        cwd: folder,
        env,
      });
      const shown = stdout.replaceAll(url, URL_ON_PAGE);
      const there = namesIn(output);
      for (const [index, name] of namesIn(shown).entries()) {
        const known = there[index];
        if (known !== undefined && !names.has(known)) names.set(known, name);
      }
      walked.push({ command: here, output: shown });
      // To update the page with the real output: WALK=write npx vitest run test/docs
      if (process.env.WALK !== 'write') expect(stable(shown), command).toBe(stable(output));
    }
  } finally {
    stop();
    await ended;
  }
  if (process.env.WALK === 'write') writeFileSync(PAGE, withSteps(page, walked));
});
