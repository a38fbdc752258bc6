/** The attributes of an entry that its receipt is about. */
export const entry = {
  uid: '1001',
  entryId: '1763103201300-00112233445566778899aabbccddeeff',
  receivedAt: 1763103201345,
  accessKey: 'ailog_1',
  timestamp: '1763103201300',
  signature: 'c2ln',
  locale: 'en-US',
  sourceIp: '192.0.2.1',
  bodySha256: 'ab'.repeat(32),
  bodyBytes: 2,
};
