import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { rawPublicKeyOf } from '../../functions/c2sp/ed25519.ts';
import { startFaultProxy } from './faults.ts';
import { startServer } from './server.ts';

/** An object of the bucket. */
interface StoredObject {
  readonly body: Buffer;
  readonly etag: string;
  readonly storedAt: Date;
  readonly type: string | undefined;
  readonly cache: string | undefined;
}

/** The number of keys in a page of a list. S3 has a thousand. */
const PAGE = 3;

/** An error in the format of S3. */
export const s3Error = (status: number, code: string) => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
});

/** Creates a KMS key that binds ciphertexts to their encryption context, as the real service does. */
export function createKms() {
  const key = randomBytes(32);
  const context = ({ EncryptionContext }: { EncryptionContext: Record<string, string> }) =>
    Buffer.from(JSON.stringify(Object.entries(EncryptionContext).sort()));
  return {
    Encrypt(input: { KeyId: string; Plaintext: string; EncryptionContext: Record<string, string> }) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context(input));
      const sealed = Buffer.concat([cipher.update(input.Plaintext, 'base64'), cipher.final()]);
      return {
        KeyId: input.KeyId,
        CiphertextBlob: Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64'),
      };
    },
    Decrypt(input: { KeyId: string; CiphertextBlob: string; EncryptionContext: Record<string, string> }) {
      const sealed = Buffer.from(input.CiphertextBlob, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(context(input));
      decipher.setAuthTag(sealed.subarray(12, 28));
      const plaintext = Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
      return { KeyId: input.KeyId, Plaintext: plaintext.toString('base64') };
    },
  };
}

/** What the calls of the sequencer to KMS have. */
type KmsInput = Record<'KeyId' | 'KeyPairSpec' | 'Message' | 'MessageType' | 'SigningAlgorithm', string> & {
  EncryptionContext: Record<string, string>;
};

/**
 * A bucket that keeps S3's promises on conditional writes and on locked files, and the keys of a KMS, as far as the
 * sequencer calls them, on one port.
 */
