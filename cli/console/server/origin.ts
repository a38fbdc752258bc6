import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../../shell/terminal/failure.ts';

/** `appleHost`: for the browsers of Apple, if they need another one. */
export type Hosts = Readonly<{ host: string; appleHost?: string | undefined }>;

/**
 * Returns the hosts of a console. `host` is a name of 128 random bits: nobody has left anything in a browser at its
 * origin. Browsers take names under .localhost for this machine, except those of Apple, which get `appleHost`:
 * docs/threats.md.
 */
export const hostsOf = (port: number, platform = process.platform): Hosts => {
  const host = `${randomBytes(16).toString('hex')}.localhost:${port}`;
  return platform === 'darwin' ? { host, appleHost: `127.0.0.1:${port}` } : { host };
};

/** The addresses that a browser takes for a name under .localhost. Nobody else may listen at one of them. */
const ADDRESSES = ['127.0.0.1', '::1'];

/** The errors of a machine without IPv6, on which nobody can listen there. */
const ABSENT = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** The number of free ports that are tried. Of each, somebody else may have the other address. */
const MAX_PORTS = 20;

/** Listens at all addresses of this machine by which a browser may come. @throws Failure if one of them is in use */
async function listenAt(port: number, respond: RequestListener) {
  const servers: Server[] = [];
  const close = () => {
    for (const server of servers) server.close().closeAllConnections();
  };
  let taken = port;
  for (const address of ADDRESSES) {
    const server = createServer(respond).listen(taken, address);
    try {
      await once(server, 'listening');
      servers.push(server);
      taken = (server.address() as AddressInfo).port;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (servers.length > 0 && ABSENT.includes(code)) continue;
      close();
      if (code !== 'EADDRINUSE') throw error;
      const advice = 'Give another --port, or none.';
      throw new Failure('usage', `The port ${taken} is in use.`, { cause: error, advice });
    }
  }
  return { port: taken, close };
}

/** Listens on this machine only. @param port 0: any that is free @throws Failure if it is in use */
export async function listen(port: number, respond: RequestListener) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listenAt(port, respond);
    } catch (error) {
      if (port !== 0 || !(error instanceof Failure) || attempt === MAX_PORTS) throw error;
    }
  }
}
