import { authenticatedData, keyFileDecrypt, type SealContext } from '../../functions/auth/credentialStore.ts';
import { startServer } from '../setup/server.ts';

/**
 * Starts a server that answers KMS's Decrypt for what a key file sealed, so that a measurement includes the client and
 * a connection of its own. Real KMS takes some milliseconds longer.
 */
export async function startKmsStandIn(keyFile: string) {
  const decrypt = keyFileDecrypt(keyFile);
  const { url, close } = await startServer((_request, response, body) => {
    const { CiphertextBlob, EncryptionContext: context, KeyId } = JSON.parse(body.toString());
    const boundTo =
      'accessKey' in context ? authenticatedData(context as SealContext) : Buffer.from(JSON.stringify(context));
    const plaintext = decrypt(Buffer.from(CiphertextBlob, 'base64'), boundTo);
    response.setHeader('Content-Type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ KeyId, Plaintext: plaintext.toString('base64') }));
  });
  const arn = 'arn:aws:kms:local:000000000000:key/stand-in';
  return {
    /** The environment of a function that decrypts with this server. */
    environment: {
      CREDENTIALS_KEY_ARN: arn,
      RECEIPT_SEALING_KEY_ARN: arn,
      AWS_ENDPOINT_URL_KMS: url,
    },
    stop: close,
  };
}