export async function startCloud() {
  const objects = new Map<string, StoredObject>();
  /** All versions and delete markers, the oldest first. */
  const versions: { readonly path: string; readonly etag: string | undefined }[] = [];
  const keys = new Map<string, KeyObject>();
  const sealing = createKms();
  const calls: string[] = [];
  const keyOf = (arn: string) => {
    const key = keys.get(arn) ?? generateKeyPairSync('ed25519').privateKey;
    keys.set(arn, key);
    return key;
  };
  const spki = (key: KeyObject) => createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');

  /** KMS, in its own wire format. */
  const kms: Record<string, (input: KmsInput) => object> = {
    GetPublicKey: ({ KeyId }) => ({ KeyId, PublicKey: spki(keyOf(KeyId)) }),
    Sign: ({ KeyId, Message, MessageType, SigningAlgorithm }) => {
      if (MessageType !== 'RAW' || SigningAlgorithm !== 'ED25519_SHA_512') throw new Error('not as Ed25519 is signed');
      const signature = sign(null, Buffer.from(Message, 'base64'), keyOf(KeyId));
      return { KeyId, Signature: signature.toString('base64') };
    },
    GenerateDataKeyPairWithoutPlaintext: ({ KeyId, KeyPairSpec, EncryptionContext }) => {
      if (KeyPairSpec !== 'ECC_NIST_EDWARDS25519') throw new Error('not an Ed25519 pair');
      const { privateKey } = generateKeyPairSync('ed25519');
      const Plaintext = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
      const { CiphertextBlob } = sealing.Encrypt({ KeyId, Plaintext, EncryptionContext });
      return { KeyId, PublicKey: spki(privateKey), PrivateKeyCiphertextBlob: CiphertextBlob };
    },
  };

  const put = (path: string, request: IncomingMessage, body: Buffer): [status: number, code?: string] => {
    // With Object Lock, S3 takes no file without a checksum. Source: S3 API Reference, "PutObject".
    if (!request.headers['x-amz-checksum-crc32']) return [400, 'InvalidRequest'];
    const there = objects.get(path);
    if (request.headers['if-none-match'] === '*' && there) return [412, 'PreconditionFailed'];
    const match = request.headers['if-match'];
    if (match && !there) return [404, 'NoSuchKey'];
    if (match && there?.etag !== match) return [412, 'PreconditionFailed'];
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    versions.push({ path, etag });
    objects.set(path, {
      body,
      etag,
      storedAt: new Date(),
      type: request.headers['content-type'],
      cache: request.headers['cache-control'],
    });
    return [200];
  };

  /** A page of ListObjectsV2. The token to continue with is the last key. */
  const list = (query: URLSearchParams): string => {
    const prefix = query.get('prefix') ?? '';
    const token = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const found = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > token).sort();
    const page = found.slice(0, PAGE);
    const next = found.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const contents = page
      .map((key) => {
        const storedAt = objects.get(key)?.storedAt.toISOString();
        return `<Contents><Key>${key}</Key><LastModified>${storedAt}</LastModified></Contents>`;
      })
      .join('');
    return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${contents}</ListBucketResult>`;
  };

  /** ListObjectVersions, in one page: those of a key one after the other, the newest first. */
  const listVersions = (query: URLSearchParams): string => {
    const found = versions.filter(({ path }) => path.startsWith(query.get('prefix') ?? '')).reverse();
    const all = found
      .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))
      .map(({ path, etag }) =>
        etag === undefined
          ? `<DeleteMarker><Key>${path}</Key></DeleteMarker>`
          : `<Version><Key>${path}</Key><ETag>${etag}</ETag></Version>`,
      );
    return `<?xml version="1.0"?><ListVersionsResult><IsTruncated>false</IsTruncated>${all.join('')}</ListVersionsResult>`;
  };

  const bucket = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const fail = (status: number, code: string) => response.writeHead(status).end(s3Error(status, code).body);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
    const path = decodeURIComponent(pathname).replace(/^\/bucket\//, '');
    calls.push(`${request.method} ${path}`);
    if (searchParams.has('versions')) return response.writeHead(200).end(listVersions(searchParams));
    if (searchParams.has('list-type')) return response.writeHead(200).end(list(searchParams));
    if (request.method === 'GET' || request.method === 'HEAD') {
      const object = objects.get(path);
      if (!object) return fail(404, 'NoSuchKey');
      const headers = { ETag: object.etag, 'Last-Modified': object.storedAt.toUTCString() };
      return response.writeHead(200, headers).end(object.body);
    }
    if (request.method === 'DELETE') {
      versions.push({ path, etag: undefined });
      objects.delete(path);
      return response.writeHead(204).end();
    }
    const [status, code] = put(path, request, body);
    if (code) return fail(status, code);
    return response.writeHead(status, { ETag: objects.get(path)?.etag }).end();
  };

  /** How far the clock in its answers is behind, in milliseconds. */
  let behindMs = 0;
  const { url } = await startServer((request, response, body) => {
    response.setHeader('date', new Date(Date.now() - behindMs).toUTCString());
    const target = request.headers['x-amz-target'] as string | undefined;
    if (!target) return bucket(request, response, body);
    const action = target.split('.')[1] as string;
    calls.push(action);
    const answer = kms[action]?.(JSON.parse(body.toString()));
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
  });
  const way = await startFaultProxy(url);
  return {
    /** What makes the SDK's clients of S3 and KMS call here. */
    environment: { AWS_ENDPOINT_URL_S3: way.url, AWS_ENDPOINT_URL_KMS: url },
    /** The faulty connection to the bucket. */
    way,
    objects,
    /** The 32 bytes of the public half of a key of the KMS. */
    publicKey: (arn: string) => rawPublicKeyOf(keyOf(arn)),
    /** Sets the clock in its answers back. @param ms how far it is behind this machine's */
    setBack: (ms: number) => {
      behindMs = ms;
    },
    /** What was called since the last time that this was asked. */
    calls: () => calls.splice(0),
  };
}
