import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { localWorld } from '../../setup/world.ts';
import { ask, openConsole } from './openConsole.ts';

const local = await localWorld();
const running = await openConsole(local.folder);
const own = await running.headers();
const { origin, port } = running;

/** Returns numbers from 0 to 1 that follow from a seed. */
function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('10 000 requests with odd bytes, methods, addresses and headers do not end the console', async () => {
  const random = randomFrom(32);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const bytes = (most: number) =>
    String.fromCharCode(...Array.from({ length: random() * most }, () => Math.floor(random() * 256)));
  const session = own['x-ailog-session'];
  const requestOf = () => {
    const method = pick(['GET', 'POST', 'POST', 'HEAD', 'OPTIONS', 'CONNECT', 'PUT', 'get', 'BREW', bytes(6)]);
    const path = pick([
      '/',
      '//',
      '/api/',
      '/api/status',
      '/api/entry?uid=1&id=1',
      '/api/addOrders',
      '/api/enter',
      '/%',
      '*',
      'http://x:99999/',
      'http://[',
      `/api/detail?uid=1&at=${bytes(9)}`,
      `/${bytes(20)}`,
      bytes(9),
    ]);
    const headers = [
      pick([`host: ${new URL(origin).host}`, `host: ${new URL(origin).host}`, `Host: ${bytes(9)}`, 'x: y']),
      pick([
        `x-ailog-session: ${session}`,
        `x-ailog-session: ${session}`,
        `x-ailog-session: \xff${session.slice(1)}`,
        `cookie: ${'\xff'.repeat(32)}`,
        '',
      ]),
      pick(['content-type: application/json', 'content-type: application/json', `content-type: ${bytes(9)}`]),
      pick([
        'x-ailog-token: \xff',
        `origin: ${bytes(9)}`,
        'expect: 100-continue',
        'upgrade: websocket\r\nconnection: upgrade',
        'transfer-encoding: chunked',
        `${bytes(9)}: ${bytes(9)}`,
        `content-length: ${pick(['2', '-1', '9e9', bytes(3)])}`,
      ]),
    ];
    const body = pick(['', '{}', 'null', '{"name":1}', '[', bytes(30)]);
    return `${method} ${path} HTTP/1.1\r\n${headers.filter(Boolean).join('\r\n')}\r\n\r\n${body}`;
  };
  let answered = 0;
  const send = (text: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(text, 'latin1'));
      socket.on('data', () => {
        answered += 1;
        socket.destroy();
      });
      socket.on('error', () => {}).on('close', () => resolve());
    });
  for (let round = 0; round < 200; round += 1) await Promise.all(Array.from({ length: 50 }, () => send(requestOf())));
  expect(answered).toBeGreaterThan(5000);
  expect((await ask(origin, '/api/status', own)).status).toBe(200);
});
