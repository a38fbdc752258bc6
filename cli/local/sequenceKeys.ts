import { createPrivateKey, generateKeyPairSync, hkdfSync } from 'node:crypto';
import { rawPublicKeyOf, signEd25519 } from '../../functions/c2sp/ed25519.ts';
import type { Signer } from '../../functions/c2sp/note.ts';
import { verifierKey } from '../../functions/c2sp/verifierKey.ts';
import type { GenerateReceiptKey } from '../../functions/sequencer/receiptKeys.ts';
import { receiptKeyContext } from '../../functions/tlog/receiptKeyTable.ts';
import { keyFileSeal, readKey } from '../store/targets/seal.ts';

/** The bytes before the 32 bytes of a private key in its PKCS #8 form. Source: RFC 8410, section 7. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns a signer of checkpoints. Its key follows from the key file and a number of the setting `checkpointKeys`. */
export function localSigner(keyFile: string, origin: string, number = '1'): Signer {
  const purpose = `checkpoint key ${number === '1' ? '' : `${number} `}of ${origin}`;
  const seed = Buffer.from(hkdfSync('sha256', readKey(keyFile), '', purpose, 32));
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const key = verifierKey(origin, rawPublicKeyOf(privateKey));
  return { key, sign: async (message) => signEd25519(privateKey, message) };
}

/** Creates a generator of receipt keys. It seals them under a key file, bound to their encryption context as JSON. */
export const localReceiptKey =
  (keyFile: string): GenerateReceiptKey =>
  async (origin) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const plaintext = privateKey.export({ format: 'der', type: 'pkcs8' });
    return {
      publicKey: publicKey.export({ format: 'der', type: 'spki' }),
      sealedPrivateKey: keyFileSeal(keyFile)(plaintext, Buffer.from(JSON.stringify(receiptKeyContext(origin)))),
    };
  };
