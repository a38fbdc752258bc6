import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

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
