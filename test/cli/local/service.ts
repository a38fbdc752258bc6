import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDemo } from '../../../cli/store/targets/data.ts';
import { logText, signedUpload, start as startProgram, temporaryFolder, withHeader } from '../../setup/world.ts';

/** The program that `npm start` runs. */
export const START = fileURLToPath(new URL('../../../cli/local/start.ts', import.meta.url));

/** Runs `npm start` in a folder until it has printed its last line. */
export async function start(folder: string, environment: Record<string, string> = {}, args: readonly string[] = []) {
  const env = { PATH: process.env.PATH, PORT: '0', ...environment };
  const { output, kill, pid, ended } = startProgram([process.execPath, START, ...args], { cwd: folder, env });
  let hasEnded = false;
  const exit = ended.then(({ exitCode }) => {
    hasEnded = true;
    return exitCode;
  });
  while (!hasEnded && !output().includes('Ctrl-C ends.')) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    output,
    exit,
    pid: pid as number,
    stop: async (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
      kill(signal);
      return exit;
    },
  };
}

export const newFolder = () => temporaryFolder();

/** Returns the credentials of the demo team. */
export const demoOf = (folder: string) => {
  const demo = readDemo(join(folder, '.local/demo.env'));
  if (!demo) throw new Error('no demo.env');
  return demo;
};

/** Runs the printed upload command in a shell. @returns the answer */
export const paste = (folder: string, output: string) => {
  const [command = ''] = /^\( \. .*? \)$/ms.exec(output) ?? [];
  return JSON.parse(execFileSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8' }));
};

/** Uploads a log of the demo team. @param locale undefined sends none */
export const sendLog = (
  folder: string,
  change: Record<string, unknown> = {},
  { locale }: { locale?: string } = { locale: 'en-US' },
) => {
  const demo = demoOf(folder);
  const team = {
    uid: '',
    accessKey: demo.AILOG_ACCESS_KEY,
    secret: demo.AILOG_SECRET,
    passphrase: demo.AILOG_PASSPHRASE,
  };
  const { path, method, headers, body } = withHeader(signedUpload(team, { body: logText(change) }), 'locale', locale);
  return fetch(demo.AILOG_URL + path, { method, headers: Object.fromEntries(headers), body });
};
