import { createCipheriv, createPrivateKey, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FILE_SEAL } from '../../functions/auth/credentialStore.ts';
import { rawPublicKeyOf, signEd25519 } from '../../functions/c2sp/ed25519.ts';
import type { Signer } from '../../functions/c2sp/note.ts';
import { verifierKey } from '../../functions/c2sp/verifierKey.ts';
import type { GenerateReceiptKey } from '../../functions/sequencer/receiptKeys.ts';
import { receiptKeyContext } from '../../functions/tlog/tlogTable.ts';

/** The bytes before the 32 bytes of a private key in its PKCS #8 form. Source: RFC 8410, section 7. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

const read = (keyFile: string): Buffer => Buffer.from(readFileSync(keyFile, 'utf8').trim(), 'hex');

/**
 * Returns a signer of a local log's checkpoints. Its key follows from the key file, so that it is the same after every
 * start.
 * @param number the number of the key, as in the setting `checkpointKeys`
 */
export function localSigner(keyFile: string, origin: string, number = '1'): Signer {
  const purpose = `checkpoint key ${number === '1' ? '' : `${number} `}of ${origin}`;
  const seed = Buffer.from(hkdfSync('sha256', read(keyFile), '', purpose, 32));
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  return {
    key: verifierKey(origin, rawPublicKeyOf(privateKey)),
    sign: async (message) => signEd25519(privateKey, message),
  };
}

/** Returns the authenticated data of a receipt key that is sealed under a key file: the encryption context as JSON. */
export const receiptKeyData = (origin: string): Buffer => Buffer.from(JSON.stringify(receiptKeyContext(origin)));

/** Creates a generator of receipt keys, which seals them under a key file, in the layout of `FILE_SEAL`. */
export const localReceiptKey =
  (keyFile: string): GenerateReceiptKey =>
  async (origin) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { algorithm, nonceBytes, tagBytes } = FILE_SEAL;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, read(keyFile), nonce, { authTagLength: tagBytes });
    cipher.setAAD(receiptKeyData(origin));
    const plaintext = privateKey.export({ format: 'der', type: 'pkcs8' });
    const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return {
      publicKey: publicKey.export({ format: 'der', type: 'spki' }),
      sealedPrivateKey: Buffer.concat([nonce, cipher.getAuthTag(), sealed]),
    };
  };
