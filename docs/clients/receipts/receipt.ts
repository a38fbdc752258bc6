/** Checks receipt.txt against log.json and AILOG_RECEIPT_KEY: see "Receipts" in clients.md. Needs Node 22.18. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const vkey = /^([^+]+)\+([^+]+)\+(.+)$/.exec(process.env.AILOG_RECEIPT_KEY ?? '');
const [, name = '', id = '', encoded = ''] = vkey ?? [];
const x = Buffer.from(encoded, 'base64').subarray(1).toString('base64url'); // the first byte is the type, Ed25519
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
const note = Buffer.from(readFileSync('receipt.txt', 'utf8'), 'base64').toString();
const end = note.lastIndexOf('\n\n') + 1;
const text = note.slice(0, end);
const isSigned = note
  .slice(end + 1)
  .split('\n')
  .some((line) => {
    const signature = Buffer.from(line.split(' ')[2] ?? '', 'base64');
    return (
      line.startsWith(`— ${name} `) &&
      signature.toString('hex', 0, 4) === id &&
      verify(null, Buffer.from(text), key, signature.subarray(4))
    );
  });
const digest = createHash('sha256').update(readFileSync('log.json')).digest('hex');
const isReceipt = text.startsWith(`ai-log-receipt/v1\n${name.replace(/\/receipts$/, '')}\n`);
console.log(text);
process.exitCode = isSigned && isReceipt && text.split('\n')[5] === digest ? 0 : 1;
