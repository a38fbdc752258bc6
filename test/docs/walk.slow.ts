import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readDemo } from '../../cli/store/targets/data.ts';
import { execute, start } from '../setup/execute.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { namesIn, type Step, stable, stepsOf, withSteps } from './walk.ts';

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
