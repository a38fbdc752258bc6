import { spawn } from 'node:child_process';

/**
 * Opens a link in the browser of the user. Without a browser, nothing happens: the link is printed too. On macOS, the
 * link is no argument, which other users could see. On Linux it is: there, it works for this user only (`guard.ts`).
 */
export function openBrowser(link: string): void {
  const [program, args, input] =
    process.platform === 'darwin'
      ? ['osascript', [], `open location "${link}"`]
      : [process.platform === 'win32' ? 'explorer.exe' : 'xdg-open', [link], ''];
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true }).on('error', () => {});
  child.stdin.on('error', () => {}).end(input);
  child.unref();
}
