import { spawn } from 'node:child_process';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** An answer that needs no route. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a guard looks at. */
export interface Asked {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Returns true if another user of this machine sent it. */
  readonly isStranger: () => boolean;
}

/** The header that every change has. A page of another origin cannot send it without asking first. */
const CHANGE_HEADER = 'x-ailog-console';

/** 192 bits, which nobody guesses. */
const secret = () => randomBytes(24).toString('base64url');

/** Compares digests: texts of equal length can have other lengths in bytes, for which the comparison would throw. */
const isSame = (one: string, other: string) =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));

const deny = (status: number, text: string): Answer => ({ status, text });

/**
 * Creates the guard of a console that listens on a port of 127.0.0.1. It decides which requests come from the page of
 * this console. docs/threats.md says which attacks each rule stops.
 */
export function createGuard(port: number) {
  const host = `127.0.0.1:${port}`;
  // Browsers send the cookies of a host to all its ports: the name keeps two consoles apart.
  const cookie = `ailog-console-${port}`;
  const session = secret();
  let token: string | undefined = secret();

  const hasSession = ({ cookie: sent = '' }: IncomingHttpHeaders) =>
    sent.split('; ').some((one) => isSame(one, `${cookie}=${session}`));

  return {
    /** The link that opens the console. It works once. */
    link: `http://${host}/?token=${token}`,

    /** Returns the answer to a request that must not reach a route; undefined: it may. */
    check({ method, url = '', headers, isStranger }: Asked): Answer | undefined {
      if (headers.host !== host) return deny(421, `This console is at http://${host}.`);
      if (headers.origin !== undefined && headers.origin !== `http://${host}`) return deny(403, 'Wrong origin.');
      const site = headers['sec-fetch-site'];
      if (site !== undefined && site !== 'same-origin' && site !== 'none') return deny(403, 'Not from this page.');
      if (method !== 'GET' && method !== 'POST') return deny(405, 'Only GET and POST.');
      const [, given] = /^\/\?token=([\w-]+)$/.exec(url) ?? [];
      if (method === 'GET' && token !== undefined && given !== undefined && isSame(given, token)) {
        // The browser's arguments show the link to everyone on the machine.
        if (isStranger()) return deny(403, 'This console belongs to another user of this machine.');
        token = undefined;
        const setCookie = `${cookie}=${session}; Path=/; HttpOnly; SameSite=Strict`;
        return { status: 303, text: '', headers: { location: '/', 'set-cookie': setCookie } };
      }
      if (!hasSession(headers)) {
        return deny(
          401,
          'Open the link that ailog console printed. It works once: for another browser, start it again.',
        );
      }
      if (method === 'GET') return undefined;
      if (headers[CHANGE_HEADER] !== '1') return deny(403, `A change needs the header ${CHANGE_HEADER}: 1.`);
      if (headers['content-type'] !== 'application/json') return deny(415, 'A change needs application/json.');
      return undefined;
    },
  };
}

/** The end of an address in `/proc/net/tcp`: its port in hex. */
const portOf = (port = 0): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * Returns true if the other end of a connection within this machine belongs to another user, and not to root, who can
 * do anything. Only Linux tells.
 */
export function isOfStranger({ remotePort, localPort }: Pick<Socket, 'remotePort' | 'localPort'>): boolean {
  if (process.platform !== 'linux') return false;
  const [found] = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote]) => local?.endsWith(portOf(remotePort)) && remote?.endsWith(portOf(localPort)));
  // The columns: number, both addresses, state, queues, timer, retransmissions, user.
  const user = found?.[7];
  return user !== undefined && user !== '0' && user !== String(process.getuid?.());
}

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
