import type { Received } from '../../functions/ailog/entry.ts';

/** The parts of an entry that come from its request, of a request with an empty object as its body. */
export const received: Received = {
  uid: '42',
  accessKey: 'key',
  timestamp: '1763103201300',
  signature: 'c2lnbmF0dXJl',
  receivedAt: 1763103201400,
  locale: 'en-US',
  sourceIp: '192.0.2.1',
  rawBody: Buffer.from('{}'),
};
