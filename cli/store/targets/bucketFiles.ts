import {
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type ListObjectVersionsCommandOutput,
  NoSuchKey,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { TlogFiles } from './tlogFiles.ts';

/** Turns the error of a call to S3 into undefined if there is no such file. @throws any other error */
const orAbsent = (error: unknown): undefined => {
  if (!(error instanceof NoSuchKey)) throw error;
};

/** Returns the files of a log in an S3 bucket, where they are below its name. */
export const bucketFiles = (s3: S3Client, bucket: string, origin: string): TlogFiles => ({
  location: `s3://${bucket}/${origin}`,
  async read(path) {
    const found = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: `${origin}/${path}` })).catch(orAbsent);
    return found?.Body?.transformToByteArray();
  },
  async *list(prefix) {
    const Prefix = `${origin}/${prefix}`;
    for await (const { Contents } of paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix })) {
      for (const { Key, LastModified } of Contents ?? []) {
        if (Key !== undefined && LastModified)
          yield { path: Key.slice(origin.length + 1), storedAt: LastModified.getTime() };
      }
    }
  },
  async *versions(prefix) {
    const request = { Bucket: bucket, Prefix: `${origin}/${prefix}` };
    const pathOf = (Key = '') => Key.slice(origin.length + 1);
    let from: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> | undefined = {};
    while (from) {
      const page: ListObjectVersionsCommandOutput = await s3.send(
        new ListObjectVersionsCommand({ ...request, ...from }),
      );
      const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = page;
      for (const { Key } of DeleteMarkers) yield { path: pathOf(Key), isMarker: true, etag: '' };
      for (const { Key, ETag = '' } of Versions) yield { path: pathOf(Key), isMarker: false, etag: ETag };
      from = IsTruncated ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker } : undefined;
    }
  },
});
