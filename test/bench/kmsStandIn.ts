import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authenticatedData, keyFileDecrypt, type SealContext } from '../../functions/auth/credentialStore.ts';

/**
 * Starts a server that answers KMS's Decrypt for what a key file sealed, so that a measurement includes the client and
 * a connection of its own. Real KMS takes some milliseconds longer.
 */
export async function startKmsStandIn(keyFile: string) {
  const decrypt = keyFileDecrypt(keyFile);
  const server = createServer(async (request, response) => {
    const {
      CiphertextBlob,
      EncryptionContext: context,
      KeyId,
    } = JSON.parse(await request.setEncoding('utf8').reduce((all, chunk) => all + chunk, ''));
    const boundTo =
      'accessKey' in context ? authenticatedData(context as SealContext) : Buffer.from(JSON.stringify(context));
    const plaintext = decrypt(Buffer.from(CiphertextBlob, 'base64'), boundTo);
    response.setHeader('Content-Type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ KeyId, Plaintext: plaintext.toString('base64') }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const arn = 'arn:aws:kms:local:000000000000:key/stand-in';
  return {
    /** The environment of a function that decrypts with this server. */
    environment: {
      CREDENTIALS_KEY_ARN: arn,
      RECEIPT_SEALING_KEY_ARN: arn,
      AWS_ENDPOINT_URL_KMS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
