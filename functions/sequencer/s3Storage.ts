import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { headersOf } from '../tlog/paths.ts';
import type { TlogStorage } from './storage.ts';

const hasStatus = (error: unknown, status: number) =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === status;

/** Returns a storage in a bucket, below the name of the log. Without `s3:ListBucket`, a missing file would be a 403. */
export function s3Storage(s3: S3Client, bucket: string, origin: string): TlogStorage {
  const keyOf = (path: string): string => `${origin}/${path}`;

  const get: TlogStorage['get'] = async (path, abortSignal) => {
    try {
      const { Body, ETag } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(path) }), { abortSignal });
      return { bytes: (await Body?.transformToByteArray()) as Uint8Array, etag: ETag as string };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  };

  const putIf = async (
    condition: { IfNoneMatch: '*' } | { IfMatch: string },
    path: string,
    bytes: Uint8Array,
    abortSignal: AbortSignal,
  ): Promise<boolean> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { contentType: ContentType, cacheControl: CacheControl } = headersOf(path);
        const input = { Bucket: bucket, Key: keyOf(path), Body: bytes, ContentType, CacheControl, ...condition };
        await s3.send(new PutObjectCommand(input), { abortSignal });
        return true;
      } catch (error) {
        if (hasStatus(error, 412)) return false;
        // 409: a concurrent write to the same key.
        if (!hasStatus(error, 409) || attempt === 3) throw error;
      }
    }
  };

  /** Returns true if the file has these bytes: an earlier attempt may have stored them and lost its response. */
  const has = async (path: string, bytes: Uint8Array, abortSignal: AbortSignal): Promise<boolean> => {
    const file = await get(path, abortSignal);
    return file !== undefined && Buffer.compare(file.bytes, bytes) === 0;
  };

  return {
    get,

    async create(path, bytes, abortSignal) {
      if (await putIf({ IfNoneMatch: '*' }, path, bytes, abortSignal)) return 'created';
      return (await has(path, bytes, abortSignal)) ? 'same' : 'different';
    },

    async replace(path, bytes, etag, abortSignal) {
      const condition = etag === undefined ? { IfNoneMatch: '*' as const } : { IfMatch: etag };
      return (await putIf(condition, path, bytes, abortSignal)) || has(path, bytes, abortSignal);
    },

    async list(prefix, after, abortSignal) {
      const input = { Bucket: bucket, Prefix: keyOf(prefix), StartAfter: keyOf(after) };
      const pages = await Array.fromAsync(paginateListObjectsV2({ client: s3 }, input, { abortSignal }));
      return pages.flatMap(({ Contents = [] }) => Contents.flatMap(({ Key }) => Key?.slice(keyOf('').length) ?? []));
    },
  };
}
