import { createServer } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { listen } from '../../../cli/local/serve.ts';
import { startEngine } from '../../../cli/store/targets/embeddedEngine.ts';
import { startServer } from '../../setup/server.ts';

/** Addresses at which a server on 127.0.0.1 does not answer. On Linux, all of 127.0.0.0/8 is this machine. */
const otherAddresses = [
  '127.0.0.2',
  ...Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  ),
];

/** Checks that something accepts connections at an address. */
const accepts = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port, timeout: 2000 });
    const end = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });

/** Returns the addresses of this machine at which a URL's port accepts connections. */
async function addressesOf(url: string): Promise<string[]> {
  const port = Number(new URL(url).port);
  const addresses = ['127.0.0.1', ...otherAddresses];
  const accepted = await Promise.all(addresses.map((host) => accepts(host, port)));
  return addresses.filter((_address, index) => accepted[index]);
}

test('the local service listens on the loopback address only', async () => {
  const server = createServer();
  const url = await listen(server, 0);
  expect(await addressesOf(url)).toEqual(['127.0.0.1']);
  server.close();
});

test('the DynamoDB engine listens on the loopback address only', async () => {
  const engine = await startEngine();
  expect(await addressesOf(engine.endpoint)).toEqual(['127.0.0.1']);
  await engine.stop();
});

test('the check finds a server that listens on all addresses', async () => {
  const { url } = await startServer(() => {}, 0, '0.0.0.0');
  expect((await addressesOf(url)).length).toBeGreaterThan(1);
});
